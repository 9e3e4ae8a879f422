/** Describes a model in a thread without the hooks of the test runner, which make many small steps slow. */

import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';

/** The problems of the model in a folder, and how often others had a turn while it was read. */
export async function describeAlone(
	folder: string,
): Promise<{ problems: string[]; turns: number }> {
	const worker = new Worker(new URL(import.meta.url), { workerData: folder });
	const [answer] = await once(worker, 'message');
	return answer;
}

if (!isMainThread && parentPort !== null) {
	let turns = 0;
	let isReading = true;
	const count = () => {
		turns++;
		if (isReading) setImmediate(count);
	};
	setImmediate(count);
	const { problems } = await describeModel(workerData);
	isReading = false;
	parentPort.postMessage({ problems, turns });
}
