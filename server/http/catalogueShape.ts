/** Catalogue entries in the shape that clients of the older model service read. Every field is present. */

import type { CatalogueEntry, CatalogueModel } from '../hub/catalogue.ts';
import type { KnownFacts } from '../hub/refresh.ts';
import type { ModelInfo } from '../protocol/index.ts';

/** One entry on the wire; types as the published clients demand them. */
export interface CatalogueWire {
	readonly name: string;
	readonly displayName: string;
	readonly providerType: string;
	readonly uri: string;
	readonly version: string;
	readonly modelType: 'ONNX';
	readonly promptTemplate: CatalogueModel['promptTemplate'] | null;
	readonly publisher: string;
	readonly task: string;
	readonly runtime: {
		readonly deviceType: 'CPU' | 'GPU' | 'NPU';
		readonly executionProvider: string;
	};
	/** Whole number; 0 while unknown. */
	readonly fileSizeMb: number;
	readonly modelSettings: { readonly parameters: readonly unknown[] };
	readonly alias: string;
	readonly supportsToolCalling: boolean;
	readonly license: string;
	readonly licenseDescription: string;
	readonly parentModelUri: string;
	readonly maxOutputTokens: number | null;
}

/** `hub` is the base address that downloads come from. */
export function catalogueWire(
	{ id, model, variant }: CatalogueEntry,
	facts: KnownFacts | undefined,
	hub: string,
): CatalogueWire {
	const license = facts?.license ?? model.license;
	const page = `${hub.replace(/\/$/, '')}/${variant.repository}`;
	return {
		name: id,
		displayName: variant.name,
		providerType: 'HuggingFace',
		uri: page,
		version: String(variant.version),
		modelType: 'ONNX',
		promptTemplate: model.promptTemplate ?? null,
		publisher: model.publisher,
		task: model.task,
		runtime: { deviceType: variant.device, executionProvider: variant.executionProvider },
		fileSizeMb: Math.round((facts?.sizeBytes ?? variant.sizeBytes ?? 0) / 2 ** 20),
		modelSettings: { parameters: [] },
		alias: model.alias,
		supportsToolCalling: model.supportsToolCalling === true,
		license,
		licenseDescription:
			model.licenseDescription ??
			`This model is provided under the licence ${license}: see ${page}.`,
		parentModelUri: '',
		maxOutputTokens: model.maxOutputTokens ?? null,
	};
}

/** A model on disk that the catalogue does not know: built in, own or registered. */
export function localWire(model: ModelInfo): CatalogueWire {
	return {
		name: model.id,
		displayName: model.displayName,
		providerType: 'Local',
		uri: `local://${encodeURIComponent(model.name)}`,
		version: model.version,
		modelType: 'ONNX',
		promptTemplate: null,
		publisher: model.publisher,
		task: model.task,
		runtime: { deviceType: 'CPU', executionProvider: 'CPUExecutionProvider' },
		fileSizeMb: Math.round((model.sizeBytes ?? 0) / 2 ** 20),
		modelSettings: { parameters: [] },
		alias: model.alias,
		supportsToolCalling: model.supportsToolCalling,
		license: model.license,
		licenseDescription: '',
		parentModelUri: '',
		maxOutputTokens: model.maxOutputTokens ?? null,
	};
}
