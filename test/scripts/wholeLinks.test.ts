/** Links of the README where it goes without the rest of the repository. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { wholeLinks } from '../../scripts/wholeLinks.mjs';

const made = (markdown: string) =>
	wholeLinks(markdown, (path: string) => path === 'LICENSE', 'git+https://example.org/o/r.git');

test('links to what does not come along lead to the repository, all else stays', () => {
	assert.equal(
		made('[API](docs/api.md#chat), [![Tour](docs/t.png)](docs/tour.md) and [`x`](a.md "Title")'),
		'[API](https://example.org/o/r/blob/HEAD/docs/api.md#chat), [![Tour](docs/t.png)](https://example.org/o/r/blob/HEAD/docs/tour.md) and [`x`](https://example.org/o/r/blob/HEAD/a.md "Title")',
	);
	for (const same of [
		'[Licence](LICENSE)',
		'[Below](#below)',
		'[Site](https://example.com/a.md)',
		'[Mail](mailto:a@example.org)',
		'![Picture](docs/screenshots/chat.png)',
		'[not a link] (docs/api.md)',
	])
		assert.equal(made(same), same);
});
