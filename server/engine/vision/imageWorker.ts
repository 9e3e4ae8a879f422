/** Entry point of the thread that decodes one image and makes the encoder's pixels of it. */

import { parentPort, workerData } from 'node:worker_threads';
import { asAppError, toErrorWire } from '../../protocol/index.ts';
import { decodeImage } from './decodeImage.ts';
import type { ImageAnswer, ImageJob } from './imageMessages.ts';
import { pixelTensor } from './pixelTensor.ts';

async function work({ bytes, header, plan, layout }: ImageJob): Promise<void> {
	const answer = (message: ImageAnswer, transfer: ArrayBuffer[] = []) =>
		parentPort?.postMessage(message, transfer);
	try {
		const pixels = pixelTensor(await decodeImage(bytes, header), plan, layout);
		answer({ kind: 'pixels', pixels }, [pixels.data.buffer]);
	} catch (error) {
		answer({ kind: 'error', error: toErrorWire(asAppError(error)) });
	}
}

void work(workerData as ImageJob);
