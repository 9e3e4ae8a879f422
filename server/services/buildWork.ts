/** Where a model is built and how: the folder of what is unfinished, and the flags that an earlier try was given. */

import { join } from 'node:path';
import type { DownloadEvent } from '../hub/downloadModel.ts';
import type { BuiltFrom } from '../hub/manifest.ts';
import { modelPaths } from '../hub/placeModel.ts';
import { begunFlags, noteFlags, unlessEmpty } from '../hub/unfinished.ts';
import { Disposals } from '../protocol/disposals.ts';
import { AppError } from '../protocol/index.ts';
import { lockFile } from '../store/lock.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { removePath } from '../store/movePath.ts';
import { makeHiddenFolder } from '../store/scratch.ts';
import type { LicenceChoice } from './licenceCheck.ts';

export interface BuildPlace {
	readonly modelsFolder: string;
	/** Name of the model's own folder in it. */
	readonly folderName: string;
	/** Called before the finished model takes the place of an older one: whoever has its files open closes them. */
	readonly release?: () => Promise<void>;
}

/** How it is built, and whether at all. */
export interface BuildFlags extends LicenceChoice {
	/** More bits where they tell. */
	readonly quality?: boolean;
	/** Keeps the numbers of the source. */
	readonly keep?: boolean;
	/** Tells the plan, and ends. */
	readonly plan?: boolean;
}

/** More bits, and the numbers of the source as they are, cannot both be had. */
export const excluding = (): AppError =>
	new AppError(
		'invalid_request',
		"'quality' and 'keep' exclude each other: either numbers get more bits, or they stay as they are.",
		{ param: 'quality' },
	);

interface WorkPlace extends AsyncDisposable {
	/** Folder of what is unfinished. */
	readonly partial: string;
}

/**
 * The folder to work in, until disposed: what has come into it stays for the next try, nobody else works there
 * meanwhile. A plan has one of its own, which goes with it, so that it waits for no build.
 */
export async function workPlace(
	{ modelsFolder, folderName }: BuildPlace,
	{ plan }: BuildFlags,
	emit: (event: DownloadEvent) => void,
	signal: AbortSignal,
): Promise<WorkPlace> {
	makeFolder(modelsFolder);
	if (plan === true) {
		const own = await makeHiddenFolder('plan', modelsFolder);
		const remove = () => removePath(own, { recursive: true, force: true });
		return { partial: join(own, 'model'), [Symbol.asyncDispose]: remove };
	}
	const { partial } = modelPaths(modelsFolder, folderName);
	await using held = new Disposals();
	held.use(
		await lockFile(`${partial}.lock`, {
			signal,
			onWait: (owner, waitedMs) => {
				if (waitedMs === 0) emit({ type: 'waiting', ownerPid: owner?.pid });
			},
		}),
	);
	held.use(unlessEmpty(partial));
	const all = held.move();
	return { partial, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() };
}

/**
 * What a request leaves out is as it was asked for when this was begun, else as the model here was built.
 * @param source what is built of
 * @throws AppError `invalid_request` for two that exclude each other
 */
export async function flagsOf(
	partial: string,
	source: string,
	{ quality, keep, plan = false }: BuildFlags,
	before: BuiltFrom | undefined,
	emit: (event: DownloadEvent) => void,
): Promise<Pick<BuiltFrom, 'quality' | 'keep'>> {
	if (quality === true && keep === true) throw excluding();
	const isAsked = quality !== undefined || keep !== undefined;
	const begun = isAsked ? undefined : await begunFlags(partial, source);
	const asked = isAsked ? { quality, keep } : (begun ?? before ?? {});
	const flags = {
		...(asked.quality === true ? { quality: true } : {}),
		...(asked.keep === true ? { keep: true } : {}),
	};
	if (!isAsked && (flags.quality ?? flags.keep ?? false))
		emit({
			type: 'notice',
			notice: `As ${begun === undefined ? 'at the last time' : 'it was begun'}, ${flags.keep ? "its numbers stay as precise as they are ('keep')" : "it gets more bits ('quality')"}; ${flags.keep ? '--no-keep' : '--no-quality'} makes the usual form of it.`,
		});
	if (!plan) await noteFlags(partial, { source, ...flags });
	return flags;
}
