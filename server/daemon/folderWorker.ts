/** Entry point of the thread that reads one model's folder. */

import { parentPort, workerData } from 'node:worker_threads';
import { toErrorWire } from '../protocol/errorWire.ts';
import { type FolderAnswer, type FolderTask, folderJobs } from './folderJobs.ts';

if (parentPort) {
	const port = parentPort;
	const { job, given } = workerData as FolderTask;
	const run = folderJobs[job] as (...given: FolderTask['given']) => Promise<unknown>;
	run(...given)
		.then(
			(value): FolderAnswer => ({ value }),
			(error: unknown): FolderAnswer => ({ error: toErrorWire(error) }),
		)
		.then((answer) => port.postMessage(answer));
}
