/** What a model in memory was loaded of, so that one whose files were replaced is told from the one that is there now. */

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelInfo } from '../protocol/index.ts';
import { listFolder } from '../store/listFolder.ts';

/** Files that no load reads, or of which it reads what {@link ModelInfo} has: notes, and what systems leave in folders. */
const unread =
	/^\.|^(desktop\.ini|thumbs\.db|nearglot(-origin)?\.json)$|^(README|LICEN[CS]E|NOTICE|USE_POLICY)|\.md$/i;

/** Folders inside each other: `onnx`, `1_Pooling`, those of parts. */
const maxDepth = 2;
/** A folder with more is none of a model alone; the first ones tell. */
const maxFiles = 2000;

/** Changes when a file does that a load reads: by name, size and time of the last change. */
export async function modelContentOf(
	folder: string,
	{ promptTemplate }: Pick<ModelInfo, 'promptTemplate'>,
): Promise<string> {
	const hash = createHash('sha256').update(JSON.stringify(promptTemplate ?? null));
	let left = maxFiles;
	const add = async (path: string, depth: number): Promise<void> => {
		const entries = await listFolder(join(folder, path)).catch(() => []);
		for (const { name, kind } of entries) {
			if (unread.test(name) || left <= 0) continue;
			const inner = path === '' ? name : `${path}/${name}`;
			if (kind === 'folder') {
				if (depth < maxDepth) await add(inner, depth + 1);
				continue;
			}
			left--;
			const found = await stat(join(folder, inner)).catch(() => undefined);
			hash.update(`\n${JSON.stringify([inner, found?.size, found?.mtimeMs])}`);
		}
	};
	await add('', 0);
	return hash.digest('hex');
}
