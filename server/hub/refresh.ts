/**
 * What a hub adds to the bundled catalogue: commit, exact size and licence of every repository. Kept
 * in a file, so that the next start knows them offline. Nothing here is needed to work offline.
 */

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asAppError } from '../protocol/index.ts';
import { makePrivateDir, writePrivateFile } from '../store/files.ts';
import type { Catalogue, CatalogueVariant } from './catalogue.ts';
import type { HubHttp } from './http.ts';
import { readRepository } from './repository.ts';
import { selectFiles } from './select.ts';

/** What is known of one variant, by `name:version`. */
export interface KnownFacts {
	readonly commit: string;
	readonly sizeBytes: number;
	readonly license?: string;
	/** Hub id of the model that it was made from. */
	readonly parent?: string;
}

export interface RefreshFile {
	/** Address of the hub that said so. */
	readonly hub: string;
	/** ISO 8601. */
	readonly refreshedAt: string;
	readonly facts: Readonly<Record<string, KnownFacts>>;
}

export async function readRefresh(path: string): Promise<RefreshFile | undefined> {
	try {
		const value = JSON.parse(await readFile(path, 'utf8')) as Partial<RefreshFile>;
		return typeof value.facts === 'object' && value.facts !== null
			? (value as RefreshFile)
			: undefined;
	} catch {
		// No refresh yet: the bundled catalogue stands alone.
		return undefined;
	}
}

/** Asks the hub about every variant; what fails keeps its earlier facts. Resolves to the new file. */
export async function refreshCatalogue(
	http: HubHttp,
	catalogue: Catalogue,
	path: string,
	now: () => number,
	signal: AbortSignal,
): Promise<{ readonly file: RefreshFile; readonly failures: readonly string[] }> {
	const facts: Record<string, KnownFacts> = { ...(await readRefresh(path))?.facts };
	const failures: string[] = [];
	const byRepository = new Map<string, CatalogueVariant[]>();
	for (const variant of catalogue.models.flatMap((model) => model.variants))
		byRepository.set(variant.repository, [
			...(byRepository.get(variant.repository) ?? []),
			variant,
		]);
	const waiting = [...byRepository];
	const worker = async () => {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
			const [name, variants] = next;
			try {
				const repository = await readRepository(http, name, 'main', signal);
				for (const variant of variants) {
					const chosen = selectFiles(repository.files, {
						device: variant.device,
						...(variant.precision === undefined ? {} : { precision: variant.precision }),
						...(variant.subfolder === undefined ? {} : { subfolder: variant.subfolder }),
					});
					facts[`${variant.name}:${variant.version}`] = {
						commit: repository.commit,
						sizeBytes: chosen.sizeBytes,
						...(repository.license === undefined ? {} : { license: repository.license }),
						...(repository.parent === undefined ? {} : { parent: repository.parent }),
					};
				}
			} catch (error) {
				const { code, message } = asAppError(error);
				if (code === 'cancelled') throw error;
				failures.push(`${name}: ${message}`);
			}
		}
	};
	await Promise.all(Array.from({ length: 4 }, worker));
	const file: RefreshFile = {
		hub: http.endpoint.href,
		refreshedAt: new Date(now()).toISOString(),
		facts,
	};
	await makePrivateDir(dirname(path));
	await writePrivateFile(path, `${JSON.stringify(file, null, '\t')}\n`);
	return { file, failures };
}
