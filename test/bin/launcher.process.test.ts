/** The launcher under a Node that is too old: what it starts has its signals, its end and its exit code. */

import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const skip = { skip: process.platform === 'win32' && 'Windows has no signals', timeout: 60_000 };
const launcher = join(import.meta.dirname, '..', '..', 'bin', 'nearglot.cjs');

/** Stands for the server: says its id, and every signal. The last argument says what ends it, and how. */
const server = `
const [how, value] = process.argv.slice(2);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {
	console.log(signal);
	if (how === 'exit') process.exit(Number(value));
});
if (how === 'at-once') process.exit(Number(value));
if (how === 'killed') process.kill(process.pid, value);
setInterval(() => {}, 1000);
console.log(process.pid);
`;
/** Makes the Node of these tests look old to the launcher, where there is no old one. */
const pretend =
	"if (!process.send) Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });";

/** A Node on this machine that cannot run the server. */
function oldNode(): string | undefined {
	return (process.env['PATH'] ?? '')
		.split(delimiter)
		.map((folder) => join(folder, 'node'))
		.filter((file) => existsSync(file))
		.find((file) => {
			const [, major, minor] = /^v(\d+)\.(\d+)/.exec(String(spawnSync(file, ['-v']).stdout)) ?? [];
			return Number(major) < 22 || (Number(major) === 22 && Number(minor) < 19);
		});
}

const root = temporaryFolder('launcher');
let node: readonly [string, ...string[]];
before(async () => {
	if (skip.skip) return;
	const fetched = `.runtime/node_modules/node-${process.platform}-${process.arch}/bin/node`;
	for (const folder of ['bin', 'dist', dirname(fetched)])
		await mkdir(join(root, folder), { recursive: true });
	await copyFile(launcher, join(root, 'bin', 'nearglot.cjs'));
	await writeFile(join(root, 'dist', 'server.cjs'), server);
	await symlink(process.execPath, join(root, fetched));
	await writeFile(join(root, 'pretend.cjs'), pretend);
	const old = oldNode();
	node = old === undefined ? [process.execPath, '--require', join(root, 'pretend.cjs')] : [old];
});
/** All that was started; nothing of it outlives the tests. */
const started = new Set<number>();
after(async () => {
	for (const pid of started)
		try {
			process.kill(pid, 'SIGKILL');
		} catch {
			// It has ended.
		}
	if (root !== undefined) await rm(root, { recursive: true, force: true });
});

interface Launched {
	readonly child: ChildProcessByStdio<null, Readable, null>;
	/** Id of the process with the server. */
	readonly pid: number;
	/** The next line of the server; `undefined` once it has ended. */
	line(): Promise<string | undefined>;
}

async function launch(...args: readonly string[]): Promise<Launched> {
	const [file, ...options] = node;
	const child = spawn(file, [...options, join(root, 'bin', 'nearglot.cjs'), ...args], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const line = async () => (await lines.next()).value as string | undefined;
	if (child.pid !== undefined) started.add(child.pid);
	const pid = Number(await line());
	if (pid > 0) started.add(pid);
	return { child, pid, line };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
	test(`${signal} reaches the server, and its exit code comes back`, skip, async () => {
		const { child, pid, line } = await launch('exit', '7');
		assert.notEqual(pid, child.pid);
		child.kill(signal);
		assert.equal(await line(), signal);
		assert.deepEqual(await once(child, 'exit'), [7, null]);
	});

test('the server is told to end when the launcher is killed', skip, async () => {
	const { child, line } = await launch('exit', '0');
	child.kill('SIGKILL');
	assert.equal(await line(), 'SIGTERM');
	assert.equal(await line(), undefined, 'it has ended: nobody holds its output');
});

test('a server that ends by itself, or by a signal, takes the launcher with it', skip, async () => {
	const ended = await launch('at-once', '3');
	assert.deepEqual(await once(ended.child, 'exit'), [3, null]);
	const killed = await launch('killed', 'SIGKILL');
	assert.deepEqual(await once(killed.child, 'exit'), [null, 'SIGKILL']);
});
