/** HTML files: their sentences and attributes; what the document says of its language is said of the target. */

import { gateRules } from '../gate/gateRules.ts';
import { inLanguage } from './htmlLanguage.ts';
import { htmlAttributes, htmlSentences } from './htmlTexts.ts';
import type { Extract } from './piece.ts';

/** Attributes lie inside the tags of sentences, so they are done before them. */
export const extractHtml: Extract = Object.assign((text: string) => htmlSentences(text), {
	before: htmlAttributes,
	prepare: inLanguage,
	rules: gateRules.html,
});
