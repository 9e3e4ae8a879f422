/** What a model folder holds and whether it can run here, by reading files only. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, type ModelTask } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import { type Family, familyFromArchitectures, familyOf } from './families.ts';
import { type GenerationSettings, generationSettings } from './generation.ts';
import { type GraphSummary, readGraphSummary } from './graphSummary.ts';
import { asRecord, asString, type JsonRecord, readJsonFile } from './json.ts';
import { estimateMemoryBytes } from './memory.ts';
import { graphPrecision } from './precision.ts';
import { findProblems } from './problems.ts';
import { modelShape } from './shape.ts';
import { readChatTemplate } from './templateFile.ts';
import { chooseVariant, findVariants, genaiFiles } from './variants.ts';

/**
 * Describes a model folder in either hub layout.
 * @throws AppError `unsupported_model` when the folder holds no model at all or a file is broken
 */
export async function describeModel(folder: string): Promise<ModelDescription> {
	const genai = await readJsonFile(folder, 'genai_config.json');
	const config = await readJsonFile(folder, 'config.json');
	if (genai === undefined && config === undefined) throw await noModel(folder);
	const variants =
		genai === undefined ? await findVariants(folder) : await genaiVariants(folder, genai);
	const modelType = typeOf(config, genai);
	const family = familyIn(modelType, config, variants);
	const settings = await generationSettings(folder);
	const variant = chooseVariant(variants, family.architecture);
	const graphs = variant === undefined ? new Map() : await readGraphs(folder, variant);
	const tokenizer = await readJsonFile(folder, 'tokenizer_config.json');
	const shape = modelShape({ config, genai, tokenizer, settings, graphs, family });
	const template = await readChatTemplate(folder);
	const found = await findProblems({ folder, family, modelType, variants, graphs, config });
	return {
		folder,
		layout: genai === undefined ? 'transformers.js' : 'genai',
		family: modelType,
		architecture: family.architecture,
		task: taskOf(family, template !== undefined),
		variants,
		...shape,
		eosTokenIds: settings.eosTokenIds,
		hasChatTemplate: template !== undefined,
		supportsTools: template !== undefined && /\btools\b/.test(template),
		memoryEstimateBytes: estimateMemoryBytes(variant, shape, graphs),
		problems: found.problems,
		notes: found.notes,
	};
}

/** Settings and graphs that several describing functions look at. */
export interface FolderFacts {
	readonly config: JsonRecord | undefined;
	readonly genai: JsonRecord | undefined;
	readonly tokenizer: JsonRecord | undefined;
	readonly settings: GenerationSettings;
	/** Role → summary of the variant that would be loaded. */
	readonly graphs: ReadonlyMap<string, GraphSummary>;
	readonly family: Family;
}

async function genaiVariants(folder: string, genai: JsonRecord): Promise<ModelVariant[]> {
	const { files, sizeBytes } = await genaiFiles(folder, genai);
	const main = files.model ?? files.decoder;
	if (main === undefined) return [];
	const summary = await readGraphSummary(join(folder, main)).catch(() => undefined);
	return [
		{ precision: summary === undefined ? 'fp32' : graphPrecision(summary), files, sizeBytes },
	];
}

async function readGraphs(folder: string, variant: ModelVariant) {
	const graphs = new Map<string, GraphSummary>();
	for (const [role, file] of Object.entries(variant.files)) {
		const summary = await readGraphSummary(join(folder, file)).catch(() => undefined);
		if (summary !== undefined) graphs.set(role, summary);
	}
	return graphs;
}

function typeOf(config: JsonRecord | undefined, genai: JsonRecord | undefined): string {
	const fromGenai = asString(asRecord(genai?.model)?.type);
	return fromGenai ?? asString(config?.model_type) ?? 'unknown';
}

function familyIn(
	modelType: string,
	config: JsonRecord | undefined,
	variants: readonly ModelVariant[],
): Family {
	const named = familyOf(modelType);
	if (named !== undefined) return named;
	const architectures = Array.isArray(config?.architectures) ? config.architectures : [];
	const guessed = familyFromArchitectures(architectures.filter((name) => typeof name === 'string'));
	if (guessed !== undefined) return guessed;
	const hasEncoder = variants.some((variant) => variant.files.encoder !== undefined);
	return hasEncoder
		? { architecture: 'encoder-decoder', task: 'translation' }
		: { architecture: 'decoder', task: 'text-generation' };
}

function taskOf(family: Family, hasChatTemplate: boolean): ModelTask {
	return family.architecture === 'decoder' && hasChatTemplate ? 'chat-completion' : family.task;
}

async function noModel(folder: string): Promise<AppError> {
	const names = await readdir(folder).catch(() => undefined);
	const why =
		names === undefined
			? 'it cannot be opened'
			: 'it has neither config.json nor genai_config.json';
	return new AppError(
		'unsupported_model',
		`The folder ${folder} holds no model: ${why}. Give the folder that holds these files beside onnx/ or model.onnx.`,
	);
}
