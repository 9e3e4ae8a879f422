/** A document through a translator that writes in upper case, as the doors have it. */

import assert from 'node:assert/strict';
import {
	type DocumentJob,
	runDocumentJob,
} from '../../../server/translate/documents/documentJob.ts';
import { inEnglish } from '../inEnglish.ts';

/** Upper case, but for tags, placeholders and escapes. */
export const shouting = (text: string) =>
	text.replace(
		/(<[^<>]*>|%(?:\d+\$)?(?:l{0,2}[dus@n]|\d)|%#@\w+@|\{[^{}]*\}|&\w+;|:[a-z]+\b|@:[\w.]+|`[^`]*`)|[^<%{&:@`]+|./g,
		(part, fixed?: string) => fixed ?? part.toUpperCase(),
	);

export async function shouted(
	fileName: string,
	text: string,
	more: Partial<DocumentJob> = {},
	translate = shouting,
) {
	const asked: string[] = [];
	const translator = inEnglish(async (texts) => {
		asked.push(...texts);
		return texts.map(translate);
	});
	const job = { fileName, text, to: 'de', from: 'en', ...more };
	const done = await runDocumentJob(job, translator);
	assert.equal(done.type, 'document');
	if (done.type !== 'document') throw new Error('no document');
	return { ...done.result, asked };
}
