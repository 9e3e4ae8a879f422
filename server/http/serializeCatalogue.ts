/** Catalogue entries in the shape that clients of the older model service read. Every field is present. */

import type { CatalogueEntry } from '../hub/catalogue.ts';
import { sourceUri } from '../hub/modelSource.ts';
import type { KnownFacts } from '../hub/refresh.ts';
import type { ModelInfo, PromptTemplate } from '../protocol/index.ts';

/** A fact of a model by name; values are texts. */
interface Parameter {
	readonly name: string;
	readonly value: string;
}

/** One entry on the wire; types as the published clients demand them. */
export interface CatalogueWire {
	readonly name: string;
	readonly displayName: string;
	readonly providerType: string;
	readonly uri: string;
	readonly version: string;
	readonly modelType: 'ONNX';
	readonly promptTemplate: PromptTemplate | null;
	readonly publisher: string;
	readonly task: string;
	readonly runtime: {
		readonly deviceType: 'CPU' | 'GPU' | 'NPU';
		readonly executionProvider: string;
	};
	/** Whole number; 0 while unknown. */
	readonly fileSizeMb: number;
	/** Facts that clients show: lengths in tokens. */
	readonly modelSettings: { readonly parameters: readonly Parameter[] };
	readonly alias: string;
	readonly supportsToolCalling: boolean;
	readonly license: string;
	readonly licenseDescription: string;
	readonly parentModelUri: string;
	readonly maxOutputTokens: number | null;
}

/**
 * @param hub base address that downloads come from
 * @param here the model, when it is on this machine
 */
export function catalogueWire(
	{ id, model, variant }: CatalogueEntry,
	facts: KnownFacts | undefined,
	hub: string,
	here: ModelInfo | undefined,
): CatalogueWire {
	const license = here?.license || (facts?.license ?? model.license);
	const page = sourceUri({ hub, repository: variant.repository });
	return {
		name: id,
		displayName: variant.name,
		providerType: here?.providerType ?? 'HuggingFace',
		uri: page,
		version: String(variant.version),
		modelType: 'ONNX',
		promptTemplate: here?.promptTemplate ?? model.promptTemplate ?? null,
		publisher: here?.publisher || model.publisher,
		task: model.task,
		runtime: { deviceType: variant.device, executionProvider: variant.executionProvider },
		fileSizeMb: megabytes(here?.sizeBytes ?? facts?.sizeBytes ?? variant.sizeBytes),
		modelSettings: { parameters: parametersOf(model) },
		alias: model.alias,
		supportsToolCalling: model.supportsToolCalling === true,
		license,
		licenseDescription:
			model.licenseDescription ??
			`This model is provided under the licence ${license}: see ${page}.`,
		parentModelUri: parentPage(hub, here?.parentModelUri ?? facts?.parent ?? model.parent),
		maxOutputTokens: model.maxOutputTokens ?? null,
	};
}

/** A model on disk that the catalogue does not know: built in, own or registered. */
export function localWire(model: ModelInfo): CatalogueWire {
	return {
		name: model.id,
		displayName: model.displayName,
		providerType: model.providerType ?? 'Local',
		uri: model.source ? sourceUri(model.source) : `local://${encodeURIComponent(model.name)}`,
		version: model.version,
		modelType: 'ONNX',
		promptTemplate: model.promptTemplate ?? null,
		publisher: model.publisher,
		task: model.task,
		runtime: { deviceType: 'CPU', executionProvider: 'CPUExecutionProvider' },
		fileSizeMb: megabytes(model.sizeBytes),
		modelSettings: { parameters: parametersOf(model) },
		alias: model.alias,
		supportsToolCalling: model.supportsToolCalling,
		license: model.license,
		licenseDescription: licenceText(model),
		parentModelUri: parentPage(model.source?.hub, model.parentModelUri),
		maxOutputTokens: model.maxOutputTokens ?? null,
	};
}

/** Page of the model that one was made from, which is named by its hub id. */
function parentPage(hub: string | undefined, parent: string | undefined): string {
	if (parent === undefined) return '';
	return hub === undefined ? parent : sourceUri({ hub, repository: parent });
}

/** Whole number, above 0 for every size that is known. */
function megabytes(sizeBytes: number | undefined): number {
	return sizeBytes === undefined ? 0 : Math.max(1, Math.round(sizeBytes / 2 ** 20));
}

function parametersOf(model: Pick<ModelInfo, 'contextLength' | 'maxOutputTokens'>): Parameter[] {
	const facts = [
		['contextLength', model.contextLength],
		['maxOutputTokens', model.maxOutputTokens],
	] as const;
	return facts.flatMap(([name, value]) =>
		value === undefined || value === 0 ? [] : [{ name, value: String(value) }],
	);
}

function licenceText({ license, origin, source }: ModelInfo): string {
	if (license === '') return '';
	const where = source === undefined ? '' : `: see ${sourceUri(source)}`;
	return origin === 'built-in'
		? `This model comes with Nearglot under the licence ${license}.`
		: `This model is provided under the licence ${license}${where}.`;
}
