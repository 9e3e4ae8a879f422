/** What an agent has changed, when two windows show its chat. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChangesFile } from '../../../../extension/chat/agent/changesFile.ts';
import { setAsideIn } from '../../../../server/store/jsonFile.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { until } from '../../../support/until.ts';

const open = () => {
	const folder = join(temporaryFolder('changes'), 'chats/changes');
	const path = join(folder, 'chat.json');
	return { folder, path, one: new ChangesFile(path), other: new ChangesFile(path) };
};

test('what two windows note at once is all there, and a decision of one holds in the other', async () => {
	const { one, other } = open();
	await Promise.all(
		[one, other, one, other, one, other].map((file, index) =>
			file.change((changes) => changes.remember('q', `file ${index}`, `before ${index}`)),
		),
	);
	const files = (await one.read()).files.map(({ uri, before }) => `${uri}: ${before}`).sort();
	assert.deepEqual(
		files,
		[0, 1, 2, 3, 4, 5].map((index) => `file ${index}: before ${index}`),
	);
	const shown = (await one.read()).of('file 1');
	await one.change((changes) => changes.drop(shown));
	assert.equal((await other.read()).of('file 1').length, 0);
	const left = await other.change((changes) => changes.changed('q', 'file 2', 'after'));
	assert.equal(left.all.length, 5);
});

test('a damaged file is set aside and not written over: what files held may be in it', async () => {
	const { folder, path, one } = open();
	await one.change((changes) => changes.remember('q', 'a', 'precious'));
	const text = (await readFile(path, 'utf8')).slice(0, -20);
	await writeFile(path, text);
	await new ChangesFile(path).change((changes) => changes.remember('q', 'b', 'more'));
	const [aside = ''] = await setAsideIn(folder);
	assert.match(await readFile(aside, 'utf8'), /precious/);
});

test('others know while a tool runs, and no longer than it can run when its window has gone away', async () => {
	const { path, one, other } = open();
	const tools = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
	const [first, second] = tools.map(({ promise }) => one.working(() => promise));
	await until('the other knows', () => other.isOtherWorking());
	assert.equal(await one.isOtherWorking(), false, 'its own tools are no others');
	await other.change((changes) => changes.remember('q', 'a', 'before'));
	tools[0].resolve('done');
	assert.equal(await first, 'done');
	assert.equal(await other.isOtherWorking(), true, 'one of two has ended');
	const later = new ChangesFile(path, () => Date.now() + 200_000);
	assert.equal(await later.isOtherWorking(), false, 'two minutes are over');
	tools[1].reject(new Error('failed'));
	await assert.rejects(second ?? Promise.resolve(), /failed/);
	assert.equal(await other.isOtherWorking(), false);
	assert.equal((await one.read()).files.length, 1);
});
