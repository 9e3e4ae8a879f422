/** Numbers and sizes as languages write them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateIn, numberIn, readersLocale, sizeIn } from '../../server/protocol/index.ts';

const plain = (text: string) => text.replace(/\s/g, ' ');

test('a number, a time and a size are written as the language writes them', () => {
	assert.equal(numberIn('de', 1234.56, 1), '1.234,6');
	assert.equal(numberIn('en', 1234), '1,234');
	assert.equal(plain(sizeIn('en', 8_400_000)), '8.4 MB');
	assert.equal(plain(sizeIn('de', 8_400_000)), '8,4 MB');
	assert.equal(plain(sizeIn('fr', 8_400_000)), '8,4 Mo');
	assert.equal(plain(sizeIn('es', 159_400_000)), '159 MB');
	assert.equal(plain(sizeIn('de', 1_230_000_000, true)), '1,2 GB/s');
	const noon = new Date(2026, 10, 29, 12).getTime();
	assert.match(dateIn('de', noon), /^29\.11\.2026/);
	assert.match(dateIn('en-US', noon), /^11\/29\/2026/);
});

test('the region of the system counts where its language is the one that is read', () => {
	assert.equal(readersLocale('en', 'en-GB'), 'en-GB');
	assert.equal(readersLocale('de', 'de-CH'), 'de-CH');
	assert.equal(readersLocale('pt-br', 'pt-PT'), 'pt-PT');
	assert.equal(readersLocale('de', 'en-US'), 'de');
	assert.equal(readersLocale('en', 'de-DE'), 'en');
});
