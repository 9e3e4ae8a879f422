/** What is said of a document: a text that stayed in its language never counts as translated. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeMissing } from '../../../server/translate/documents/missingMessages.ts';
import { countsText } from '../../../server/translate/documents/textCounts.ts';
import {
	formatOf,
	translateDocumentText,
} from '../../../server/translate/documents/translateDocument.ts';

const stubborn = 'This whole sentence stays as it is.';
/** Leaves one sentence alone, loses the placeholders of another, and shouts the rest. */
const answer = (text: string): string => {
	if (text.includes('loses')) return text.replace(/\{\w+\}/g, '').toUpperCase();
	const [before = '', after = ''] = text.split(stubborn);
	return text.includes(stubborn)
		? before.toUpperCase() + stubborn + after.toUpperCase()
		: text.toUpperCase();
};
const translator = {
	detect: async () => [],
	translate: async (texts: readonly string[]) => texts.map(answer),
};

const documents: Readonly<Record<string, string>> = {
	'a.md': `Open the file.\n\n${stubborn}\n\nSave it now. ${stubborn}\n\nClose {{loses}} it.\n`,
	'a.json': JSON.stringify({
		...{ open: 'Open the file.', same: stubborn, half: `Save it now. ${stubborn}` },
		lost: 'Loses {name} it loses.',
	}),
	'a.po': [
		'Open the file.',
		stubborn,
		`Save it now. ${stubborn}`,
		'It loses %s, {name} and more of {it}.',
	]
		.map((id) => `msgid "${id}"\nmsgstr ""\n`)
		.join('\n'),
	'a.xliff': `<xliff version="1.2"><file source-language="en">${[
		'Open the file.',
		stubborn,
		`Save it now. ${stubborn}`,
	]
		.map((text, id) => `<trans-unit id="${id}"><source>${text}</source></trans-unit>`)
		.join('')}</file></xliff>`,
};

test('texts that stayed, in whole or in part, are not counted as translated, whatever the format', async () => {
	for (const [fileName, text] of Object.entries(documents)) {
		const extract = formatOf(fileName);
		assert.ok(extract);
		const languages = { to: 'de', from: 'en' };
		const made = await translateDocumentText(text, extract, translator, languages);
		const { pieces, translated, partly, refused } = made;
		assert.equal(partly, 1, fileName);
		assert.equal(pieces - translated - partly - refused.length, 1, fileName);
		assert.equal(translated, pieces - 2 - refused.length, fileName);
	}
});

test('messages that are added as they are in the source are told apart', async () => {
	const source = documents['a.json'] ?? '';
	const translate = async (texts: readonly string[]) => texts.map(answer);
	const made = await mergeMissing(source, '{}', 'json', translate, 'de');
	assert.equal(made.kept, 1);
	const whole = await mergeMissing('{"a": "Open it."}', '{}', 'json', translate, 'de');
	assert.equal(whole.kept, 0);
});

test('a count is one sentence', () => {
	const counts = { pieces: 5, translated: 3, partly: 1 };
	assert.equal(countsText(counts, 'English'), '3 of 5 texts translated from English, 1 in part');
	const one = { pieces: 1, translated: 0, partly: 0 };
	assert.equal(countsText(one), '0 of 1 text translated');
});
