/** One daemon for all windows, and the same one after a reload. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, desk, openChat } from './window.ts';

test('two windows and a reloaded one talk to the same daemon', async () => {
	const { open, reload, home } = await desk();
	const first = await open();
	await ask(await openChat(first), 'show disk usage');
	const endpoint = () => readFileSync(join(home, 'endpoint.json'), 'utf8');
	const before = endpoint();
	const second = await open();
	await ask(await openChat(second), 'show the date');
	assert.equal(endpoint(), before);
	await reload(first);
	await ask(await openChat(first), 'count lines in a file');
	assert.equal(endpoint(), before);
	process.kill((JSON.parse(before) as { pid: number }).pid, 0);
	await first.close();
	await second.close();
});
