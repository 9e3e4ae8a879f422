/**
 * What a hub adds to the bundled catalogue: commit, exact size and licence of every repository. Kept
 * in a file, so that the next start knows them offline. Nothing here is needed to work offline.
 */

import { defined } from '../protocol/defined.ts';
import { asAppError } from '../protocol/index.ts';
import { changeFile } from '../store/changeFile.ts';
import { readPathText } from '../store/openPath.ts';
import type { Catalogue, CatalogueVariant } from './catalogue.ts';
import type { HubHttp } from './http.ts';
import { type HubRepository, readRepository } from './repository.ts';
import { selectFiles } from './selectModelFiles.ts';

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
	return parseRefresh(await readPathText(path).catch(() => undefined));
}

/** Without a refresh the bundled catalogue stands alone. */
function parseRefresh(text: string | undefined): RefreshFile | undefined {
	try {
		const value = JSON.parse(text ?? '') as Partial<RefreshFile>;
		return typeof value.facts === 'object' && value.facts !== null
			? (value as RefreshFile)
			: undefined;
	} catch {
		return undefined;
	}
}

/** Asks the hub about every variant; what fails keeps its earlier facts. Resolves to the new file. */
export async function refreshModelFacts(
	http: HubHttp,
	catalogue: Catalogue,
	path: string,
	now: () => number,
	signal: AbortSignal,
): Promise<{ readonly file: RefreshFile; readonly failures: readonly string[] }> {
	const facts: Record<string, KnownFacts> = {};
	const failures: string[] = [];
	const byRepository = new Map<string, CatalogueVariant[]>();
	for (const variant of catalogue.models.flatMap((model) => model.variants))
		byRepository.set(variant.repository, [
			...(byRepository.get(variant.repository) ?? []),
			variant,
		]);
	const waiting = [...byRepository];
	let hasGivenUp = false;
	const worker = async () => {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
			const [name, variants] = next;
			try {
				// A hub that is away is waited for once, not once for each repository.
				const retries = hasGivenUp ? { tries: 1 } : {};
				const repository = await readRepository(http, name, 'main', signal, retries);
				for (const variant of variants) facts[idOf(variant)] = factsOf(variant, repository);
			} catch (error) {
				const { code, message } = asAppError(error);
				if (code === 'cancelled') throw error;
				hasGivenUp ||= code === 'download_failed';
				failures.push(`${name}: ${message}`);
			}
		}
	};
	await Promise.all(Array.from({ length: 4 }, worker));
	const file = await keepFacts(path, facts, http.endpoint.href, now);
	return { file, failures };
}

/** Keeps what a download has told of the catalogue's variants in its repository. Resolves to the new file. */
export async function learnRepository(
	repository: HubRepository,
	hub: string,
	catalogue: Catalogue,
	path: string,
	now: () => number,
): Promise<RefreshFile> {
	const facts: Record<string, KnownFacts> = {};
	for (const variant of catalogue.models.flatMap((model) => model.variants)) {
		if (variant.repository !== repository.repository) continue;
		try {
			facts[idOf(variant)] = factsOf(variant, repository);
		} catch {
			// The repository does not have this variant any more.
		}
	}
	return keepFacts(path, facts, hub, now);
}

const idOf = ({ name, version }: CatalogueVariant) => `${name}:${version}`;

/** @throws AppError `unsupported_model` when the repository has no such variant */
function factsOf(
	{ device, precision, subfolder }: CatalogueVariant,
	{ commit, files, license, parent }: HubRepository,
): KnownFacts {
	const { sizeBytes } = selectFiles(files, {
		device,
		...defined({ precision, subfolder }),
	});
	return {
		commit,
		sizeBytes,
		...defined({ license, parent }),
	};
}

async function keepFacts(
	path: string,
	facts: Readonly<Record<string, KnownFacts>>,
	hub: string,
	now: () => number,
): Promise<RefreshFile> {
	let file: RefreshFile = { hub, refreshedAt: new Date(now()).toISOString(), facts };
	await changeFile(path, (text) => {
		file = { ...file, facts: { ...parseRefresh(text)?.facts, ...facts } };
		return `${JSON.stringify(file, null, '\t')}\n`;
	});
	return file;
}
