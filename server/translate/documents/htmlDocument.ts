/** HTML files: their sentences and attributes; what the document says of its language is said of the target. */

import type { GateRules } from '../gate/gate.ts';
import { gateRules } from '../gate/gateRules.ts';
import { inLanguage } from './htmlLanguage.ts';
import {
	type HtmlReading,
	htmlAttributes,
	htmlReading,
	htmlSentences,
	xhtmlReading,
} from './htmlTexts.ts';
import type { Extract, Piece } from './piece.ts';

/** Attributes lie inside the tags of sentences, so they are done before them. */
const reader = (reading: HtmlReading, rules: GateRules, isXml = false): Extract =>
	Object.assign((text: string) => htmlSentences(text, reading), {
		before: (text: string) => htmlAttributes(text, reading),
		prepare: (text: string, to: string) => inLanguage(text, to, isXml),
		rules,
	});

export const extractHtml = reader(htmlReading, gateRules.html);
/** Pages of books. */
export const extractXhtml = reader(xhtmlReading, gateRules.page, true);

/** Sentences of HTML that stands in another format. */
export const htmlSentencesIn = (text: string): Piece[] => htmlSentences(text);
