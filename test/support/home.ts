/** A data folder of its own for tests of real processes, and the way to end what they started. */

import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { requestShutdown } from '../../server/daemon/daemonConnection.ts';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import { isAlive } from '../../server/store/processIdentity.ts';
import { programArgs } from './program.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { until } from './until.ts';

export interface Home {
	readonly folder: string;
	readonly env: NodeJS.ProcessEnv;
	/** Runs the command line to its end. */
	run(
		args: readonly string[],
		input?: string | Uint8Array,
		more?: NodeJS.ProcessEnv,
	): Promise<Finished>;
	/** Starts the command line and leaves it running. */
	start(args: readonly string[], more?: NodeJS.ProcessEnv): ChildProcess;
	close(): Promise<void>;
}

export interface Finished {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/**
 * @param entry of another installation than this checkout
 * @param place folder in which the data folder is made
 */
export async function newHome(
	more: NodeJS.ProcessEnv = {},
	entry?: string,
	place = tmpdir(),
): Promise<Home> {
	const folder = temporaryFolder('home', place);
	const env = { ...process.env, NEARGLOT_HOME: folder, ...more };
	const started: ChildProcess[] = [];
	const start = (args: readonly string[], more: NodeJS.ProcessEnv = {}) => {
		const own = entry === undefined ? programArgs(...args) : [entry, ...args];
		const child = spawn(process.execPath, own, { env: { ...env, ...more }, stdio: 'pipe' });
		started.push(child);
		return child;
	};
	return {
		folder,
		env,
		start,
		run: (args, input = '', more = {}) =>
			new Promise((resolve) => {
				const child = start(args, more);
				let stdout = '';
				let stderr = '';
				child.stdout?.setEncoding('utf8').on('data', (text: string) => {
					stdout += text;
				});
				child.stderr?.setEncoding('utf8').on('data', (text: string) => {
					stderr += text;
				});
				child.stdin?.on('error', () => {});
				child.stdin?.end(input);
				child.once('close', (code) => resolve({ code, stdout, stderr }));
			}),
		close: async () => {
			const running = await findDaemon(env);
			if (running) {
				await requestShutdown(running.endpoint, false);
				await gone(running.endpoint.pid);
			}
			for (const child of started) if (child.exitCode === null) child.kill('SIGKILL');
			await rm(folder, { recursive: true, force: true, maxRetries: 20 });
		},
	};
}

/** Waits until a process has ended. */
export async function gone(pid: number): Promise<void> {
	await until(`process ${pid} has ended`, () => !isAlive(pid));
}

/** The first line a process writes, parsed. */
export function firstLine(child: ChildProcess): Promise<Record<string, unknown>> {
	return new Promise((resolve, reject) => {
		let text = '';
		child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
			text += chunk;
			const end = text.indexOf('\n');
			if (end >= 0) resolve(JSON.parse(text.slice(0, end)));
		});
		child.once('close', (code) => reject(new Error(`Ended with ${code}: ${text}`)));
	});
}
