/** What earlier tries have left in the folder of a build: what is not planned goes, what is finished is known again. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readModelJson } from '../../hub/modelData/readModelFile.ts';
import { defined } from '../../protocol/defined.ts';
import type { BuiltLoss } from '../../protocol/index.ts';
import { listFolder } from '../../store/listFolder.ts';
import { removePath } from '../../store/movePath.ts';
import { originName, readBuiltLoss } from '../modelFiles/builtLoss.ts';
import { fileBytes } from './sources/bytes.ts';

/** Small files by path, with `/` between folders and file. */
export type SmallFiles = ReadonlyMap<string, string | Uint8Array>;

/** Removes all that has another path than these; folders stay. */
export async function removeOthers(
	folder: string,
	paths: ReadonlySet<string>,
	prefix = '',
): Promise<void> {
	const entries = await listFolder(folder).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return [];
		throw error;
	});
	for (const { name, kind } of entries) {
		const path = `${prefix}${name}`;
		if (kind === 'folder') await removeOthers(join(folder, name), paths, `${path}/`);
		else if (!paths.has(path)) await removePath(join(folder, name), { force: true });
	}
}

export interface FinishedPlan {
	readonly files: SmallFiles;
	/** Path of the file of weights and its bytes. */
	readonly data: { readonly path: string; readonly bytes: number };
	/** What is to stand in `nearglot-origin.json`, without the loss. */
	readonly origin: object;
}

async function wholeFile(path: string): Promise<Uint8Array> {
	await using file = await fileBytes(path);
	// Waited for here, while it is open.
	return await file.read(0, file.size);
}

/** What a folder that is just what would be built says of itself; `undefined` for any other. */
export async function finishedIn(
	folder: string,
	{ files, data, origin }: FinishedPlan,
): Promise<{ readonly loss?: BuiltLoss } | undefined> {
	const found = await stat(join(folder, data.path)).catch(() => undefined);
	if (found?.size !== data.bytes) return undefined;
	for (const [path, content] of files) {
		const bytes = await wholeFile(join(folder, path)).catch(() => undefined);
		if (bytes === undefined || !Buffer.from(content as Uint8Array).equals(bytes)) return undefined;
	}
	const said = await readModelJson(folder, originName).catch(() => undefined);
	if (said === undefined) return undefined;
	const { loss: _, ...rest } = said;
	if (!isDeepStrictEqual(rest, JSON.parse(JSON.stringify(origin)))) return undefined;
	return defined({ loss: await readBuiltLoss(folder) });
}
