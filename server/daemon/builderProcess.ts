/**
 * The daemon's side of a build: a process of its own for each, one at a time, because it takes all processors.
 * The process has no network, no secret and one folder to write to; bytes of a hub it asks for here.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { usableMemory } from '../net/usableMemory.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, fromErrorWire, systemReason, toErrorWire } from '../protocol/index.ts';
import { endCodeText, endsOutOfMemory, saysOutOfMemory } from '../protocol/outOfMemory.ts';
import type { Logger } from '../services/logger.ts';
import type {
	BuildFacts,
	BuildListener,
	BuildRequest,
	BuildResult,
	ModelBuilder,
	ReadableBytes,
} from '../services/modelBuilder.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { startFolder } from '../store/nativePath.ts';
import {
	type BuilderTask,
	type FromBuilder,
	messageBytes,
	type ToBuilder,
} from './builderProtocol.ts';
import { saidLast } from './lastWords.ts';
import { onProcessEnd } from './processEnd.ts';
import type { RunnerCommand } from './runnerProcess.ts';

export interface BuilderDeps {
	/** Command of a process that may write to a folder. */
	readonly command: (folder: string) => RunnerCommand;
	readonly log: Logger;
	/** Bytes of memory that can be had now; default: of this machine. */
	readonly usableBytes?: () => Promise<number>;
	/** Milliseconds without a word after which the process is ended; default 10 minutes. */
	readonly silenceMs?: number;
}

/** Between asking a process to end and ending it. */
const graceMs = 3000;
const keptErrorChars = 4000;
/** What a process that was taken over by what it reads may ask for: bytes of one piece, of all at once, and pieces. */
const maxReadBytes = 512 * 2 ** 20;
const maxPendingBytes = 2 * maxReadBytes;
const maxReads = 64;

export function createModelBuilder(deps: BuilderDeps): ModelBuilder {
	const [plans, builds] = [new Turns(), new Turns()];
	return {
		build: async ({ plan, ...request }, listener, signal) => {
			const work = () => run(deps, request, listener, signal);
			// It takes seconds; builds, which may take hours, are not waited for.
			if (plan === true) return await plans.take(request.model, work, signal);
			return await builds.take(request.model, work, signal, (model) => listener.onWait?.(model));
		},
	};
}

/** One after the other. */
class Turns {
	#last: Promise<unknown> = Promise.resolve();
	#running: string | undefined;

	/** @param onWait told whose turn it is, where that is waited for */
	async take<Result>(
		name: string,
		work: () => Promise<Result>,
		signal: AbortSignal,
		onWait?: (running: string) => void,
	): Promise<Result> {
		if (this.#running !== undefined) onWait?.(this.#running);
		const before = this.#last;
		const { promise: turn, resolve: pass } = Promise.withResolvers<void>();
		this.#last = turn;
		try {
			await untilAborted(before, signal);
		} catch (error) {
			// Whoever comes next still waits for those before.
			void before.then(() => pass());
			throw error;
		}
		this.#running = name;
		try {
			return await work();
		} finally {
			this.#running = undefined;
			pass();
		}
	}
}

/** @throws AppError `cancelled` as soon as the signal says so */
async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
	const { promise: left, reject } = Promise.withResolvers<never>();
	const leave = () => reject(new AppError('cancelled'));
	if (signal.aborted) leave();
	signal.addEventListener('abort', leave, { once: true });
	try {
		await Promise.race([work, left]);
	} finally {
		signal.removeEventListener('abort', leave);
	}
	if (signal.aborted) throw new AppError('cancelled');
}

