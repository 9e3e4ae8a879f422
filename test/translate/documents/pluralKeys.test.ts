/** Plural messages of several keys, remarks to translators, and what a file says already. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	mergeMissing,
	missingMessages,
} from '../../../server/translate/documents/missingMessages.ts';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';

/** A translator that shows what it was given. */
const mark = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);
const identity = async (texts: readonly string[]) => texts;

const i18next = `{
  "title": "The list",
  "item_one": "{{count}} file",
  "item_other": "{{count}} files",
  "place_ordinal_one": "{{count}}st place",
  "place_ordinal_two": "{{count}}nd place",
  "place_ordinal_few": "{{count}}rd place",
  "place_ordinal_other": "{{count}}th place",
  "end": "The end"
}
`;

const rails = `en:
  items:
    zero: No files
    one: One file
    other: "%{count} files"
  name: The name
`;

test('i18next: a whole file gets the plural keys of the target, in place and in order', async () => {
	const { text, refused } = await translatePieces(i18next, formatOf('a.json')!, mark, 'ru');
	const made = JSON.parse(text) as Record<string, string>;
	assert.deepEqual(Object.keys(made), [
		'title',
		'item_one',
		'item_few',
		'item_many',
		'item_other',
		'place_ordinal_other',
		'end',
	]);
	// The numbers that stood in while it was translated are placeholders again.
	assert.equal(made['item_few'], '«{{count}} files»');
	assert.equal(made['item_one'], '«{{count}} file»');
	assert.match(text, /\n {2}"item_few": "/);
	assert.deepEqual(refused, []);
	const japanese = await translatePieces(i18next, formatOf('a.json')!, mark, 'ja');
	assert.deepEqual(Object.keys(JSON.parse(japanese.text) as object), [
		'title',
		'item_other',
		'place_ordinal_other',
		'end',
	]);
});

test('a sentence is translated with a number of its category, so that words agree with it', async () => {
	const asked: string[] = [];
	const note = async (texts: readonly string[]) => {
		asked.push(...texts);
		return texts;
	};
	await translatePieces(i18next, formatOf('a.json')!, note, 'ru');
	assert.ok(asked.includes('2 files'), 'few');
	assert.ok(asked.includes('5 files'), 'many');
	assert.ok(asked.includes('1 file'), 'one');
});

test('Rails: the map gets the categories, an explicit zero stays, the root is the new language', async () => {
	const { text } = await translatePieces(rails, formatOf('en.yml')!, mark, 'ru');
	assert.match(text, /^ru:\n {2}items:\n {4}zero: «No files»\n {4}one: "«%\{count\} files»"\n/);
	assert.match(text, /\n {4}few: "«%\{count\} files»"\n {4}many: "/);
	assert.match(text, /\n {2}name: «The name»\n$/);
	const german = await translatePieces(rails, formatOf('en.yml')!, mark, 'de');
	assert.match(
		german.text,
		/^de:\n {2}items:\n {4}zero: «No files»\n {4}one: «One file»\n {4}other: /,
	);
});

test('a translation that changes no word changes no byte, whatever the plural forms', async () => {
	for (const to of ['de', 'ru', 'ja', 'ar']) {
		for (const [name, source] of [
			['a.json', i18next],
			['en.yml', rails],
		] as const) {
			for (const text of [source, source.replaceAll('\n', '\r\n'), source.trimEnd()]) {
				const made = await translatePieces(text, formatOf(name)!, identity, to);
				assert.equal(made.text, text, `${name} ${to}`);
			}
		}
	}
});

test('plural forms that only the target has are missing, and those it lacks are not', async () => {
	const polish = '{\n  "title": "Lista",\n  "item_one": "{{count}} plik"\n}\n';
	const paths = (to: string) =>
		missingMessages(i18next, polish, 'json', to).map(({ path }) => path.join('.'));
	assert.deepEqual(paths('pl'), [
		'item_few',
		'item_many',
		'item_other',
		'place_ordinal_other',
		'end',
	]);
	const { text, refused } = await mergeMissing(i18next, polish, 'json', mark, 'pl');
	const made = JSON.parse(text) as Record<string, string>;
	assert.equal(made['item_one'], '{{count}} plik');
	assert.equal(made['item_few'], '«{{count}} files»');
	assert.deepEqual(refused, []);
	const ruby = await mergeMissing(rails, 'pl:\n  name: Nazwa\n', 'yaml', mark, 'pl');
	assert.match(ruby.text, /few: .*«%\{count\} files»/);
	assert.match(ruby.text, /^ {2}name: Nazwa$/m);
});

test('what an author asks to keep is not translated', async () => {
	const cases: [string, string][] = [
		['a.json', '{\n  // do not translate\n  "brand": "Near Glot",\n  "open": "Open it"\n}\n'],
		[
			'a.arb',
			'{\n "brand": "Near Glot",\n "@brand": {"description": "Don\'t translate"},\n "open": "Open it"\n}\n',
		],
		['a.yml', '# Do not translate\nbrand: Near Glot\nopen: Open it\n'],
		['a.properties', '# Do not translate.\nbrand=Near Glot\nopen=Open it\n'],
		['a.po', '#. Do not translate\nmsgid "Near Glot"\nmsgstr ""\n\nmsgid "Open it"\nmsgstr ""\n'],
	];
	for (const [name, source] of cases) {
		const { text } = await translatePieces(source, formatOf(name)!, mark, 'de');
		assert.doesNotMatch(text, /«Near Glot»/, name);
		assert.match(text, /(?:«|\\u00ab)Open it/, name);
	}
	const merged = await mergeMissing(cases[0]?.[1] ?? '', '{\n}\n', 'json', mark, 'de');
	assert.equal((JSON.parse(merged.text) as { brand: string }).brand, 'Near Glot');
});

test('a missing message takes the translation its text has elsewhere in the file', async () => {
	const source = '{"menu": {"save": "Save"}, "form": {"save": "Save", "new": "New"}}';
	const target = '{"menu": {"save": "Sichern"}}';
	const { text } = await mergeMissing(source, target, 'json', mark, 'de');
	assert.deepEqual(JSON.parse(text), {
		menu: { save: 'Sichern' },
		form: { save: 'Sichern', new: '«New»' },
	});
	const two = '{"menu": {"save": "Sichern"}, "bar": {"save": "Speichern"}}';
	const unsure = await mergeMissing(
		'{"menu": {"save": "Save"}, "bar": {"save": "Save"}, "form": {"save": "Save"}}',
		two,
		'json',
		mark,
		'de',
	);
	assert.match(unsure.text, /«Save»/, 'two translations disagree, so none is taken');
	const ruby = await mergeMissing(
		'en:\n  a: Save\n  b: Save\n',
		'de:\n  a: Sichern\n',
		'yaml',
		mark,
		'de',
	);
	assert.match(ruby.text, /b: Sichern/);
});

test('an ARB file says that it is in the language it was translated to', async () => {
	const arb = '{\n  "@@locale": "en_US",\n  "greeting": "Good morning"\n}\n';
	const into = (text: string, to: string) =>
		translatePieces(text, formatOf('a.arb')!, async (texts) => texts.map(() => 'Words'), to);
	assert.equal(
		(await into(arb, 'pt-br')).text,
		'{\n  "@@locale": "pt_BR",\n  "greeting": "Words"\n}\n',
	);
	const own = arb.replace('en_US', 'de_AT');
	assert.match((await into(own, 'de')).text, /"@@locale": "de_AT"/);
});
