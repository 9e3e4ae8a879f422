/**
 * The daemon's side of a runner: starts the process, carries calls, notices that it crashed, hangs
 * or ran out of memory, and turns that into a typed error for the calls it was serving.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { telemetryOff } from '../engine/runtime/telemetry.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, type ErrorWire, fromErrorWire, systemReason } from '../protocol/index.ts';
import { endCodeText, endsOutOfMemory, saysOutOfMemory } from '../protocol/outOfMemory.ts';
import type { Logger } from '../services/logger.ts';
import { notify } from '../store/notices.ts';
import { saidLast } from './lastWords.ts';
import { onProcessEnd } from './processEnd.ts';
import {
	type FromRunner,
	hasBatchPriority,
	type RunnerCalls,
	type RunnerMethod,
	type ToRunner,
} from './runnerProtocol.ts';
import { type RunnerWatch, stuckMs, watchRunner } from './runnerWatch.ts';

export interface RunnerCommand {
	readonly file: string;
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
	/** Folder the process is in and has for itself; removed when it has ended. */
	readonly scratch?: string;
}

export interface RunnerOptions {
	/** Name of the model, for messages. */
	readonly model: string;
	readonly command: RunnerCommand;
	readonly log: Logger;
	/** How its runner is watched. */
	readonly watch?: Partial<RunnerWatch>;
}

interface PendingCall {
	readonly method: RunnerMethod;
	readonly isBackground: boolean;
	resolve(value: unknown): void;
	reject(error: unknown): void;
	onEvent(event: unknown): void;
}

/** Of requests that come closer to each other the first is announced. */
const betweenExpectedMs = 10;

/** Bytes of standard error kept for the message of a crash. */
const keptErrorChars = 4000;

export class RunnerProcess {
	readonly pid: number;
	/** Resolves with the reason when the process has ended, for whatever cause. */
	readonly ended: Promise<AppError>;
	readonly #child: ChildProcess;
	readonly #options: RunnerOptions;
	readonly #pending = new Map<number, PendingCall>();
	#nextId = 1;
	#stderr = '';
	#failure: AppError | undefined;
	#watch: Disposable | undefined;
	/** Counts what it tells of the work it was given. */
	#received = 0;
	#closing = false;
	#expectedAt = Number.NEGATIVE_INFINITY;