async function run(
	{ command, log, usableBytes = usableMemory, silenceMs = 600_000 }: BuilderDeps,
	request: BuildRequest,
	listener: BuildListener,
	signal: AbortSignal,
): Promise<BuildResult | undefined> {
	makeFolder(request.root);
	// Rights are bound to places, not to links that lead there.
	const root = realpathSync(request.root);
	const { file, args, env } = command(root);
	const child = spawn(file, args, {
		env,
		cwd: startFolder(root),
		stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
		serialization: 'advanced',
		windowsHide: true,
	});
	const stop = new AbortController();
	const reading = AbortSignal.any([signal, stop.signal]);
	let stderr = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		stderr = (stderr + text).slice(-keptErrorChars);
	});
	let onSilence = () => {};
	let silence = setTimeout(() => onSilence(), silenceMs);
	const { source } = request;
	const files = source.kind === 'files' ? source.files : [];
	try {
		return await new Promise<BuildResult | undefined>((resolve, reject) => {
			let facts: BuildFacts | undefined;
			reading.addEventListener('abort', () => reject(new AppError('cancelled')), { once: true });
			child.once('error', (error) =>
				reject(failed(request, `could not be started: ${systemReason(error) ?? error.message}`)),
			);
			onProcessEnd(child, (code, ended) => reject(endOf(request, stderr, code, ended)));
			const heard = () => {
				clearTimeout(silence);
				silence = setTimeout(() => onSilence(), silenceMs);
			};
			let reads = 0;
			let pending = 0;
			// What is waited for may be the hub, which has limits of its own.
			onSilence = () => {
				if (reads > 0) heard();
				else reject(failed(request, 'has not got on for a long time and was ended'));
			};
			child.on('message', (message: FromBuilder) => {
				heard();
				switch (message.type) {
					case 'read':
						pending += message.length;
						if (
							++reads > maxReads ||
							!(message.length <= maxReadBytes) ||
							!(pending <= maxPendingBytes)
						) {
							reject(failed(request, 'has asked for more than it may'));
							return;
						}
						// What is waited for is the hub, not the process.
						void answerRead(child, files[message.file], message, reading).finally(() => {
							reads--;
							pending -= message.length;
							heard();
						});
						return;
					case 'plan':
						facts = message.facts;
						listener.onPlan(message.facts).then((wanted) => {
							if (wanted) send(child, { type: 'go' });
							else resolve(undefined);
						}, reject);
						return;
					case 'memory':
						usableBytes().then(
							(bytes) => send(child, { type: 'memory', usableBytes: bytes }),
							reject,
						);
						return;
					case 'progress':
						listener.onProgress(message.progress);
						return;
					case 'done':
						resolve(facts && { ...facts, ...defined({ loss: message.loss }) });
						return;
					case 'error':
						if (message.stack !== undefined)
							log.error('building failed', { model: request.model, stack: message.stack });
						reject(fromErrorWire(message.error));
				}
			});
			send(child, { type: 'start', task: taskOf(request, root) });
		});
	} finally {
		onSilence = () => {};
		stop.abort();
		await end(child);
		clearTimeout(silence);
	}
}

function taskOf({ source, model: _, ...given }: BuildRequest, root: string): BuilderTask {
	const real = (path: string) => join(root, relative(given.root, path));
	const task = {
		...given,
		root,
		target: real(given.target),
		...(given.sides === undefined ? {} : { sides: real(given.sides) }),
	};
	return source.kind === 'path'
		? { ...task, source }
		: {
				...task,
				source: { ...source, files: source.files.map(({ name, size }) => ({ name, size })) },
			};
}

async function answerRead(
	child: ChildProcess,
	file: ReadableBytes | undefined,
	{ id, offset, length }: { readonly id: number; readonly offset: number; readonly length: number },
	signal: AbortSignal,
): Promise<void> {
	try {
		if (file === undefined) throw new AppError('internal', 'There is no such file.');
		const bytes = await file.read(offset, length, signal);
		for (let at = 0; at === 0 || at < bytes.length; at += messageBytes) {
			send(child, { type: 'bytes', id, bytes: bytes.subarray(at, at + messageBytes) });
			await new Promise(setImmediate);
		}
	} catch (error) {
		send(child, { type: 'unread', id, error: toErrorWire(error) });
	}
}

function send(child: ChildProcess, message: ToBuilder): void {
	// A process that is gone says so by 'close'.
	if (child.connected) child.send(message, () => {});
}

/** The process ends with its channel; one that does not is killed. */
async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
	const { promise: ended, resolve } = Promise.withResolvers<void>();
	child.once('exit', () => resolve());
	if (child.connected) child.disconnect();
	const grace = new AbortController();
	await Promise.race([ended, sleep(graceMs, undefined, { signal: grace.signal }).catch(() => {})]);
	grace.abort();
	child.kill('SIGKILL');
	await ended;
}

function endOf(
	request: BuildRequest,
	stderr: string,
	code: number | null,
	signal: NodeJS.Signals | null,
): AppError {
	if (saysOutOfMemory(stderr) || endsOutOfMemory(code))
		return new AppError(
			'out_of_memory',
			`Building '${request.model}' ran out of memory. Unload models or close programs, then try again: it goes on where it was.`,
		);
	return failed(
		request,
		signal === 'SIGKILL'
			? 'was killed from outside, perhaps by the system because memory ran out'
			: signal !== null
				? `was ended by ${signal}`
				: `ended with code ${endCodeText(code)}`,
		signal === 'SIGKILL' ? '' : saidLast(stderr),
	);
}

/** @param said a sentence of its own, which begins with a blank */
function failed({ model }: BuildRequest, what: string, said = ''): AppError {
	return new AppError(
		'runner_crashed',
		`The process that builds '${model}' ${what}.${said} Try again: it goes on where it was.`,
	);
}
