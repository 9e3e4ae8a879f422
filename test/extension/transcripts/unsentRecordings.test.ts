/** Recordings that are not handed over yet, over the end of their window. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
	maxUnsentRecordings,
	UnsentRecordings,
} from '../../../extension/transcripts/unsentRecordings.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

function windows(t: TestContext, everyMs = 1) {
	const folder = join(temporaryFolder(), 'unsent');
	const open = () => {
		const window = new UnsentRecordings(folder, everyMs);
		t.after(() => window.dispose());
		return window;
	};
	return { folder, open, files: () => (existsSync(folder) ? readdirSync(folder) : []) };
}

test('a window that goes away leaves what it has not handed over to one other, once', async (t) => {
	const { open, files } = windows(t);
	const first = open();
	first.keep(['file:///a', 'file:///b', 'file:///c']);
	first.drop(['file:///b']);
	first.dispose();
	// What fails while the server ends.
	first.drop(['file:///a']);
	const all = await Promise.all([open(), open()].map((window) => window.adopt()));
	assert.deepEqual(all.flat(), ['file:///a', 'file:///c']);
	assert.equal(files().length, 1);
});

test('a window that goes away while it looks for others does not take what it has just left', async (t) => {
	const { open } = windows(t, 20);
	const other = open();
	other.keep(['file:///o']);
	const first = open();
	first.keep(['file:///a']);
	const looking = first.adopt();
	first.dispose();
	assert.deepEqual(await looking, []);
	other.dispose();
	assert.deepEqual((await open().adopt()).toSorted(), ['file:///a', 'file:///o']);
});

test('what was taken over stays kept until it is handed over, and leaves nothing behind', async (t) => {
	const { open, files } = windows(t);
	const first = open();
	first.keep(['file:///a', 'file:///b']);
	first.dispose();
	const second = open();
	await second.adopt();
	second.drop(['file:///a']);
	second.dispose();
	const third = open();
	assert.deepEqual(await third.adopt(), ['file:///b']);
	third.drop(['file:///b']);
	third.dispose();
	assert.deepEqual(files(), []);
	assert.deepEqual(await open().adopt(), []);
});

test('a window that is there keeps its own, and one that ended without a word is found out', async (t) => {
	const { folder, open } = windows(t);
	const there = open();
	there.keep(['file:///a']);
	writeFileSync(join(folder, 'killed.json'), '{"uris":["file:///b"]}');
	writeFileSync(join(folder, 'damaged.json'), '{"uris":');
	const old = join(folder, 'old.left.json');
	writeFileSync(old, '{"uris":["file:///c"]}');
	utimesSync(old, 0, 0);
	assert.deepEqual(await open().adopt(), ['file:///b']);
	assert.ok(!existsSync(old));
});

test('of very many the first are kept', async (t) => {
	const { open } = windows(t);
	const first = open();
	const many = Array.from({ length: maxUnsentRecordings + 5 }, (_, at) => `file:///${at}`);
	first.keep(many);
	first.dispose();
	assert.deepEqual(await open().adopt(), many.slice(0, maxUnsentRecordings));
});
