/** `nearglot.json` in a downloaded model's folder: what it is, where it came from, what must be there. */

import { join } from 'node:path';
import type { ModelTask, Precision, PromptTemplate } from '../protocol/index.ts';
import { movePath } from '../store/movePath.ts';
import { openPath } from '../store/openPath.ts';
import { readModelJson } from './modelData/readModelFile.ts';

/** What a model was built of, where it was not published as it is. */
export interface BuiltFrom {
	readonly format: 'gguf' | 'safetensors' | 'marian';
	readonly files: readonly {
		readonly path: string;
		readonly sizeBytes: number;
		readonly sha256?: string;
	}[];
	/** Files beside the weights, such as the tokenizer, each with a hash of its content; absent in earlier manifests. */
	readonly sides?: readonly { readonly path: string; readonly hash: string }[];
	readonly quality?: boolean;
	readonly keep?: boolean;
}

export interface Manifest {
	/** `name:version` of the catalogue, or of the hub id for models outside it. */
	readonly id: string;
	readonly name: string;
	readonly version: string;
	readonly alias: string;
	readonly displayName: string;
	readonly repository: string;
	/** Branch, tag or commit that was asked for; absent: the main branch. */
	readonly revision?: string;
	/** Folder inside the repository that was asked for; `''` for its root. Absent in manifests of earlier versions. */
	readonly path?: string;
	readonly commit: string;
	readonly hub: string;
	readonly license?: string;
	readonly publisher?: string;
	readonly providerType?: string;
	/** Used instead of the model's own chat template. */
	readonly promptTemplate?: PromptTemplate;
	/** Hub id of the model it was made from. */
	readonly parent?: string;
	readonly languages?: readonly string[];
	readonly task?: ModelTask;
	readonly precision?: Precision;
	readonly files: readonly {
		readonly path: string;
		readonly sizeBytes: number;
		readonly sha256?: string;
		/** The hub stated no hash: only the size was compared. */
		readonly unverified?: boolean;
	}[];
	readonly builtFrom?: BuiltFrom;
	/** ISO 8601. */
	readonly downloadedAt: string;
}

/** Of the file. */
export const manifestName = 'nearglot.json';

/** The manifest of a folder, or `undefined` when there is none or it cannot be read. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
	try {
		const value = (await readModelJson(folder, manifestName)) as Partial<Manifest> | undefined;
		if (typeof value?.id !== 'string' || !Array.isArray(value.files)) return undefined;
		return value as Manifest;
	} catch {
		// A folder without a manifest is a model that somebody put there; it is recognised by its files.
		return undefined;
	}
}

/** Writes the manifest last and atomically: its presence says that the model is complete. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
	const path = join(folder, manifestName);
	const handle = await openPath(`${path}.new`, 'w');
	try {
		await handle.writeFile(`${JSON.stringify(manifest, null, '\t')}\n`);
		await handle.sync();
	} finally {
		await handle.close();
	}
	await movePath(`${path}.new`, path);
}
