/** Apostrophes of translations, where readers of the file would take them for quotation marks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIcu } from '../../../server/translate/documents/icu.ts';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';
import { translationFaults } from '../../../server/translate/documents/translationFaults.ts';

const french = (text: string) =>
	text
		.replace('Delete the file of {name}', "Supprimer le fichier d'{name}")
		.replace(/Delete (\S+) files of friends/, "Supprimer $1 fichiers d'amis'")
		.replace('Open the {item} now', "Ouvrir l'{item} maintenant")
		.replace('Open the {{item}} now', "Ouvrir l'{{item}} maintenant")
		.replace('Open the file {0} now', "Ouvrir l'élément {0} d'abord")
		.replace("The {0} can't be opened", "L'élément {0} n'est pas ouvert")
		.replace('Open the friend now', "Ouvrir l'ami maintenant");

async function translated(file: string, text: string) {
	const format = formatOf(file);
	assert.ok(format);
	return translatePieces(text, format, async (texts) => texts.map(french), 'fr');
}

test('an ICU message can be read again where a translation has an apostrophe before an argument or a brace', async () => {
	for (const file of ['a.json', 'app_en.arb']) {
		const source = {
			a: '{count, plural, one {Delete the file of {name}} other {Delete # files of friends}}',
			b: 'Open the {item} now',
		};
		const { text, refused } = await translated(file, JSON.stringify(source));
		const made = JSON.parse(text) as typeof source;
		assert.deepEqual(refused, []);
		assert.match(made.a, /=1 \{Supprimer le fichier d’\{name\}\} .*other \{.*d'amis''\}\}$/);
		assert.ok(parseIcu(made.a));
		assert.equal(made.b, 'Ouvrir l’{item} maintenant');
	}
});

test('what nobody could take for a quotation stays as it was translated', async () => {
	const source = { a: 'Open the {{item}} now', b: "Show d'{item} here", c: 'Open the friend now' };
	const { text } = await translated('a.json', JSON.stringify(source));
	assert.deepEqual(JSON.parse(text), {
		a: "Ouvrir l'{{item}} maintenant",
		b: "Show d'{item} here",
		c: "Ouvrir l'ami maintenant",
	});
});

test('messages of Java have two apostrophes where they have arguments, and the model sees one', async () => {
	const { text } = await translated(
		'a.properties',
		"a=The {0} can''t be opened\nb=Open the file {0} now\nc=Open the friend now\n",
	);
	assert.equal(
		text,
		"a=L''\\u00e9l\\u00e9ment {0} n''est pas ouvert\nb=Ouvrir l''\\u00e9l\\u00e9ment {0} d''abord\nc=Ouvrir l'ami maintenant\n",
	);
});

test('a file whose own apostrophes beside arguments are single has other readers', async () => {
	const { text } = await translated(
		'a.properties',
		"a=The {0} can't be opened\nb=Open the {item} now\n",
	);
	assert.equal(
		text,
		"a=L'\\u00e9l\\u00e9ment {0} n'est pas ouvert\nb=Ouvrir l\\u2019{item} maintenant\n",
	);
});

test('the check names arguments that an apostrophe quotes', () => {
	const check = (source: string, target: string, format: 'json' | 'properties') =>
		translationFaults({ source, target, format, to: 'fr' }).map(({ detail }) => detail);
	const icu = (b: string) =>
		JSON.stringify({ a: '{n, plural, one {one} other {others}}', b: `${b} maintenant` });
	assert.deepEqual(check(icu('Open the {item}'), icu("Ouvrir l'{item}"), 'json'), [
		'{item} is missing',
	]);
	assert.deepEqual(check(icu('Open the {item}'), icu("Ouvrir l''{item}"), 'json'), []);
	const plain = (b: string) => JSON.stringify({ b });
	assert.deepEqual(check(plain('Open the {item}'), plain("Ouvrir l'{item}"), 'json'), []);
	assert.deepEqual(check('a=The file {0}', "a=L'ami {0}", 'properties'), ['{0} is missing']);
	assert.deepEqual(check('a=The file {0}', "a=L''ami {0}", 'properties'), []);
	assert.deepEqual(check("a=Can't open {0}", "a=L'ami {0}", 'properties'), []);
});
