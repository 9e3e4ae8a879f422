/** A contestant: a process of its own that loads a model and answers measurements one at a time. */

import { fork } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { telemetryOff } from '../server/engine/runtime/telemetry.ts';

const here = dirname(fileURLToPath(import.meta.url));

export class Contestant {
	values = [];
	loadMs = 0;
	#child;
	#waiting;

	constructor(entry, options) {
		this.entry = entry;
		this.options = options;
	}

	async start() {
		this.#child = fork(join(here, this.entry.worker), [], {
			execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc'],
			// The peers load an ONNX Runtime of their own.
			env: { ...process.env, ...telemetryOff, UV_THREADPOOL_SIZE: '8', ...this.entry.env },
			serialization: 'advanced',
			// What a contestant prints is not part of the report.
			stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
		});
		this.#child.on('message', (message) => {
			const waiting = this.#waiting;
			this.#waiting = undefined;
			if (message.error) waiting?.reject(new Error(message.error));
			else waiting?.resolve(message.result);
		});
		this.#child.once('exit', (code, signal) => {
			this.#waiting?.reject(new Error(`ended with ${signal ?? code}`));
		});
		const { loadMs } = await this.#ask({ type: 'load', ...this.options, ...this.entry.load });
		this.loadMs = loadMs;
	}

	/** One measurement; `round` varies the prompts so that nothing is remembered by accident. */
	measure(round) {
		return this.#ask({ type: 'measure', round, ...this.entry.task });
	}

	residentBytes() {
		return this.#ask({ type: 'memory' }).catch(() => Number.NaN);
	}

	async stop() {
		if (this.#child === undefined || this.#child.exitCode !== null) return;
		const ended = new Promise((resolve) => this.#child.once('exit', resolve));
		this.#child.kill('SIGKILL');
		await ended;
	}

	#ask(message) {
		return new Promise((resolve, reject) => {
			this.#waiting = { resolve, reject };
			this.#child.send(message);
		});
	}
}
