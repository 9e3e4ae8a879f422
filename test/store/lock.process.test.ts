/** A lock that is held for long: who may take it over, and who hears of it. Other processes are real ones. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockFile } from '../../server/store/lock.ts';
import { lives, thisProcess } from '../../server/store/processIdentity.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder('lock');

const source = new URL('../../server/store/lock.ts', import.meta.url).href;
const holder = (path: string) => `
	import { lockFile } from ${JSON.stringify(source)};
	await lockFile(${JSON.stringify(path)}, { beatMs: 100, onLost: () => process.send('lost') });
	process.send('held');
	setInterval(() => {}, 1000);
`;

/** One of a test that has failed would keep this process for ever. */
const children: ChildProcess[] = [];
after(() => {
	for (const child of children) child.kill('SIGKILL');
});

/** A process that takes the lock and keeps it. */
async function hold(path: string): Promise<ChildProcess> {
	const child = spawn(process.execPath, ['--input-type=module', '-e', holder(path)], {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	});
	children.push(child);
	assert.equal(await next(child), 'held');
	return child;
}

const next = (child: ChildProcess): Promise<unknown> =>
	new Promise((resolve, reject) => {
		child.once('message', resolve);
		child.once('exit', () => reject(new Error('the holder has ended')));
	});

const posixOnly = process.platform === 'win32' ? 'no signals there' : false;

test('the lock of a killed process is free at once, that of a stopped one is not', {
	skip: posixOnly,
}, async () => {
	const path = join(folder, 'killed.lock');
	const child = await hold(path);
	child.kill('SIGSTOP');
	const waits: (number | undefined)[] = [];
	const stop = new AbortController();
	const onWait = (owner: { readonly pid: number } | undefined, waitedMs: number) => {
		waits.push(owner?.pid);
		// Longer than anybody's silence is borne whose life is not known.
		if (waitedMs > 2000) stop.abort();
	};
	await assert.rejects(lockFile(path, { silentMs: 500, onWait, signal: stop.signal }), {
		code: 'cancelled',
	});
	assert.ok(waits.length > 2 && waits.every((pid) => pid === child.pid), String(waits));
	child.kill('SIGKILL');
	await using lock = await lockFile(path, { waitMs: 5000 });
	assert.ok(await lock.held());
});

test('whoever lost a lock hears of it', async () => {
	const path = join(folder, 'lost.lock');
	const child = await hold(path);
	const told = next(child);
	await writeFile(path, JSON.stringify({ ...thisProcess(), token: 'of another' }));
	assert.equal(await told, 'lost');
	child.kill('SIGKILL');
	assert.match(await readFile(path, 'utf8'), /of another/);
});

test('a lock whose file was deleted is taken again by who holds it', async () => {
	const path = join(folder, 'deleted.lock');
	const child = await hold(path);
	const lost = next(child);
	await rm(path);
	let owner: unknown;
	const waiting = new AbortController();
	await until('it is back', async () => {
		// There may be nothing yet of what is being written.
		owner = await readFile(path, 'utf8').then(
			(text) => (JSON.parse(text || '{}') as { readonly pid?: number }).pid,
			() => undefined,
		);
		return owner !== undefined;
	});
	assert.equal(owner, child.pid);
	const onWait = () => waiting.abort();
	await assert.rejects(lockFile(path, { onWait, signal: waiting.signal }), { code: 'cancelled' });
	const nothing = Symbol('nothing');
	assert.equal(await Promise.race([lost, Promise.resolve(nothing)]), nothing);
	lost.catch(() => {});
	child.kill('SIGKILL');
});

test('a lock that is touched belongs to somebody, whoever that is', async () => {
	const path = join(folder, 'foreign.lock');
	const child = await hold(path);
	const owner = JSON.parse(await readFile(path, 'utf8')) as object;
	await writeFile(path, JSON.stringify({ ...owner, host: 'another', space: 'another' }));
	const stop = new AbortController();
	await assert.rejects(
		lockFile(path, {
			silentMs: 3000,
			signal: stop.signal,
			onWait: (_owner, waitedMs) => {
				if (waitedMs > 6000) stop.abort();
			},
		}),
		{ code: 'cancelled' },
	);
	child.kill('SIGKILL');
	await using _lock = await lockFile(path, { silentMs: 500, waitMs: 30_000 });
});

test('a process is told from a later one with its number', {
	skip: process.platform === 'linux' ? false : 'only Linux says when a process began',
}, () => {
	const here = thisProcess();
	assert.equal(lives(here), true);
	assert.equal(lives({ ...here, began: '1' }), false);
	assert.equal(lives({ ...here, host: 'another' }), undefined);
	assert.equal(lives({ ...here, space: 'another' }), undefined);
	assert.equal(lives({ ...here, pid: 999_999_999 }), false);
});
