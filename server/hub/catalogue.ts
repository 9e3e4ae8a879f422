/** The curated list of models that can be had, one entry per model with its variants per device. */

import {
	AppError,
	findModel,
	type ModelTask,
	nearNames,
	type Precision,
	type PromptTemplate,
} from '../protocol/index.ts';
import bundled from './catalogue.json' with { type: 'json' };
import { repositoryPattern } from './names.ts';

export type Device = 'CPU' | 'GPU' | 'NPU';

export interface CatalogueVariant {
	/** Unique together with `version`, e.g. `qwen2.5-0.5b-instruct-generic-cpu`. */
	readonly name: string;
	readonly version: number;
	readonly device: Device;
	/** In the spelling of the runtime, e.g. `CPUExecutionProvider`. */
	readonly executionProvider: string;
	readonly repository: string;
	readonly precision?: Precision;
	/** Folder of the repository that holds this variant. */
	readonly subfolder?: string;
	/** Filled by a refresh from the hub; unknown offline. */
	readonly commit?: string;
	readonly sizeBytes?: number;
}

export interface CatalogueModel {
	readonly alias: string;
	readonly displayName: string;
	readonly task: ModelTask;
	readonly publisher: string;
	readonly license: string;
	readonly licenseDescription?: string;
	readonly contextLength?: number;
	readonly maxOutputTokens?: number;
	readonly supportsToolCalling?: boolean;
	/**
	 * Those of the translate interface that the model's tokenizer has a token for. Sources: `FAIRSEQ_LANGUAGE_CODES`
	 * in tokenization_nllb.py of transformers (FLORES-200 codes).
	 */
	readonly languages?: readonly string[];
	/** Older clients want it; the model's own chat template is what counts. */
	readonly promptTemplate?: PromptTemplate;
	/** Hub id of the published model that the exports were made from. */
	readonly parent?: string;
	readonly variants: readonly CatalogueVariant[];
}

export interface Catalogue {
	readonly version: string;
	readonly models: readonly CatalogueModel[];
}

/** One variant with its model: what names resolve to. */
export interface CatalogueEntry {
	/** `name:version`. */
	readonly id: string;
	readonly model: CatalogueModel;
	readonly variant: CatalogueVariant;
}

/** The catalogue that ships with the product; always there, never asks the network. */
export function bundledCatalogue(): Catalogue {
	return parseCatalogue(bundled);
}

/** Checks a catalogue file; throws `invalid_request` that names the entry at fault. */
export function parseCatalogue(value: unknown): Catalogue {
	const file = value as Partial<Catalogue> | null;
	if (typeof file !== 'object' || file === null || !Array.isArray(file.models))
		throw new AppError('invalid_request', 'The catalogue has no list of models.');
	const ids = new Set<string>();
	for (const model of file.models) {
		for (const field of ['alias', 'displayName', 'task', 'publisher', 'license'] as const)
			if (typeof model[field] !== 'string') throw fault(model.alias, `has no ${field}`);
		if (!Array.isArray(model.variants) || model.variants.length === 0)
			throw fault(model.alias, 'has no variants');
		for (const variant of model.variants) {
			const id = `${variant.name}:${variant.version}`;
			if (ids.has(id)) throw fault(model.alias, `repeats ${id}`);
			ids.add(id);
			if (!repositoryPattern.test(variant.repository))
				throw fault(model.alias, `names the repository ${JSON.stringify(variant.repository)}`);
		}
	}
	return { version: String(file.version ?? ''), models: file.models };
}

function fault(alias: string, what: string): AppError {
	return new AppError('invalid_request', `The catalogue's entry ${JSON.stringify(alias)} ${what}.`);
}

const deviceOrder: Readonly<Record<Device, number>> = { NPU: 0, GPU: 1, CPU: 2 };
const isGeneric = (name: string) => /-generic-/.test(name);

/**
 * All variants in the order in which an alias picks: NPU, vendor GPU, generic GPU, vendor CPU,
 * generic CPU; models in catalogue order.
 */
export function catalogueEntries(catalogue: Catalogue): CatalogueEntry[] {
	return catalogue.models.flatMap((model) =>
		model.variants
			.map((variant) => ({ id: `${variant.name}:${variant.version}`, model, variant }))
			.sort(
				(a, b) =>
					deviceOrder[a.variant.device] - deviceOrder[b.variant.device] ||
					Number(isGeneric(a.variant.name)) - Number(isGeneric(b.variant.name)) ||
					b.variant.version - a.variant.version,
			),
	);
}

export interface ResolveOptions {
	/** Devices this machine has; an alias picks among their variants only. */
	readonly devices: ReadonlySet<Device>;
	/** Takes only variants of this device. */
	readonly device?: Device;
	/** Whether a CUDA runtime is there. */
	readonly cuda?: boolean;
}

/**
 * Finds an entry as published clients do: 1. exact id; 2. id without version → highest version;
 * 3. alias → first in order that this machine can run.
 */
export function resolveEntry(
	entries: readonly CatalogueEntry[],
	name: string,
	options: ResolveOptions,
): CatalogueEntry | undefined {
	const rows = entries.map((entry) => ({
		id: entry.id,
		name: entry.variant.name,
		version: String(entry.variant.version),
		alias: entry.model.alias,
		entry,
	}));
	const runnable = rows.filter(
		({ entry: { variant } }) =>
			(options.device === undefined
				? options.devices.has(variant.device)
				: variant.device === options.device) &&
			(options.cuda === true || !/^CUDA/i.test(variant.executionProvider)),
	);
	return findModel(rows, name, runnable)?.entry;
}

/** Names close to a misspelt one, for the error message. */
export function similarNames(entries: readonly CatalogueEntry[], name: string): string[] {
	return nearNames(
		entries.map((entry) => entry.model.alias),
		name,
	);
}
