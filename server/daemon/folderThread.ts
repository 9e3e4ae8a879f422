/**
 * Reads model folders for lists and descriptions of models. Small files are read at once; where one is
 * large, the folder is read in a thread, one folder at a time, so that nobody waits for its parser.
 */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../protocol/errors.ts';
import { fromErrorWire } from '../protocol/errorWire.ts';
import { limitAltogether } from '../work/computingLimit.ts';
import { type FolderAnswer, type FolderJobs, type FolderTask, folderJobs } from './folderJobs.ts';

/** Larger files in bytes are parsed aside. */
const largeFile = 256 * 1024;
/** The largest files that are read at all take a small part of both. */
const limits = { computingMs: 60_000, memoryMb: 2048 };

/** Jobs that read the vocabulary, too; the others leave it to the load of the model. */
const readsVocabulary: ReadonlySet<keyof FolderJobs> = new Set(['languages']);
const vocabularies: ReadonlySet<string> = new Set([
	'tokenizer.json',
	'vocab.json',
	'target_vocab.json',
	'nearglot-lexicon.json',
]);

async function isLarge(folder: string, job: keyof FolderJobs): Promise<boolean> {
	const names = await readdir(folder).catch(() => []);
	const read = names.filter(
		(name) => name.endsWith('.json') && (readsVocabulary.has(job) || !vocabularies.has(name)),
	);
	const sizes = await Promise.all(
		read.map((name) =>
			stat(join(folder, name)).then(
				({ size }) => size,
				() => 0,
			),
		),
	);
	return sizes.some((size) => size > largeFile);
}

let last: Promise<unknown> = Promise.resolve();

async function run(task: FolderTask): Promise<unknown> {
	if (!(await isLarge(task.given[0], task.job))) {
		const here = folderJobs[task.job] as (...given: FolderTask['given']) => Promise<unknown>;
		return here(...task.given);
	}
	const made = last.then(() => inThread(task));
	last = made.catch(() => {});
	return made;
}

async function inThread(task: FolderTask): Promise<unknown> {
	const bundled = import.meta.url.endsWith('.cjs');
	const file = new URL(bundled ? './folder-worker.cjs' : './folderWorker.ts', import.meta.url);
	const worker = new Worker(file, {
		workerData: task,
		stdout: true,
		resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
	});
	const tooExpensive = (what: string) =>
		new AppError(
			'unsupported_model',
			`Reading the files of the model took too much ${what}. Take another build of the model.`,
		);
	try {
		const answer = await new Promise<FolderAnswer>((resolve, reject) => {
			limitAltogether(worker, limits.computingMs, () => reject(tooExpensive('computing')));
			worker.once('message', resolve);
			worker.once('error', (error: NodeJS.ErrnoException) =>
				reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooExpensive('memory') : error),
			);
			worker.once('exit', () => reject(new Error('The thread that reads a model has ended.')));
		});
		if ('error' in answer) throw fromErrorWire(answer.error);
		return answer.value;
	} finally {
		await worker.terminate();
	}
}

/** The jobs, wherever they are done. */
export const foldersInWorker: FolderJobs = {
	describe: (folder) => run({ job: 'describe', given: [folder] }) as never,
	profile: (folder, template) => run({ job: 'profile', given: [folder, template] }) as never,
	languages: (folder, name) => run({ job: 'languages', given: [folder, name] }) as never,
};
