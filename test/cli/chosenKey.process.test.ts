/** A key somebody chose for the server must not be one that is found by trying. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Home, newHome } from '../support/home.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

test('a short key, and one that no request can carry, is refused in words', async () => {
	const refused: readonly (readonly [key: string, words: RegExp])[] = [
		['k', /^nearglot serve: NEARGLOT_KEY must have 16 characters at least; .*openssl/],
		['123456789012345', /must have 16 characters/],
		['replace-with-64-hex-digits', /text of an example/],
		['aaaaaaaaaaaaaaaaaaaaaaaa', /fewer than 6 different characters/],
		['                        ', /is blank/],
		['a key with several words', /blanks or letters that no request can carry/],
	];
	for (const [key, words] of refused) {
		const { code, stderr } = await home.run(['serve'], '', { NEARGLOT_KEY: key });
		assert.equal(code, 2, stderr);
		assert.match(stderr, words);
		assert.ok(key.length < 2 || !stderr.includes(key), 'the key is not shown');
	}
});
