/**
 * Decodes a file in a thread of its own: the process stays responsive, and a decoder that a crafted
 * file sends into a loop is ended after a few seconds.
 */

import { Worker } from 'node:worker_threads';
import { AppError, fromErrorWire } from '../protocol/index.ts';
import type { DecodedAudio } from './decodeAudio.ts';
import type { DecodeJob, DecodeMessage } from './decodeMessages.ts';

/** Starting a thread and compiling the decoders may take this long on a busy machine. */
const startMs = 30_000;

export interface ThreadedOptions {
	/** Longest recording in seconds. */
	readonly maximumS: number;
	/** A decoder that gives nothing for this long is stuck. */
	readonly stallMs?: number;
	/** Heap of the thread in MB. */
	readonly memoryMb?: number;
}

/**
 * As {@link decodeAudio} for a file. Rejects with `invalid_audio`, `payload_too_large`, `not_found`
 * or `cancelled`; the same errors may come while iterating.
 */
export async function decodeInThread(
	path: string,
	{ maximumS, stallMs = 4000, memoryMb = 256 }: ThreadedOptions,
	signal?: AbortSignal,
): Promise<DecodedAudio> {
	if (signal?.aborted) throw new AppError('cancelled');
	const thread = new DecodeThread({ path, maximumS }, stallMs, memoryMb, signal);
	try {
		await thread.expect('ready', startMs);
		const { info } = await thread.expect('info', stallMs);
		return { info, samples: thread.samples(), close: () => thread.end() };
	} catch (error) {
		await thread.end();
		throw error;
	}
}

/** In the sources this file has a neighbour; in the bundle everything lies beside the server. */
function workerFile(): URL {
	const bundled = !import.meta.url.endsWith('.ts');
	return new URL(bundled ? './audio-worker.cjs' : './decodeWorker.ts', import.meta.url);
}

type MessageOf<K extends DecodeMessage['kind']> = Extract<DecodeMessage, { kind: K }>;

class DecodeThread {
	readonly #worker: Worker;
	readonly #stallMs: number;
	readonly #signal: AbortSignal | undefined;
	readonly #inbox: (DecodeMessage | AppError)[] = [];
	#wake: () => void = () => {};
	readonly #onAbort = () => this.#fail(new AppError('cancelled'));

	constructor(job: DecodeJob, stallMs: number, memoryMb: number, signal: AbortSignal | undefined) {
		this.#stallMs = stallMs;
		this.#signal = signal;
		this.#worker = new Worker(workerFile(), {
			workerData: job,
			resourceLimits: { maxOldGenerationSizeMb: memoryMb },
			// The decoders print their complaints; what matters of them is in the error.
			stdout: true,
			stderr: true,
		});
		this.#worker.stdout.resume();
		this.#worker.stderr.resume();
		this.#worker.on('message', (message: DecodeMessage) => this.#put(message));
		this.#worker.on('error', (cause) =>
			this.#fail(
				new AppError('invalid_audio', 'The recording is damaged: its decoder gave up.', { cause }),
			),
		);
		this.#worker.on('exit', () =>
			this.#fail(
				new AppError('invalid_audio', 'The recording is damaged: its decoder ended early.'),
			),
		);
		signal?.addEventListener('abort', this.#onAbort, { once: true });
	}

	#put(message: DecodeMessage | AppError): void {
		this.#inbox.push(message);
		this.#wake();
	}

	#fail(error: AppError): void {
		if (error.code === 'cancelled') this.#inbox.length = 0;
		this.#put(error);
	}

	async #take(limitMs: number): Promise<DecodeMessage> {
		if (this.#inbox.length === 0) {
			await new Promise<void>((resolve) => {
				const timer = setTimeout(() => {
					this.#inbox.push(
						new AppError(
							'invalid_audio',
							`The recording is damaged: its decoder did not get on for ${limitMs / 1000} s.`,
						),
					);
					resolve();
				}, limitMs);
				this.#wake = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
		const message = this.#inbox.shift() as DecodeMessage | AppError;
		if (message instanceof AppError) throw message;
		if (message.kind === 'error') throw fromErrorWire(message.error);
		return message;
	}

	async expect<K extends DecodeMessage['kind']>(kind: K, limitMs: number): Promise<MessageOf<K>> {
		const message = await this.#take(limitMs);
		if (message.kind !== kind)
			throw new AppError('internal', `The decoding thread sent '${message.kind}' for '${kind}'.`);
		return message as MessageOf<K>;
	}

	async *samples(): AsyncGenerator<Float32Array> {
		try {
			for (;;) {
				const message = await this.#take(this.#stallMs);
				if (message.kind === 'end') return;
				if (message.kind !== 'samples') continue;
				this.#worker.postMessage('more');
				yield message.samples;
			}
		} finally {
			await this.end();
		}
	}

	async end(): Promise<void> {
		this.#signal?.removeEventListener('abort', this.#onAbort);
		this.#worker.removeAllListeners('error').on('error', () => {});
		await this.#worker.terminate();
	}
}
