/** A daemon of its own for a measurement: real processes, a data folder that is thrown away. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { selfCommand } from '../../server/daemon/machine.ts';

export interface MeasuredDaemon {
	readonly url: string;
	readonly key: string;
	readonly pid: number;
	/** Where files are that are on their way: its own folder for them, and the system's as it sees it. */
	readonly temporary: readonly string[];
	/** Longest block of each second since `sinceMs`, of processes of a role (`serve`, `runner`). */
	blocks(role: string, sinceMs: number): Block[];
	/** Ends it; resolves to its exit code. */
	stop(): Promise<number | null>;
}

export interface DaemonOptions {
	/** Name → folder of a model that is copied in under that name. */
	readonly models?: Readonly<Record<string, string>>;
	readonly serveArgs?: readonly string[];
	/** More of the environment. */
	readonly env?: NodeJS.ProcessEnv;
}

/** A second of an event loop. */
export interface Block {
	readonly longestMs: number;
	/** Longest time the process itself computed without a turn of the loop. */
	readonly busyMs: number;
}

/** Starts `nearglot serve` with a probe of its event loop. */
export async function startDaemon(options: DaemonOptions = {}): Promise<MeasuredDaemon> {
	const home = mkdtempSync(join(tmpdir(), 'nearglot-soak-'));
	const models = join(home, 'own-models');
	mkdirSync(models);
	for (const [name, folder] of Object.entries(options.models ?? {}))
		cpSync(folder, join(models, name), { recursive: true });
	const temporary = [join(home, 'tmp'), join(home, 'system-tmp')];
	for (const folder of temporary) mkdirSync(folder, { mode: 0o700 });
	const probe = join(home, 'loop.jsonl');
	const preload = pathToFileURL(fileURLToPath(new URL('./loopProbe.mjs', import.meta.url))).href;
	const args = ['serve', '--json', '--port', '0', '--models', models, ...(options.serveArgs ?? [])];
	const command = selfCommand(args, {
		...process.env,
		...options.env,
		NEARGLOT_HOME: home,
		TMPDIR: temporary[1],
		NEARGLOT_LOOP_PROBE: probe,
		NODE_OPTIONS: `--import=${preload}`,
	});
	// Killed runners are part of the plan; what the daemon says of them is not for the screen.
	const log = openSync(join(home, 'stderr.log'), 'w');
	const child = spawn(command.file, command.args, {
		env: command.env,
		stdio: ['ignore', 'pipe', log],
	});
	closeSync(log);
	const { url, key, pid } = await readyLine(child);
	const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
	return {
		url,
		key,
		pid,
		temporary,
		blocks: (role, sinceMs) => blocksIn(probe, role, sinceMs),
		stop: async () => {
			child.kill('SIGTERM');
			const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
			const code = await closed;
			clearTimeout(timer);
			rmSync(home, { recursive: true, force: true });
			return code;
		},
	};
}

function blocksIn(file: string, role: string, sinceMs: number): Block[] {
	let text = '';
	try {
		text = readFileSync(file, 'utf8');
	} catch {
		return [];
	}
	return text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as Block & { at: number; role: string })
		.filter((entry) => entry.role === role && entry.at - 1000 >= sinceMs)
		.map(({ longestMs, busyMs }) => ({ longestMs, busyMs }));
}

function readyLine(child: ChildProcess): Promise<{ url: string; key: string; pid: number }> {
	return new Promise((resolve, reject) => {
		let text = '';
		child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
			text += chunk;
			const end = text.indexOf('\n');
			if (end >= 0) resolve(JSON.parse(text.slice(0, end)));
		});
		child.once('close', (code) => reject(new Error(`The daemon ended with ${code}: ${text}`)));
	});
}
