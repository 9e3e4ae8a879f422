/** What the product keeps: damaged files are set aside and told of, and what guards is never counted as empty. */

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { JsonFile, type JsonFormat, setAsideIn } from '../../server/store/jsonFile.ts';
import { onNotice } from '../../server/store/notices.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { listFormat as format, type List } from './kept.ts';

const base = temporaryFolder('json');

async function newFile(more: Partial<JsonFormat<List>> = {}) {
	const folder = await mkdtemp(join(base, 'kept-'));
	const open = () => new JsonFile(join(folder, 'list.json'), { ...format, ...more });
	return { folder, open, path: join(folder, 'list.json') };
}

const add = (file: JsonFile<List>, item: string) =>
	file.change(({ list }) => [{ list: [...list, item] }, item]);

test('what one process wrote another reads, with a version', async () => {
	const { open, path } = await newFile();
	const [one, other] = [open(), open()];
	assert.equal(await add(one, 'a'), 'a');
	assert.deepEqual(await other.read(), { list: ['a'] });
	await add(other, 'b');
	assert.deepEqual(await one.read(), { list: ['a', 'b'] });
	assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { version: 1, list: ['a', 'b'] });
});

for (const [what, text] of [
	['cut', '{"version":1,"list":["a"'],
	['empty', ''],
	['of another form', '{"version":1,"list":"a"}'],
	['of a later version', '{"version":2,"list":["a"]}'],
	['no object', '[]'],
] as const)
	test(`a file that is ${what} is set aside whole, once, and told of`, async () => {
		const { folder, open, path } = await newFile();
		await writeFile(path, text);
		const told: string[] = [];
		using _notices = onNotice((notice) => told.push(notice));
		const results = await Promise.all([open().read(), open().read(), add(open(), 'b')]);
		assert.equal(results[2], 'b');
		const aside = await setAsideIn(folder);
		assert.equal(aside.length, 1);
		assert.equal(await readFile(aside[0] ?? '', 'utf8'), text);
		assert.equal(told.length, 1);
		assert.ok(told[0]?.includes(aside[0] ?? '-') && told[0].startsWith('The list'), told[0]);
		assert.deepEqual(open().readNow(), { list: ['b'] });
	});

test('a process that knew the value before the damage goes on with it', async () => {
	const { open, path } = await newFile();
	const file = open();
	await add(file, 'a');
	await writeFile(path, 'damaged');
	assert.deepEqual(await file.read(), { list: ['a'] });
	await add(file, 'b');
	assert.deepEqual(await open().read(), { list: ['a', 'b'] });
});

test('what guards is an error while it is missing or damaged, until it is back or given up in writing', async () => {
	const { folder, open, path } = await newFile({ guards: true });
	assert.deepEqual(await open().read(), { list: [] }, 'nobody has made one yet');
	assert.equal(await add(open(), 'a'), 'a');
	const sound = await readFile(path, 'utf8');
	for (const lose of [() => rm(path), () => writeFile(path, '{')]) {
		await lose();
		const file = open();
		for (const use of [() => file.read(), () => add(file, 'b'), async () => file.readNow()])
			await assert.rejects(use(), { code: 'store_unavailable', message: /list\.json\.made/ });
		assert.ok(!(await readdir(folder)).includes('list.json'), 'nothing was written in its place');
		await writeFile(path, sound);
		assert.deepEqual(await file.read(), { list: ['a'] });
	}
	await rm(path);
	await rm(`${path}.made`);
	assert.deepEqual(await open().read(), { list: [] });
});

test('a file of before there were versions is read, and guarded from then on', async () => {
	const { open, path } = await newFile({ guards: true });
	await writeFile(path, '{"list":["a"]}');
	assert.deepEqual(await open().read(), { list: ['a'] });
	await rm(path);
	await assert.rejects(open().read(), { code: 'store_unavailable' });
});
