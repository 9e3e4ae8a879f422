/** Entry point of the decoding thread: opens the file it was started for and sends samples on demand. */

import { parentPort, workerData } from 'node:worker_threads';
import { asAppError, toErrorWire } from '../protocol/index.ts';
import { fileSource } from './audioSource.ts';
import { decodeAudio } from './decodeAudio.ts';
import type { DecodeJob, DecodeMessage } from './decodeMessages.ts';

/** Samples are collected to about a second before they are sent. */
const pieceSamples = 16_384;
/** Pieces on their way that nobody has asked for yet. */
const sentAhead = 8;

async function work(job: DecodeJob): Promise<void> {
	const port = parentPort;
	if (port === null) return;
	const send = (message: DecodeMessage, transfer: ArrayBuffer[] = []) =>
		port.postMessage(message, transfer);
	let credit = sentAhead;
	let wake: () => void = () => {};
	port.on('message', () => {
		credit++;
		wake();
	});
	const sendSamples = async (samples: Float32Array<ArrayBuffer>) => {
		while (credit <= 0) await new Promise<void>((resolve) => (wake = resolve));
		credit--;
		send({ kind: 'samples', samples }, [samples.buffer]);
	};
	try {
		send({ kind: 'ready' });
		await using source = await fileSource(job.path);
		const { info, samples } = await decodeAudio(source, { maximumS: job.maximumS });
		send({ kind: 'info', info });
		let piece = new Float32Array(pieceSamples);
		let filled = 0;
		for await (const block of samples) {
			for (let at = 0; at < block.length; ) {
				const part = block.subarray(at, at + pieceSamples - filled);
				piece.set(part, filled);
				filled += part.length;
				at += part.length;
				if (filled < pieceSamples) continue;
				await sendSamples(piece);
				piece = new Float32Array(pieceSamples);
				filled = 0;
			}
		}
		if (filled > 0) await sendSamples(piece.slice(0, filled));
		send({ kind: 'end' });
	} catch (error) {
		send({ kind: 'error', error: toErrorWire(asAppError(error)) });
	} finally {
		port.close();
	}
}

void work(workerData as DecodeJob);
