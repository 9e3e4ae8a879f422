/**
 * `npm run bench -- build [--gigabytes N] [--kills N] [--bars]`: builds a model whose weights are a hole in a file, in
 * a process of its own, and says what memory and processor time that took. Where this user may make a group with a
 * limit (cgroup v1), the process has no more than the bar. With `--kills`, another one is killed so often at
 * moments drawn by chance, and must give the same bytes.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
	createReadStream,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmdirSync,
	rmSync,
	statfsSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeSparseModel } from './sparseModel.ts';

const maxMegabytes = 600;
/** Of float16, on two cores. */
const maxSecondsPerGigabyte = 10;
const cores = 2;
/** What is written of each byte of float16, with room to spare. */
const writtenShare = 0.4;

interface Said {
	readonly phases: Readonly<
		Record<string, { readonly cpuSeconds: number; readonly peakMegabytes: number }>
	>;
	readonly loss: unknown;
}

export async function runBuildBench(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			gigabytes: { type: 'string', default: '8' },
			kills: { type: 'string', default: '0' },
			bars: { type: 'boolean', default: false },
		},
	});
	const gigabytes = Number(values.gigabytes);
	const kills = Number(values.kills);
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-build-'));
	const group = limitedGroup();
	try {
		const { bavail, bsize } = statfsSync(folder);
		const needed = gigabytes * 1e9 * writtenShare * (kills > 0 ? 2 : 1);
		if (bavail * bsize < needed) {
			console.log(`Left out: ${folder} has no ${(needed / 1e9).toFixed(1)} GB free.`);
			return 0;
		}
		const source = join(folder, 'source');
		writeSparseModel(source, gigabytes);
		const { build } = (await finished(start(source, join(folder, 'whole'), group))).phases;
		if (build === undefined) throw new Error('The build said nothing.');
		const perGigabyte = build.cpuSeconds / cores / gigabytes;
		console.log(
			`${gigabytes} GB of float16${group === undefined ? '' : `, limited to ${maxMegabytes} MB`}: ${build.peakMegabytes} MB, ${perGigabyte.toFixed(1)} s for a GB on ${cores} cores`,
		);
		const isRight = kills === 0 || (await survives(source, folder, kills));
		const isReached =
			build.peakMegabytes <= maxMegabytes && perGigabyte <= maxSecondsPerGigabyte && isRight;
		if (!isReached) console.log('A bar is not reached.');
		return isReached || !values.bars ? 0 : 1;
	} finally {
		rmSync(folder, { recursive: true, force: true });
		if (group !== undefined) rmdirSync(group);
	}
}

/** A group of processes with no more memory than the bar; `undefined` where none can be made. */
function limitedGroup(): string | undefined {
	const group = `/sys/fs/cgroup/memory/nearglot-${process.pid}`;
	try {
		mkdirSync(group);
		writeFileSync(join(group, 'memory.limit_in_bytes'), `${maxMegabytes}M`);
		return group;
	} catch {
		// Measured without a limit then.
		return undefined;
	}
}

function start(source: string, target: string, group?: string): ChildProcess {
	const script = fileURLToPath(new URL('./child.ts', import.meta.url));
	const child = fork(script, [source, target], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
	if (group !== undefined) writeFileSync(join(group, 'cgroup.procs'), String(child.pid));
	return child;
}

async function finished(child: ChildProcess): Promise<Said> {
	let said = '';
	child.stdout?.setEncoding('utf8').on('data', (text: string) => {
		said += text;
	});
	const [code, signal] = await once(child, 'close');
	if (code !== 0) throw new Error(`The build ended with ${signal ?? code}.`);
	return JSON.parse(said) as Said;
}

/** Whether a build that is killed again and again gives the bytes of the one that was not. */
async function survives(source: string, folder: string, kills: number): Promise<boolean> {
	const target = join(folder, 'killed');
	for (let kill = 0; kill < kills; kill++) {
		const child = start(source, target);
		const until = (kill + Math.random()) / kills;
		child.on('message', (share) => {
			if (Number(share) >= until) child.kill('SIGKILL');
		});
		const [, signal] = await once(child, 'close');
		console.log(`killed at ${(100 * until).toFixed(1)} %: ${signal ?? 'it was finished before'}`);
		if (signal === null) break;
	}
	if (!readdirSync(folder).includes('killed')) await finished(start(source, target));
	const [whole, killed] = await Promise.all(
		['whole', 'killed'].map((name) => hashOf(join(folder, name, 'onnx', 'model_q4.onnx_data'))),
	);
	console.log(whole === killed ? 'the same bytes' : 'OTHER BYTES');
	return whole === killed;
}

async function hashOf(path: string): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
	return hash.digest('hex');
}
