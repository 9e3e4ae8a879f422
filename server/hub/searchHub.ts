/** Repositories of a hub whose models run here: exports with graphs, and weights that models are built of. */

import { visibleLine } from '../protocol/visibleText.ts';
import type { HubHttp } from './http.ts';
import { repositoryPattern } from './names.ts';
import { hubJson, type RepositoryRetries } from './repository.ts';

const hubFormats = ['onnx', 'gguf', 'safetensors'] as const;

/** `marian` = a student of Firefox Translations. */
export type HubFormat = (typeof hubFormats)[number] | 'marian';

/** A repository that was found. */
export interface FoundRepository {
	readonly repository: string;
	/** What a model comes of, the best first. */
	readonly formats: readonly HubFormat[];
	readonly license?: string;
	/** As the hub calls it, e.g. `text-generation`. */
	readonly task?: string;
	/** What it does, for people. */
	readonly title?: string;
	/** Of its files, where the list says so. */
	readonly sizeBytes?: number;
	/** Of the last month. */
	readonly downloads?: number;
	/** The hub gives its files only to those who have accepted its terms. */
	readonly isGated: boolean;
}

const maxFound = 50;

interface Entry {
	readonly id?: unknown;
	readonly tags?: unknown;
	readonly pipeline_tag?: unknown;
	readonly downloads?: unknown;
	readonly gated?: unknown;
}

/**
 * The most wanted repositories that have every word, those with graphs before others.
 * @throws AppError `download_failed` and what else the hub refuses
 */
export async function searchHub(
	http: HubHttp,
	words: string,
	signal: AbortSignal,
	retries: RepositoryRetries = {},
): Promise<FoundRepository[]> {
	const url = new URL(`${http.endpoint.href.replace(/\/$/, '')}/api/models`);
	const query = { search: words, sort: 'downloads', direction: '-1', limit: '100' };
	for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
	const { value } = await hubJson(
		http,
		url.href,
		`models of ${http.endpoint.host}`,
		signal,
		retries,
	);
	const entries = Array.isArray(value) ? (value as (Entry | null)[]) : [];
	const found = entries.flatMap((entry) => repositoryOf(entry) ?? []);
	const rank = ({ formats: [best] }: FoundRepository) => (best === 'onnx' ? 0 : 1);
	return found.sort((a, b) => rank(a) - rank(b)).slice(0, maxFound);
}

function repositoryOf(entry: Entry | null): FoundRepository | undefined {
	const { id, tags, pipeline_tag: task, downloads, gated } = entry ?? {};
	if (typeof id !== 'string' || !repositoryPattern.test(id) || !Array.isArray(tags))
		return undefined;
	const formats = hubFormats.filter((format) => tags.includes(format));
	if (formats.length === 0) return undefined;
	const license = tags.find((tag) => typeof tag === 'string' && tag.startsWith('license:'));
	return {
		repository: id,
		formats,
		...(typeof license === 'string' ? { license: visibleLine(license.slice(8, 108)) } : {}),
		...(typeof task === 'string' ? { task: visibleLine(task.slice(0, 100)) } : {}),
		...(typeof downloads === 'number' ? { downloads } : {}),
		isGated: gated === true || typeof gated === 'string',
	};
}
