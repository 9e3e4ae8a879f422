/** ICU messages with branches: whole sentences go out, and the plurals of the target come back. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { icuText, parseIcu } from '../../../server/translate/documents/icu.ts';
import { icuBranches } from '../../../server/translate/documents/icuBranches.ts';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';

const json = formatOf('a.json')!;

/** A translator of a few words that knows the forms of Polish. */
function polish(text: string): string {
	return text
		.replace(/(\d+) files?/, (_, digits: string) => {
			const form = new Intl.PluralRules('pl').select(Number(digits));
			return `${digits} ${{ one: 'plik', few: 'pliki' }[form as string] ?? 'plików'}`;
		})
		.replace(/\bfiles?\b/, 'pliku')
		.replace('You have', 'Masz')
		.replace('in', 'w')
		.replace('No', 'Brak');
}

async function icu(message: string, to: string, translate: (text: string) => string) {
	const asked: string[] = [];
	const result = await translatePieces(
		JSON.stringify({ message }),
		json,
		async (texts) => {
			asked.push(...texts);
			return texts.map(translate);
		},
		to,
	);
	const { message: made } = JSON.parse(result.text) as { message: string };
	return { made, asked, refused: result.refused };
}

test('a plural gets the categories of the target, each in its own form', async () => {
	const { made, asked } = await icu('{count, plural, one {# file} other {# files}}', 'pl', polish);
	assert.equal(made, '{count, plural, one {# plik} few {# pliki} many {# plików} other {# pliku}}');
	assert.deepEqual(asked, [
		'1 file',
		'{n} file',
		'2 files',
		'{n} files',
		'5 files',
		'{n} files',
		'{n} files',
	]);
	assert.ok(parseIcu(made));
});

test('words around a plural become part of its branches, arguments and exact numbers stay', async () => {
	const { made } = await icu(
		'You have {count, plural,\n  =0 {No files}\n  one {# file}\n  other {# files}\n} in {folder}',
		'pl',
		polish,
	);
	assert.equal(
		made,
		'{count, plural,\n  =0 {Masz Brak pliku w {folder}}\n  one {Masz # plik w {folder}}\n  few {Masz # pliki w {folder}}\n  many {Masz # plików w {folder}}\n  other {Masz # pliku w {folder}}\n}',
	);
});

test('languages with fewer forms lose the rest, and select keeps its keys', async () => {
	const upper = (text: string) =>
		text.replace(/\{\w+\}|(\p{L}+)/gu, (all, word) => (word ? all.toUpperCase() : all));
	const japanese = await icu('{n, plural, one {one file} other {# files}}', 'ja', upper);
	assert.equal(japanese.made, '{n, plural, other {# FILES}}');
	const select = await icu(
		'{who, select, female {her file} other {their {size, number} file}}',
		'de',
		upper,
	);
	assert.equal(select.made, '{who, select, female {HER FILE} other {THEIR {size, number} FILE}}');
	const nested = await icu(
		"{n, plural, one {# file of {who, select, a {Ann} other {it's}}} other {files}}",
		'de',
		upper,
	);
	assert.equal(
		nested.made,
		"{n, plural, one {{who, select, a {{n, number} FILE OF ANN} other {{n, number} FILE OF IT'S}}} other {FILES}}",
	);
});

test('words without a number are kept for exactly one where the form stands for more', async () => {
	const tell = (text: string) => `ru:${text}`;
	const { made } = await icu('{n, plural, one {One file} other {# files}}', 'ru', tell);
	assert.match(
		made,
		/^\{n, plural, =1 \{ru:One file\} one \{ru:# files\} few \{ru:# files\} many /,
	);
	const german = await icu('{n, plural, one {One file} other {# files}}', 'de', tell);
	assert.equal(german.made, '{n, plural, one {ru:One file} other {ru:# files}}');
});

test('ordinals take the forms of the target', async () => {
	const { made } = await icu(
		'{n, selectordinal, one {#st try} two {#nd try} few {#rd try} other {#th try}}',
		'de',
		(text) => text.replace('try', 'Versuch'),
	);
	assert.equal(made, '{n, selectordinal, other {#. Versuch}}');
});

test('malformed messages, lost placeholders and unknown languages are refused and told', async () => {
	const same = (text: string) => `x ${text}`;
	for (const message of [
		'{n, plural, one {# file}}',
		'{n, plural, one {# file} other {# files}',
		'{n, plural, one # file other {# files}}',
		'{n, plural, other {files}} }',
	]) {
		const { made, refused, asked } = await icu(message, 'pl', same);
		assert.equal(made, message);
		assert.deepEqual(refused, [message]);
		assert.deepEqual(asked, []);
	}
	const plural = '{n, plural, one {{a} file} other {{a} files}}';
	const lost = await icu(plural, 'pl', (text) => text.replace('{a}', 'a'));
	assert.deepEqual([lost.made, lost.refused], [plural, [plural]]);
	const unknown = await icu(plural, 'tlh-Latn', same);
	assert.deepEqual(unknown.refused, [plural]);
});

test('what stays the same is the same, byte for byte, and quoting survives', async () => {
	const message =
		"{n, plural, offset:1 =1{You''re alone} one{You and # other '#'} other{You and # others}}";
	const same = await icu(message, 'pl', (text) => text);
	assert.equal(same.made, message);
	const { made } = await icu(message, 'de', (text) => text.replace('You', "Du'"));
	assert.equal(
		made,
		"{n, plural, offset:1 =1{Du''''re alone} one{Du'' and # other '#'} other{Du'' and # others}}",
	);
	assert.equal(icuText("it's {a} '#", true, false), "it's '{'a'}' '''#'");
});

test('arguments have names in every script, and what message files write beside ICU', () => {
	const kinds = (message: string) => parseIcu(message)?.map(({ kind }) => kind);
	for (const argument of ['{Übergröße}', '{user.name}', '{$count}', '{0, choice, 0#no|1#one}'])
		assert.deepEqual(kinds(`a ${argument} b`), ['text', 'argument', 'text'], argument);
	assert.deepEqual(kinds('{größe, plural, other {#}}'), ['choice']);
	assert.equal(kinds('a } b'), undefined);
});

test('suffixes of ordinal numbers are those of the target language', () => {
	const message = 'Your {n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} visit';
	const german = icuBranches(message, 'de');
	assert.equal(german?.join(german.texts), '{n, selectordinal, other {Your #. visit}}');
	const bare = icuBranches('{n, selectordinal, one {#st} other {#th}}', 'fr');
	assert.equal(bare?.join([]), '{n, selectordinal, one {#er} other {#e}}');
});
