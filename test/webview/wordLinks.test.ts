/** Word links as parts of both texts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkedParts, readLinks } from '../../webview/wordLinks.ts';

test('linked words know their link on both sides, the space between them none', () => {
	const links = readLinks('0:2-0:2 4:7-4:8 broken 9:8');
	assert.equal(links.length, 2);
	assert.deepEqual(linkedParts('The file', links, 'source'), [
		{ text: 'The', groups: [0] },
		{ text: ' ', groups: [] },
		{ text: 'file', groups: [1] },
	]);
	assert.deepEqual(
		linkedParts('Die Datei', links, 'target').map(({ text, groups }) => [text, groups.length]),
		[
			['Die', 1],
			[' ', 0],
			['Datei', 1],
		],
	);
	assert.deepEqual(linkedParts('ab', [], 'source'), [{ text: 'ab', groups: [] }]);
});