	constructor(options: RunnerOptions) {
		this.#options = options;
		const { file, args, env, scratch } = options.command;
		this.#child = spawn(file, args, {
			env: { ...env, ...telemetryOff },
			...defined({ cwd: scratch }),
			stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
			serialization: 'advanced',
			windowsHide: true,
		});
		this.pid = this.#child.pid ?? 0;
		this.#child.on('message', (messages) => {
			for (const message of messages as readonly FromRunner[]) this.#receive(message);
		});
		this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
			this.#stderr = (this.#stderr + text).slice(-keptErrorChars);
			options.log.debug('runner says', { model: options.model, text: text.slice(0, 500) });
		});
		this.ended = new Promise((resolve) => {
			const end = (reason: AppError) => {
				this.#watch?.[Symbol.dispose]();
				this.#failure ??= reason;
				for (const call of this.#pending.values()) call.reject(this.#failure);
				this.#pending.clear();
				if (scratch !== undefined) removeScratch(scratch);
				resolve(this.#failure);
			};
			this.#child.once('error', (error) =>
				end(this.#crash(`could not be started: ${systemReason(error) ?? error.message}`)),
			);
			onProcessEnd(this.#child, (code, signal) => end(this.#exitReason(code, signal)));
		});
	}

	/** Calls a method of the runner. Aborting asks the runner to stop and waits for its word. */
	call<M extends RunnerMethod>(
		method: M,
		request: RunnerCalls[M]['request'],
		onEvent: (event: RunnerCalls[M]['event']) => void = () => {},
		signal?: AbortSignal,
	): Promise<RunnerCalls[M]['result']> {
		if (signal?.aborted) return Promise.reject(new AppError('cancelled'));
		if (this.#failure) return Promise.reject(this.#failure);
		const id = this.#nextId++;
		const cancel = () => this.#send({ type: 'cancel', id });
		const done = new Promise<RunnerCalls[M]['result']>((resolve, reject) => {
			this.#pending.set(id, {
				method,
				isBackground: hasBatchPriority(request),
				resolve: (value) => resolve(value as RunnerCalls[M]['result']),
				reject,
				onEvent: (event) => onEvent(event as RunnerCalls[M]['event']),
			});
		});
		signal?.addEventListener('abort', cancel, { once: true });
		this.#send({ type: 'call', id, method, request });
		return done
			.catch((error) => {
				const unasked = error instanceof AppError && error.code === 'cancelled' && !signal?.aborted;
				throw unasked ? unloaded(this.#options.model) : error;
			})
			.finally(() => signal?.removeEventListener('abort', cancel));
	}

	/** Somebody's request has come that may be one for this model: its background work waits for it a little. */
	expect(): void {
		const now = performance.now();
		if (now - this.#expectedAt < betweenExpectedMs) return;
		if (![...this.#pending.values()].some(({ isBackground }) => isBackground)) return;
		this.#expectedAt = now;
		this.#send({ type: 'expect' });
	}

	/** Ends the process: in good order first, by force after the grace time. */
	async close(graceMs = 5000): Promise<void> {
		this.#closing = true;
		this.#watch?.[Symbol.dispose]();
		const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
		this.call('close', undefined).catch(() => {});
		await this.ended;
		clearTimeout(timer);
	}

	/** Ends the process at once. */
	kill(reason: AppError): void {
		this.#failure ??= reason;
		this.#child.kill('SIGKILL');
	}

	#send(message: ToRunner): void {
		if (!this.#child.connected) return;
		this.#child.send(message, (error) => {
			if (error && message.type === 'call')
				this.#settle(message.id)?.reject(
					this.#crash(`cannot be reached: ${systemReason(error) ?? error.message}`),
				);
		});
	}

	#receive(message: FromRunner): void {
		if (this.#pending.get(message.id)?.method !== 'ping') this.#received++;
		if (message.type === 'event') this.#pending.get(message.id)?.onEvent(message.event);
		else if (message.type === 'result') this.#settle(message.id)?.resolve(message.value);
		else {
			const { model, log } = this.#options;
			const stack = message.stack?.slice(0, keptErrorChars);
			if (stack !== undefined) log.error('runner failed', { model, stack });
			this.#settle(message.id)?.reject(fromErrorWire(message.error satisfies ErrorWire));
		}
	}

	#settle(id: number): PendingCall | undefined {
		const call = this.#pending.get(id);
		this.#pending.delete(id);
		return call;
	}

	/**
	 * Begins to ask whether the runner still answers and gets on; called when the model is loaded, because a
	 * load has a time limit of its own and may well block.
	 *
	 * @param isBlocking its steps keep it from answering, however long they are
	 */
	watch(isBlocking: boolean): void {
		const { model, log, watch } = this.#options;
		this.#watch = watchRunner({
			...watch,
			...(isBlocking ? { silentMs: watch?.stuckMs ?? stuckMs } : {}),
			ping: () => this.call('ping', undefined),
			received: () => this.#received,
			isWorking: () => [...this.#pending.values()].some(({ method }) => method !== 'ping'),
			onSilence: (limitMs) =>
				notify(
					`Waiting for the model ${model}: its process ${this.pid} does not answer. It is ended when it has not for ${Math.round(limitMs / 1000)} s.`,
				),
			onHang: (what) => {
				log.error('runner hangs', { model, pid: this.pid });
				this.kill(this.#crash(`${what} and was ended`));
			},
		});
	}

	#exitReason(code: number | null, signal: NodeJS.Signals | null): AppError {
		if (saysOutOfMemory(this.#stderr) || endsOutOfMemory(code))
			return new AppError(
				'out_of_memory',
				`The model '${this.#options.model}' ran out of memory and was unloaded. Unload other models or use a smaller one, then try again.`,
			);
		if (this.#closing) return unloaded(this.#options.model);
		if (signal === 'SIGKILL')
			return this.#crash('was killed from outside, perhaps by the system because memory ran out');
		return this.#crash(
			signal ? `was ended by ${signal}` : `ended with code ${endCodeText(code)}`,
			saidLast(this.#stderr),
		);
	}

	/** @param said a sentence of its own, which begins with a blank */
	#crash(what: string, said = ''): AppError {
		return new AppError(
			'runner_crashed',
			`The process running '${this.#options.model}' ${what}.${said} The next request loads the model again.`,
		);
	}
}

function removeScratch(folder: string): void {
	try {
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	} catch {
		// Empty unless something went wrong; the system clears its temp folder.
	}
}

function unloaded(model: string): AppError {
	return new AppError(
		'runner_crashed',
		`The model '${model}' was unloaded while it was answering. The next request loads it again.`,
	);
}
