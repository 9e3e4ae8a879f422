/** Entry point of the decoding thread: opens the file it was started for and writes its samples to another. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError, asAppError, toErrorWire } from '../protocol/index.ts';
import { fileSource } from './audioSource.ts';
import { decodeAudio } from './decodeAudio.ts';
import { type DecodeJob, type DecodeMessage, pieceBytes, pieceSamples } from './decodeMessages.ts';

/** The places of the target, filled in turn and again when the reader has freed them. */
class PieceWriter {
	readonly #file: number;
	readonly #places: number;
	readonly #send: (message: DecodeMessage) => void;
	readonly #piece = new Float32Array(pieceSamples);
	#filled = 0;
	#written = 0;
	#freed = 0;
	#wake: () => void = () => {};

	constructor({ target, places }: DecodeJob, send: (message: DecodeMessage) => void) {
		this.#file = openSync(target, 'wx', 0o600);
		this.#places = places;
		this.#send = send;
	}

	free(): void {
		this.#freed++;
		this.#wake();
	}

	async add(samples: Float32Array): Promise<void> {
		for (let at = 0; at < samples.length; ) {
			const part = samples.subarray(at, at + pieceSamples - this.#filled);
			this.#piece.set(part, this.#filled);
			this.#filled += part.length;
			at += part.length;
			if (this.#filled === pieceSamples) await this.flush();
		}
	}

	async flush(): Promise<void> {
		if (this.#filled === 0) return;
		if (this.#written - this.#freed >= this.#places) this.#send({ kind: 'ahead' });
		while (this.#written - this.#freed >= this.#places)
			await new Promise<void>((resolve) => (this.#wake = resolve));
		const bytes = new Uint8Array(this.#piece.buffer, 0, this.#filled * 4);
		writeWhole(this.#file, bytes, (this.#written++ % this.#places) * pieceBytes);
		this.#send({ kind: 'samples', count: this.#filled });
		this.#filled = 0;
	}

	close(): void {
		closeSync(this.#file);
	}
}

function writeWhole(file: number, bytes: Uint8Array, position: number): void {
	try {
		for (let at = 0; at < bytes.length; )
			at += writeSync(file, bytes, at, bytes.length - at, position + at);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
		throw new AppError('disk_full', 'There is no disk space left for the sound of the recording.', {
			cause: error,
		});
	}
}

async function work(job: DecodeJob): Promise<void> {
	const port = parentPort;
	if (port === null) return;
	const send = (message: DecodeMessage) => port.postMessage(message);
	try {
		const writer = new PieceWriter(job, send);
		port.on('message', () => writer.free());
		try {
			await using source = await fileSource(job.path);
			const { info, samples } = await decodeAudio(source, { maximumS: job.maximumS });
			send({ kind: 'info', info });
			for await (const block of samples) await writer.add(block);
			await writer.flush();
		} finally {
			writer.close();
		}
		// Both files are closed by now: the thread may be ended after this message.
		send({ kind: 'end' });
	} catch (error) {
		send({ kind: 'error', error: toErrorWire(asAppError(error)) });
	} finally {
		port.close();
	}
}

void work(workerData as DecodeJob);
