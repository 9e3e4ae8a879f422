/** Runs a build: tells the plan, what it takes and how far it is. */

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkDisk, type DownloadEvent } from '../hub/downloadModel.ts';
import { textOnly } from '../hub/weightFiles.ts';
import { AppError, type DownloadProgress } from '../protocol/index.ts';
import { removePath } from '../store/movePath.ts';
import type { BuildFlags, BuildPlace } from './buildWork.ts';
import { checkLicence } from './licenceCheck.ts';
import type { Logger } from './logger.ts';
import type { BuildFacts, BuildRequest, FolderProgress, ModelBuilder } from './modelBuilder.ts';

export interface BuildDeps {
	readonly builder: ModelBuilder;
	/** Bytes of memory that this machine has. */
	readonly memoryBytes: () => number;
	/** Bytes a second that its memory gives. */
	readonly memorySpeed: () => Promise<number>;
	readonly now: () => number;
	/** Milliseconds of a clock that is never set. */
	readonly elapsed: () => number;
	readonly log?: Logger;
}

export interface RunnableBuild extends BuildPlace {
	readonly flags: BuildFlags;
	/** Whether a model that is here is built again, by a better recipe. */
	readonly isAgain?: boolean;
	/** Of what comes from a hub: where its licence can be read. */
	readonly page?: string;
}

/** Builds, tells the plan and how far it is; `undefined` when only the plan was wanted. */
export async function runBuild(
	{ builder, memoryBytes, memorySpeed, elapsed }: BuildDeps,
	request: BuildRequest,
	{ modelsFolder, folderName, flags, isAgain = false, page }: RunnableBuild,
	emit: (event: DownloadEvent) => void,
	signal: AbortSignal,
	startOf: (facts: BuildFacts) => {
		readonly repository: string;
		readonly totalBytes: number;
		readonly reason: string;
		readonly license?: string;
	},
): Promise<BuildFacts | undefined> {
	const progressOf = progressFrom(request, isAgain, elapsed);
	const work = builder.build(
		request,
		{
			onPlan: async (found) => {
				const { reason, ...start } = startOf(found);
				const part =
					found.isTextPart === true
						? ` ${textOnly('what it has for images or sound is left out')}`
						: '';
				const { architecture, parameters, sizeBytes, storedAs, tokenBytes } = found;
				const has = memoryBytes();
				if (found.memoryBytes > has)
					emit({
						type: 'notice',
						notice: `It takes about ${gigabytes(found.memoryBytes)} GB of memory while loaded, and this machine has ${gigabytes(has)} GB: it will hardly run here.`,
					});
				if (found.isUnchanged === true)
					emit({
						type: 'notice',
						notice: request.keep
							? "'keep' changes nothing here: all numbers are in blocks already and stay as they are."
							: "'quality' changes nothing here: there are no numbers that 4 bits would be made of.",
					});
				const { cutContext: cut } = found;
				if (cut !== undefined)
					emit({
						type: 'notice',
						notice: `It was published for texts of ${cut.published.toLocaleString('en')} tokens; up to ${cut.built.toLocaleString('en')} are built here.`,
					});
				emit({
					type: 'start',
					start: {
						model: request.model,
						...start,
						build: {
							reason: `${reason}${part}`,
							architecture,
							parameters,
							storedAs,
							sizeBytes,
							memoryBytes: found.memoryBytes,
							...(tokenBytes === undefined
								? {}
								: { tokensPerSecond: (await memorySpeed()) / tokenBytes }),
						},
					},
				});
				if (flags.plan === true) return false;
				if (page !== undefined) checkLicence(flags, start.license, { model: request.model, page });
				await checkDisk({ modelsFolder, folderName }, sizeBytes, await writtenIn(request));
				return true;
			},
			onProgress: (progress) => emit({ type: 'progress', progress: progressOf(progress) }),
			onWait: (model) =>
				emit({
					type: 'notice',
					notice: `${model} is being built just now; this begins when that has ended.`,
				}),
		},
		signal,
	);
	const facts = await work.catch(async (error: unknown) => {
		// What cannot be built is not gone on with.
		if (error instanceof AppError && error.code === 'unsupported_model')
			await removePath(request.root, { recursive: true, force: true }).catch(() => {});
		throw error;
	});
	if (flags.plan === true || facts === undefined) return undefined;
	const { loss, sizeBytes } = facts;
	if (loss !== undefined)
		emit({
			type: 'progress',
			progress: {
				...progressOf({ phase: 'check', doneBytes: sizeBytes, totalBytes: sizeBytes }),
				loss,
			},
		});
	return facts;
}

const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);

/** Bytes that an earlier try has written. */
export async function writtenIn({ target }: Pick<BuildRequest, 'target'>): Promise<number> {
	let bytes = 0;
	// What is being built, and what is finished and has not got its name.
	for (const folder of [join(dirname(target), '.building'), target]) {
		const names = await readdir(folder, { recursive: true }).catch(() => []);
		for (const name of names) {
			const file = await stat(join(folder, name)).catch(() => undefined);
			// A file has its full length from the beginning; what is written has blocks.
			if (file?.isFile()) bytes += (file.blocks ?? 0) * 512;
		}
	}
	return bytes;
}

function progressFrom({ model, origin }: BuildRequest, isAgain: boolean, elapsed: () => number) {
	const samples: { at: number; bytes: number }[] = [];
	const file = basename(origin.source);
	return ({ phase, doneBytes, totalBytes }: FolderProgress): DownloadProgress => {
		const at = elapsed();
		if ((samples.at(-1)?.bytes ?? 0) > doneBytes) samples.length = 0;
		samples.push({ at, bytes: doneBytes });
		while (samples.length > 2 && at - (samples[0]?.at ?? at) > 5000) samples.shift();
		const first = samples[0] ?? { at, bytes: doneBytes };
		return {
			model,
			file,
			phase,
			...(isAgain ? { again: true as const } : {}),
			fileFraction: totalBytes === 0 ? 1 : doneBytes / totalBytes,
			doneBytes,
			totalBytes,
			bytesPerSecond: at > first.at ? ((doneBytes - first.bytes) * 1000) / (at - first.at) : 0,
		};
	};
}
