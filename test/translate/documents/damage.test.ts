/** Documents that cannot be read to their end are refused, with the place of the fault. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDocumentJob } from '../../../server/translate/documents/documentJob.ts';
import type { TextTranslator } from '../../../server/translate/documents/documentLanguage.ts';

const translator: TextTranslator = {
	detect: () => Promise.reject(new Error('The language is given.')),
	translate: async (texts) => texts.map((text) => `«${text}»`),
};

const job = (fileName: string, text: string, target?: string) =>
	runDocumentJob(
		{ fileName, text, from: 'en', to: 'de', ...(target === undefined ? {} : { target }) },
		translator,
	);

test('damaged message files are refused whole, as source and as translation', async () => {
	for (const [name, whole, damaged, place] of [
		['a.json', '{"a": "Open"}', '{"a": "Auf",\n "b":', /at line 2, column 6: a value is missing/],
		['a.jsonc', '{}', '{"a": "Auf" "b": 1}', /at line 1, column 13: a comma is missing/],
		['a.arb', '{"a": "Open"}', '{"a": "Auf"', /at line 1, column 12: a closing brace is missing/],
		['a.json', '{"a": "Open"}', '["a", "b words"', /a closing bracket is missing/],
		['a.json', '{"a": "Open"}', '{"a": "Auf"}}', /at line 1, column 13: something follows the end/],
		['a.yaml', 'a: Open\n', 'a: "Auf\nb: x\n', /at line \d, column \d+: a quote, a bracket/],
		[
			'a.yml',
			'a: Open\n',
			'a: Auf\n---\nb: [1\nc: 2\n',
			/at line \d, column \d+: a line is not indented/,
		],
	] as const) {
		const refused = { code: 'invalid_request', message: place };
		await assert.rejects(job(name, damaged), refused, name);
		if (name.endsWith('jsonc')) continue;
		await assert.rejects(job(name, damaged, ''), refused, name);
		await assert.rejects(job(name, whole, damaged), refused, name);
	}
});

test('what readers of these formats bear is no damage', async () => {
	for (const [name, text] of [
		['a.json', '\ufeff{"a": "Some words",}'],
		['a.json', '// note\n{"a": "Some words" /* two */}'],
		['a.json', '{"a": "Some\twords"}'],
		['a.json', ' \n'],
		['a.yaml', 'a: !own Some words\na: again\n'],
		['a.yaml', ''],
	] as const)
		assert.equal((await job(name, text)).type, 'document', text);
	const done = await job('a.json', '{"a": "Some words"}', '');
	assert.equal(done.type === 'missing' && done.result.added.length, 1);
});
