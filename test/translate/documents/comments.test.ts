/** What a document says of its texts goes along with them to whoever translates. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextTranslator } from '../../../server/translate/documents/documentLanguage.ts';
import {
	formatOf,
	translateDocumentText,
} from '../../../server/translate/documents/translateDocument.ts';

async function commentsOf(fileName: string, text: string) {
	const seen: [string, string | undefined][] = [];
	const translator: TextTranslator = {
		detect: () => assert.fail('the language is known'),
		translate: async (texts, _from, comments) => {
			for (const [index, one] of texts.entries()) seen.push([one, comments?.[index]]);
			return texts.map((one) => one.toUpperCase());
		},
	};
	const extract = formatOf(fileName) ?? assert.fail();
	const { text: made } = await translateDocumentText(text, extract, translator, {
		...{ from: 'en', to: 'de' },
	});
	return { seen, made };
}

test('comments and contexts of po messages', async () => {
	const entry = '#. Title of a dialog\n#: a.c:3\nmsgctxt "menu"\nmsgid "Open it"\nmsgstr ""\n';
	const { seen, made } = await commentsOf('a.po', `${entry}\nmsgid "Close it"\nmsgstr ""\n`);
	assert.deepEqual(seen, [
		['Open it', 'Title of a dialog\nmenu'],
		['Close it', undefined],
	]);
	assert.match(made, /msgstr "OPEN IT"/);
});

test('descriptions of ARB messages', async () => {
	const arb = { open: 'Open it', '@open': { description: 'A door' }, close: 'Close it' };
	const { seen } = await commentsOf('app_en.arb', JSON.stringify(arb));
	assert.deepEqual(seen, [
		['Open it', 'A door'],
		['Close it', undefined],
	]);
});

test('a document without comments sends none', async () => {
	const { seen } = await commentsOf('a.md', '# Open it\n\nClose it.\n');
	assert.deepEqual(
		seen.map(([, comment]) => comment),
		[undefined, undefined],
	);
});
