/**
 * Decodes a file in a thread of its own: the process stays responsive, and a decoder that a crafted
 * file sends into a loop is ended. The samples wait on disk until somebody reads them.
 */

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, fromErrorWire } from '../protocol/index.ts';
import { removePath } from '../store/movePath.ts';
import { fillScratchFolder } from '../store/scratch.ts';
import { limitComputing } from '../work/computingLimit.ts';
import type { DecodedAudio } from './decodeAudio.ts';
import { type DecodeJob, type DecodeMessage, pieceBytes } from './decodeMessages.ts';
import { DecodeQueue } from './decodeQueue.ts';

export interface ThreadedOptions {
	/** Longest recording in seconds. */
	readonly maximumS: number;
	/** A decoder that gives nothing for so much processor time is stuck. */
	readonly computingMs?: number;
	/** Heap of the thread in MB. */
	readonly memoryMb?: number;
	/** Pieces of a second that are decoded before somebody reads them; a thread that is further waits. */
	readonly piecesAhead?: number;
	/** Folder for the sound. */
	readonly scratch: string;
	/** Where it waits for its turn. */
	readonly queue?: DecodeQueue;
	/** Program of the thread. */
	readonly program?: URL;
}

/** Eleven minutes, 42 MB: most recordings are decoded to their end, and their thread is gone, before they are heard. */
const defaultPiecesAhead = 640;

/**
 * As {@link decodeAudio} for a file. Rejects with `invalid_audio`, `payload_too_large`, `not_found`,
 * `disk_full`, `overloaded` or `cancelled`; the same errors may come while iterating.
 */
export async function decodeInThread(
	path: string,
	options: ThreadedOptions,
	signal?: AbortSignal,
): Promise<DecodedAudio> {
	const { maximumS, queue = new DecodeQueue(), piecesAhead: places = defaultPiecesAhead } = options;
	const place = await queue.enter(signal);
	try {
		return await fillScratchFolder('decoded', options.scratch, async (folder) => {
			const job = { path, maximumS, target: join(folder, 'samples'), places };
			const thread = new DecodeThread(job, options, () => place.rest(), signal);
			const close = async () => {
				await thread.end();
				place.leave();
				await removePath(folder, { recursive: true, force: true });
			};
			try {
				const { info } = await thread.expect('info');
				return { info, samples: samplesOf(thread, job, close), close };
			} catch (error) {
				await close();
				throw error;
			}
		});
	} catch (error) {
		place.leave();
		throw error;
	}
}

async function* samplesOf(
	thread: DecodeThread,
	{ target, places }: DecodeJob,
	close: () => Promise<void>,
): AsyncGenerator<Float32Array> {
	try {
		await using file = await open(target);
		for (let piece = 0; ; piece++) {
			const message = await thread.take();
			if (message.kind !== 'samples') return;
			const samples = new Float32Array(message.count);
			const position = (piece % places) * pieceBytes;
			await file.read(new Uint8Array(samples.buffer), 0, samples.byteLength, position);
			thread.freePlace();
			yield samples;
		}
	} finally {
		await close();
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
	readonly #signal: AbortSignal | undefined;
	readonly #inbox: (DecodeMessage | AppError)[] = [];
	#wake: () => void = () => {};
	readonly #onAbort = () => this.#fail(new AppError('cancelled'));

	/** @param onRest called when the thread has nothing left to decode ahead, or has ended */
	constructor(
		job: DecodeJob,
		{ computingMs = 10_000, memoryMb = 256, program = workerFile() }: ThreadedOptions,
		onRest: () => void,
		signal: AbortSignal | undefined,
	) {
		this.#signal = signal;
		this.#worker = new Worker(program, {
			workerData: job,
			resourceLimits: { maxOldGenerationSizeMb: memoryMb },
			// The decoders print their complaints; what matters of them is in the error.
			stdout: true,
			stderr: true,
		});
		this.#worker.stdout.resume();
		this.#worker.stderr.resume();
		let steps = 0;
		this.#worker.on('message', (message: DecodeMessage) => {
			steps++;
			if (message.kind === 'ahead') onRest();
			else this.#put(message);
		});
		this.#worker.on('error', (cause) => this.#damaged('gave up', cause));
		this.#worker.on('exit', () => {
			onRest();
			this.#damaged('ended early');
		});
		limitComputing(
			this.#worker,
			() => steps,
			computingMs,
			() => this.#damaged(`computed for ${computingMs / 1000} s and did not get on`),
		);
		signal?.addEventListener('abort', this.#onAbort, { once: true });
	}

	#damaged(what: string, cause?: unknown): void {
		const message = `The recording is damaged: its decoder ${what}.`;
		this.#fail(new AppError('invalid_audio', message, { cause }));
	}

	#put(message: DecodeMessage | AppError): void {
		this.#inbox.push(message);
		this.#wake();
	}

	#fail(error: AppError): void {
		if (error.code === 'cancelled') this.#inbox.length = 0;
		this.#put(error);
	}

	/** The next message. Throws what the thread threw. */
	async take(): Promise<DecodeMessage> {
		while (this.#inbox.length === 0)
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		const message = this.#inbox.shift() as DecodeMessage | AppError;
		if (message instanceof AppError) throw message;
		if (message.kind === 'error') throw fromErrorWire(message.error);
		return message;
	}

	async expect<K extends DecodeMessage['kind']>(kind: K): Promise<MessageOf<K>> {
		const message = await this.take();
		if (message.kind !== kind)
			throw new AppError('internal', `The decoding thread sent '${message.kind}' for '${kind}'.`);
		return message as MessageOf<K>;
	}

	/** What was read last is not needed any more. */
	freePlace(): void {
		this.#worker.postMessage('more');
	}

	async end(): Promise<void> {
		this.#signal?.removeEventListener('abort', this.#onAbort);
		this.#worker.removeAllListeners('error').on('error', () => {});
		await this.#worker.terminate();
	}
}
