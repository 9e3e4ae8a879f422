/**
 * What comparing rewritten graphs with published ones has found, by model folder. One small file in the
 * data folder, so that nothing is written beside models and no model says anything of another.
 */

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Verdict } from '../engine/api.ts';
import { errno } from '../protocol/index.ts';
import { changeFile } from '../store/changeFile.ts';
import { readPlainText } from '../store/files.ts';
import { realPath } from '../store/realPath.ts';

/** Models beyond this are forgotten, the longest unused first. */
export const maxModels = 256;
/** A model has a few, for each of its precisions and providers. */
export const maxVerdicts = 32;
/** One is some 150 characters; a runner may be taken over by its model and send anything. */
const maxChars = 1000;

/** Folder → verdicts; the last one was used last. */
type Kept = Map<string, readonly Verdict[]>;

export class VerdictFile {
	readonly path: string;

	/** @param dataDir the folder of the user's data */
	constructor(dataDir: string) {
		this.path = join(dataDir, 'verdicts.json');
	}

	/** Those of the model in a folder; none where the file cannot be read. */
	async of(folder: string): Promise<readonly Verdict[]> {
		return (await this.#read()).get(await placeOf(folder)) ?? [];
	}

	/**
	 * After a load: keeps what it has found, and that the model was used.
	 * @throws AppError `disk_full`, `store_unavailable`
	 */
	async keep(folder: string, found: readonly unknown[]): Promise<void> {
		const place = await placeOf(folder);
		await this.#change((kept) => {
			const verdicts = new Map((kept.get(place) ?? []).map((verdict) => [verdict.of, verdict]));
			for (const verdict of found.flatMap(parseVerdict)) {
				verdicts.delete(verdict.of);
				verdicts.set(verdict.of, verdict);
			}
			kept.delete(place);
			if (verdicts.size > 0) kept.set(place, [...verdicts.values()].slice(-maxVerdicts));
			for (const oldest of [...kept.keys()].slice(0, -maxModels)) kept.delete(oldest);
		});
	}

	/** Forgets models whose folder is not there any more. */
	async forgetGone(): Promise<void> {
		const folders = [...(await this.#read()).keys()];
		const gone = (await Promise.all(folders.map(isGone))).flatMap((is, at) =>
			is ? [folders[at] as string] : [],
		);
		if (gone.length === 0) return;
		await this.#change((kept) => {
			for (const folder of gone) kept.delete(folder);
		});
	}

	async #read(): Promise<Kept> {
		return parse(await readPlainText(this.path).catch(() => undefined));
	}

	async #change(change: (kept: Kept) => void): Promise<void> {
		await changeFile(this.path, (text) => {
			const kept = parse(text);
			change(kept);
			const next = `${JSON.stringify([...kept], null, '\t')}\n`;
			return next === text || (text === undefined && kept.size === 0) ? undefined : next;
		});
	}
}

/** However a folder is named, it is the same model. */
async function placeOf(folder: string): Promise<string> {
	const full = resolve(folder);
	return realPath(full).catch(() => full);
}

async function isGone(folder: string): Promise<boolean> {
	return stat(folder).then(
		(found) => !found.isDirectory(),
		(error) => ['ENOENT', 'ENOTDIR'].includes(errno(error) ?? ''),
	);
}

/** What is absent or damaged is found again. */
function parse(text: string | undefined): Kept {
	const kept: Kept = new Map();
	try {
		for (const [folder, verdicts] of JSON.parse(text ?? '[]') as [unknown, unknown][])
			if (typeof folder === 'string' && Array.isArray(verdicts))
				kept.set(folder, verdicts.flatMap(parseVerdict));
	} catch {
		kept.clear();
	}
	return kept;
}

function parseVerdict(value: unknown): Verdict[] {
	const { of, key, refusal } = (value ?? {}) as Partial<Record<keyof Verdict, unknown>>;
	if (typeof of !== 'string' || typeof key !== 'string') return [];
	const verdict: Verdict = { of, key };
	if (refusal === undefined) return within(verdict);
	const { change, reason } = (refusal ?? {}) as Record<string, unknown>;
	if (typeof change !== 'string' || typeof reason !== 'string') return [];
	return within({ ...verdict, refusal: { change, reason } });
}

function within(verdict: Verdict): Verdict[] {
	return JSON.stringify(verdict).length <= maxChars ? [verdict] : [];
}
