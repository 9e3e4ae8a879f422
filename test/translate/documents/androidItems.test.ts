/** Android: plural forms and texts of arrays that a translated file lacks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	mergeMissing,
	missingMessages,
} from '../../../server/translate/documents/missingMessages.ts';
import { translationFaults } from '../../../server/translate/documents/translationFaults.ts';

const tell = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);

const plurals = (forms: Readonly<Record<string, string>>) =>
	`<resources>\n    <plurals name="p">\n${Object.entries(forms)
		.map(([category, text]) => `        <item quantity="${category}">${text}</item>\n`)
		.join('')}    </plurals>\n</resources>\n`;

test('plurals that lack a category of the language are open, and their forms stay', async () => {
	const source = plurals({ one: '%d file', other: '%d files' });
	const lacking = (target: string, to: string) =>
		missingMessages(source, target, 'android', to).map(({ path }) => path.join('.'));
	const target = plurals({ one: '%d plik', other: '%d pliku' });
	assert.deepEqual(lacking(target, 'pl'), ['p.few', 'p.many']);
	const [fault] = translationFaults({ source, target, format: 'android', to: 'pl' });
	assert.deepEqual([fault?.kind, fault?.key, fault?.line], ['missing', 'p.few', 2]);
	const made = plurals({
		...{ one: '%d plik', few: '«%d files»', many: '«%d files»', other: '%d pliku' },
	});
	const merge = async (text: string, to: string) =>
		(await mergeMissing(source, text, 'android', tell, to)).text;
	assert.equal(await merge(target, 'pl'), made);
	assert.deepEqual(lacking(made, 'pl'), []);
	const empty = plurals({ one: '%d Datei', other: '' });
	assert.deepEqual(lacking(empty, 'de'), ['p.other']);
	assert.equal(await merge(empty, 'de'), plurals({ one: '%d Datei', other: '«%d files»' }));
	// Japanese has one form, and English has none for zero.
	assert.deepEqual(lacking(plurals({ other: '%d' }), 'ja'), []);
	const zero = plurals({ zero: 'No files', one: '%d file', other: '%d files' });
	const own = plurals({ one: '%d Datei', other: '%d Dateien' });
	assert.deepEqual(missingMessages(zero, own, 'android', 'de'), []);
});
