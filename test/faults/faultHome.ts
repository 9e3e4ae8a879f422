/** A data folder in which something is wrong, and what the real command line or server says of it. */

import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requestShutdown } from '../../server/daemon/daemonConnection.ts';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import { gone } from '../support/home.ts';
import { programArgs } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Nobody in particular: who has no rights that were not given. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

export interface Said {
	/** What went to standard error, or the message of an HTTP answer. */
	readonly message: string;
	/** Whether it did what was asked. */
	readonly done: boolean;
}

export interface RunOptions {
	readonly env?: NodeJS.ProcessEnv;
	/** As a user without rights; of the folders only those given to it are its own. */
	readonly plainUser?: boolean;
	/** Longest file it may write, in blocks of 512 bytes: what a full disk is, where none can be mounted. */
	readonly fileBlocks?: number;
	readonly input?: string;
}

export class FaultHome implements AsyncDisposable {
	readonly folder: string;
	/** The data folder. */
	readonly data: string;

	private constructor(folder: string) {
		this.folder = folder;
		this.data = join(folder, 'data');
	}

	static async make(): Promise<FaultHome> {
		const folder = temporaryFolder('fault');
		chmodSync(folder, 0o755);
		const home = new FaultHome(folder);
		home.dir('data');
		return home;
	}

	/** Makes a file below the folder, with whatever leads to it. */
	file(path: string, content: string | Uint8Array = 'not what belongs here', mode = 0o644): string {
		const full = join(this.folder, path);
		mkdirSync(dirname(full), { recursive: true });
		writeFileSync(full, content);
		chmodSync(full, mode);
		return this.#give(full);
	}

	dir(path: string, mode = 0o700): string {
		const full = join(this.folder, path);
		mkdirSync(full, { recursive: true });
		chmodSync(full, mode);
		return this.#give(full);
	}

	/** Runs the command line to its end. */
	async run(args: readonly string[], options: RunOptions = {}): Promise<Said> {
		const env = {
			...process.env,
			NEARGLOT_HOME: this.data,
			HOME: this.folder,
			...options.env,
		};
		const command = [process.execPath, ...programArgs(...args)];
		if (options.plainUser === true && isRoot)
			command.unshift('setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups');
		if (options.fileBlocks !== undefined)
			command.unshift('sh', '-c', `ulimit -f ${options.fileBlocks}; exec "$@"`, 'sh');
		const [file = '', ...rest] = command;
		const child = spawn(file, rest, { env, cwd: this.folder, stdio: 'pipe' });
		let stdout = '';
		let stderr = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			stdout += text;
			// A server that could start says so; there is nothing more to hear.
			if (args[0] === 'serve' && !args.includes('--background')) child.kill();
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			stderr += text;
		});
		child.stdin.on('error', () => {});
		child.stdin.end(options.input ?? '');
		const code = await new Promise((resolve) => child.once('close', resolve));
		const failed = /FAILED: (.*)/.exec(stdout)?.[1];
		const fault = /^\{"error":\{.*?"message":"((?:[^"\\]|\\.)*)"/.exec(stdout)?.[1];
		return { message: stderr || (failed ?? fault ?? stdout), done: code === 0 };
	}

	/** Starts the server of this folder in the background; resolves to what its routes say. */
	async serve(options: RunOptions = {}): Promise<(path: string, body: unknown) => Promise<Said>> {
		const started = await this.run(['models', 'list'], options);
		const daemon = await findDaemon({ NEARGLOT_HOME: this.data });
		if (!daemon) throw new Error(`The server did not start: ${started.message}`);
		const { url, key } = daemon.endpoint;
		return async (path, body) => {
			const isForm = body instanceof FormData;
			const response = await fetch(new URL(path, url), {
				method: body === undefined ? 'GET' : 'POST',
				headers: {
					authorization: `Bearer ${key}`,
					...(isForm || body === undefined ? {} : { 'content-type': 'application/json' }),
				},
				...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
			});
			const text = await response.text();
			const found = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
			const message = found === undefined ? text : (JSON.parse(`"${found}"`) as string);
			return { message, done: response.ok && found === undefined };
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const running = await findDaemon({ NEARGLOT_HOME: this.data }).catch(() => undefined);
		if (running) {
			await requestShutdown(running.endpoint, false);
			await gone(running.endpoint.pid);
		}
		await rm(this.folder, { recursive: true, force: true });
	}

	/** To the user without rights, where there is another one. */
	#give(path: string): string {
		if (isRoot) chownSync(path, nobody, nobody);
		return path;
	}
}
