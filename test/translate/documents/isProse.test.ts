/** Data among messages is not text. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProse } from '../../../server/translate/documents/isProse.ts';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';

test('symbols, patterns, directions and names of packages are no words', () => {
	for (const value of [
		...[
			':year',
			':before?',
			'%Y-%m-%d',
			'%a, %d %b %Y',
			'%-d. %B',
			'yyyy-MM-dd',
			'HH:mm',
			'd. MMMM y',
		],
		...['ltr', 'RTL', 'npm-cache', 'eslint-plugin-react', '@scope/name', '#ff0000', 'https://a.b'],
	])
		assert.equal(isProse(value), false, value);
	for (const value of [
		...[
			'days',
			'Open the file',
			'sign-in',
			'well-known',
			'May',
			'%d days',
			'Add a day',
			'a-z only',
		],
		...['100% done', 'Time: %H:%M', ':smile: done', 'e-mail'],
	])
		assert.equal(isProse(value), true, value);
});

test('settings of Rails among messages stay, labels of the same name do not', async () => {
	const source = `en:
  direction: ltr
  date:
    formats:
      default: "%m/%d/%Y"
      long: "%B %d, %Y"
    order: [:year, :month, :day]
  number:
    format:
      delimiter: ","
      separator: "."
  general_csv_encoding: iso-8859-1
  locale: Language
  button: Save it
`;
	const extract = formatOf('en.yml');
	assert.ok(extract);
	const { text } = await translatePieces(
		source,
		extract,
		async (texts) => texts.map((one) => `«${one}»`),
		'de',
	);
	assert.equal(
		text,
		source.replace('en:', 'de:').replace('Language', '«Language»').replace('Save it', '«Save it»'),
	);
});

test('paths of Windows are no words, also with blanks in them', () => {
	for (const path of ['C:\\Program Files\\My App', 'd:\\', '\\\\server\\Shared Files\\a.txt'])
		assert.equal(isProse(path), false, path);
	for (const words of ['C:\\ is full', 'Save it in C:\\Program Files', 'D: the drive'])
		assert.equal(isProse(words), true, words);
});
