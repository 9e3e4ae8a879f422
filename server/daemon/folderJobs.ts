/** What is read of a model's folder to list and show it; each job gives plain values that threads can exchange. */

import { describeModel } from '../engine/modelFiles/describe.ts';
import type { ErrorWire } from '../protocol/errorWire.ts';
import { readModelLanguages } from '../translate/modelPairs.ts';
import { readProfile } from './modelProfile.ts';

export const folderJobs = {
	describe: describeModel,
	profile: readProfile,
	languages: readModelLanguages,
} as const;

export type FolderJobs = typeof folderJobs;

/** What a thread is started with. */
export interface FolderTask {
	readonly job: keyof FolderJobs;
	readonly given: readonly [folder: string, ...rest: (string | undefined)[]];
}

export type FolderAnswer = { readonly value: unknown } | { readonly error: ErrorWire };
