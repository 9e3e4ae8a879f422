/** Decodes images in threads of their own, which end with them: what a stranger made has a time and a memory. */

import { Worker } from 'node:worker_threads';
import { AppError, fromErrorWire } from '../../protocol/index.ts';
import { ComputingTimer } from '../../work/computingLimit.ts';
import type { ImageAnswer, ImageJob } from './imageMessages.ts';
import type { PixelTensor } from './pixelTensor.ts';

/** Processor time of one image, in milliseconds: ten times what the largest take. */
const usualDeadlineMs = 30_000;
const maxMemoryMb = 1024;

/** In the sources this file has a neighbour; in the bundle everything lies beside the server. */
function workerFile(): URL {
	const bundled = !import.meta.url.endsWith('.ts');
	return new URL(bundled ? './image-worker.cjs' : './imageWorker.ts', import.meta.url);
}

/** @throws AppError `invalid_request` for a damaged image, `too_expensive`, `cancelled` */
export async function imagePixels(
	job: ImageJob,
	signal?: AbortSignal,
	deadlineMs = usualDeadlineMs,
): Promise<PixelTensor> {
	if (signal?.aborted) throw new AppError('cancelled');
	const worker = new Worker(workerFile(), {
		workerData: job,
		resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
		env: {},
		stdout: true,
		stderr: true,
	});
	const timer = new ComputingTimer(worker);
	let onAbort = () => {};
	try {
		return await new Promise<PixelTensor>((resolve, reject) => {
			const tooMuch = (cause?: unknown) =>
				new AppError(
					'too_expensive',
					'An image needed too much time or memory to be decoded. Make it smaller.',
					{ param: 'messages', cause },
				);
			onAbort = () => reject(new AppError('cancelled'));
			signal?.addEventListener('abort', onAbort, { once: true });
			worker.on('message', (answer: ImageAnswer) => {
				if (answer.kind === 'pixels') resolve(answer.pixels);
				else reject(fromErrorWire(answer.error));
			});
			worker.on('error', (error) => reject(tooMuch(error)));
			worker.on('exit', () => reject(tooMuch()));
			timer.start(deadlineMs, () => reject(tooMuch()));
		});
	} finally {
		timer.stop();
		signal?.removeEventListener('abort', onAbort);
		await worker.terminate();
	}
}
