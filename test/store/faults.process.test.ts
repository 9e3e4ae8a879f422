/**
 * Every step of a write fails once, or is the last one of its process: what is kept is the old or the new,
 * whole, and whoever comes next can go on.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { JsonFile } from '../../server/store/jsonFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { kinds } from './faultyDisk.ts';
import { listFormat } from './kept.ts';

const base = temporaryFolder('faults');

const child = fileURLToPath(new URL('faultyChange.ts', import.meta.url));

function change(path: string, item: string, fault: string): Promise<string> {
	return new Promise((resolve) => {
		const env = { ...process.env, NEARGLOT_FAULT: fault };
		execFile(process.execPath, [child, path, item], { env }, (error, stdout) =>
			resolve(error?.signal ? 'killed' : stdout),
		);
	});
}

/** Makes a list of one item and tries to add another; resolves to what the child said. */
async function attempt(kind: string, step: number): Promise<string> {
	const folder = await mkdtemp(join(base, `${kind}-${step}-`));
	const path = join(folder, 'list.json');
	const file = new JsonFile(path, listFormat);
	await file.change(() => [{ list: ['old'] }, undefined]);
	const said = await change(path, 'new', `${kind} ${step}`);
	const { list } = await new JsonFile(path, listFormat).read();
	const what = `${kind} at step ${step}: ${said}, ${list}`;
	if (said.startsWith('done')) assert.deepEqual(list, ['old', 'new'], what);
	else assert.ok(String(list) === 'old' || String(list) === 'old,new', what);
	if (said.startsWith('failed')) {
		assert.match(said, /^failed (store_unavailable|disk_full) /, what);
		assert.ok(said.includes(folder), `${what}: the place is not named`);
	}
	await file.change((now) => [{ list: [...now.list, 'next'] }, undefined]);
	assert.deepEqual((await new JsonFile(path, listFormat).read()).list, [...list, 'next'], what);
	const left = (await readdir(folder)).filter((name) => name !== 'list.json');
	assert.ok(
		left.every((name) => said === 'killed' && /\.[0-9a-f]{12}\.tmp$/.test(name)),
		`${what}: ${left}`,
	);
	return said;
}

test('whatever step fails or is the last, old or new is there, whole, and the next change works', async () => {
	const said = await attempt('none', 0);
	const steps = Number(/^done (\d+)$/.exec(said)?.[1]);
	assert.ok(steps >= 8, said);
	const cases = kinds.flatMap((kind) =>
		Array.from({ length: steps }, (_, index) => [kind, index + 1] as const),
	);
	const ends = new Map<string, number>();
	const worker = async () => {
		for (let next = cases.shift(); next; next = cases.shift()) {
			const [end = ''] = (await attempt(...next)).split(' ');
			ends.set(end, (ends.get(end) ?? 0) + 1);
		}
	};
	await Promise.all(Array.from({ length: availableParallelism() }, worker));
	// All three ends must have been seen: otherwise the disk was not faulty.
	for (const end of ['killed', 'failed', 'done'])
		assert.ok(ends.has(end), JSON.stringify([...ends]));
});
