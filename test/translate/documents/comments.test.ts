/** What a document says of its texts goes along with them to whoever translates. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextTranslator } from '../../../server/translate/documents/documentLanguage.ts';
import { translateMissing } from '../../../server/translate/documents/missingMessages.ts';
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
	const extract = formatOf(fileName, text) ?? assert.fail();
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

test('comments of Apple, Android, Qt and Fluent messages', async () => {
	const both = [
		['Open it', 'A door'],
		['Close it', undefined],
	];
	const strings = { 'Open it': { comment: 'A door' }, 'Close it': {} };
	const catalogue = JSON.stringify({ sourceLanguage: 'en', strings, version: '1.0' });
	assert.deepEqual((await commentsOf('a.xcstrings', catalogue)).seen, both);
	const android =
		'<resources>\n<!-- All of them -->\n\n<!-- A door --><string name="a">Open it</string>\n<string name="b">Close it</string></resources>';
	assert.deepEqual((await commentsOf('strings.xml', android)).seen, both);
	const message = (source: string, more = '') =>
		`<message><source>${source}</source>${more}<translation type="unfinished"></translation></message>`;
	const qt = `<TS version="2.1"><context>${message('Open it', '<extracomment>A door</extracomment>')}${message('Close it')}</context></TS>`;
	assert.deepEqual((await commentsOf('a.ts', qt)).seen, both);
	const fluent = '## All of them\n\n# A door\nopen = Open it\n\nclose = Close it\n';
	assert.deepEqual((await commentsOf('a.ftl', fluent)).seen, both);
});

test('comments go along where only what is missing is added', async () => {
	const seen: (string | undefined)[] = [];
	const arb = { open: 'Open it', '@open': { description: 'A door' }, close: 'Close it' };
	const translator: TextTranslator = {
		detect: () => assert.fail('the language is known'),
		translate: async (texts, _from, comments = []) => {
			seen.push(...texts.map((_, index) => comments[index]));
			return texts.map((one) => one.toUpperCase());
		},
	};
	const present = JSON.stringify({ close: 'Zu' });
	await translateMissing(JSON.stringify(arb), present, 'json', translator, {
		from: 'en',
		to: 'de',
	});
	assert.deepEqual(seen, ['A door']);
});

test('a document without comments sends none', async () => {
	const { seen } = await commentsOf('a.md', '# Open it\n\nClose it.\n');
	assert.deepEqual(
		seen.map(([, comment]) => comment),
		[undefined, undefined],
	);
});
