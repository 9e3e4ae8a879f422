/** What a model folder holds and whether it can run here, by reading files only. */

import { readdir } from 'node:fs/promises';
import { checkFileLimit, maxListedIds, maxNameLength } from '../../hub/modelData/fileLimits.ts';
import { modelFile } from '../../hub/modelFile.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError, type ModelTask } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import { readBuiltLoss } from './builtLoss.ts';
import { estimateMemoryBytes } from './estimateMemory.ts';
import { type Family, familyFromArchitectures, familyOf, judgeOf } from './families.ts';
import { genaiNames } from './genaiNames.ts';
import { generationSettings } from './generationSettings.ts';
import { type GraphSummary, readGraphSummary } from './graphSummary.ts';
import { readImageLayout } from './imageLayout.ts';
import { asNumber, asRecord, asString, type JsonRecord, readJsonFile } from './json.ts';
import { modelSizes } from './modelSizes.ts';
import { graphPrecision } from './precision.ts';
import {
	checkVariant,
	type FolderLayout,
	hasTokenizer,
	refusedFiles,
	seesImages,
	type VariantFindings,
	type VariantGraphs,
} from './problems.ts';
import { settingsOf } from './sessionSettings.ts';
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
	const named = familyIn(modelType, config, variants);
	const settings = await generationSettings(folder);
	checkFileLimit('generation_config.json', 'end tokens', settings.eosTokenIds.length, maxListedIds);
	const layout = { genai, names: genaiNames(genai) };
	let checked = await checkVariants(folder, named, layout, variants);
	const family = givesVectors(named, checked) ? embeddings : named;
	if (family !== named) checked = await checkVariants(folder, family, layout, variants);
	const usable = checked.filter((entry) => entry.problems.length === 0);
	const chosen = chooseVariant(
		(usable.length > 0 ? usable : checked).map((entry) => entry.variant),
		family.architecture,
	);
	const graphs = readable(checked.find((entry) => entry.variant === chosen)?.graphs);
	const tokenizer = await readJsonFile(folder, 'tokenizer_config.json');
	const shape = modelSizes({ config, genai, tokenizer, settings, graphs, family });
	const template = await readChatTemplate(folder);
	const { note, executionProvider } = settingsOf(genai);
	const loss = await readBuiltLoss(folder);
	return {
		folder,
		layout: genai === undefined ? 'transformers.js' : 'genai',
		family: modelType,
		architecture: family.architecture,
		task: taskOf(family, template !== undefined),
		variants: (usable.length > 0 ? usable : checked).map((entry) => entry.variant),
		...shape,
		eosTokenIds: settings.eosTokenIds,
		...defined({
			executionProvider,
			loss,
			conditionOnPrevious: settings.conditionOnPrevious,
			maxHistoryTurns: settings.maxHistoryTurns,
		}),
		hasChatTemplate: template !== undefined,
		...((await sees(folder, chosen)) ? { seesImages: true } : {}),
		supportsTools: template !== undefined && /\btools\b/.test(template),
		memoryEstimateBytes: estimateMemoryBytes(chosen, shape, graphs),
		problems: await folderProblems(folder, family, checked),
		notes: [...folderNotes(checked, usable.length), ...(note === undefined ? [] : [note])],
	};
}

async function sees(folder: string, chosen: ModelVariant | undefined): Promise<boolean> {
	if (chosen === undefined || !seesImages(chosen)) return false;
	return (await readImageLayout(folder)) !== undefined;
}

const embeddings: Family = { architecture: 'encoder', task: 'embeddings' };

// Embedding models made from language models or judges: the family of one, but vectors instead of logits.
function givesVectors(family: Family, checked: readonly CheckedVariant[]): boolean {
	if (family.architecture === 'encoder-decoder' || family.architecture === 'audio') return false;
	const graphs = checked.flatMap((entry) => [...readable(entry.graphs).values()]);
	return (
		graphs.length > 0 &&
		graphs.every(({ outputs }) => {
			const names = outputs.map((output) => output.name);
			return !names.includes('logits') && names.some((name) => /embedding|hidden_state/.test(name));
		})
	);
}

interface CheckedVariant extends VariantFindings {
	readonly variant: ModelVariant;
	readonly graphs: VariantGraphs;
}

async function checkVariants(
	folder: string,
	family: Family,
	layout: FolderLayout,
	variants: readonly ModelVariant[],
): Promise<CheckedVariant[]> {
	const summaries = new Map<string, GraphSummary | string>();
	const checked: CheckedVariant[] = [];
	for (const variant of variants) {
		const graphs = new Map<string, GraphSummary | string>();
		for (const [role, file] of Object.entries(variant.files)) {
			const known = summaries.get(file) ?? (await summaryOrFault(folder, file));
			summaries.set(file, known);
			graphs.set(role, known);
		}
		const found = await checkVariant({ folder, family, layout, variant, graphs });
		checked.push({ variant, graphs, ...found });
	}
	return checked;
}

async function summaryOrFault(folder: string, file: string): Promise<GraphSummary | string> {
	try {
		return await readGraphSummary(await modelFile(folder, file));
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

function readable(graphs: VariantGraphs | undefined): Map<string, GraphSummary> {
	const found = new Map<string, GraphSummary>();
	for (const [role, graph] of graphs ?? []) if (typeof graph !== 'string') found.set(role, graph);
	return found;
}

// A folder has a problem when none of its variants is free of them.
async function folderProblems(
	folder: string,
	family: Family,
	checked: readonly CheckedVariant[],
): Promise<string[]> {
	const problems = new Set<string>();
	if (checked.length === 0) {
		problems.add('There is no .onnx graph in the folder or in its onnx/ folder.');
	}
	if (checked.every((entry) => entry.problems.length > 0)) {
		for (const entry of checked) for (const problem of entry.problems) problems.add(problem);
	}
	if (family.architecture !== 'audio' && !(await hasTokenizer(folder))) {
		problems.add(
			'There is no tokenizer (tokenizer.json, tokenizer.model, source.spm with vocab.json, or a .tiktoken file).',
		);
	}
	if (family.task === 'text-classification')
		problems.add(
			'It is a classifier, which tells several labels apart; encoders are run that give vectors (embeddings) or one score (rerankers).',
		);
	for (const fault of await refusedFiles(folder)) problems.add(fault);
	return [...problems];
}

function folderNotes(checked: readonly CheckedVariant[], usable: number): string[] {
	const notes = new Set<string>();
	for (const entry of checked) {
		const name = entry.variant.label ?? entry.variant.precision;
		if (entry.problems.length > 0 && usable > 0) {
			notes.add(`The ${name} variant cannot be used: ${entry.problems.join(' ')}`);
		}
		for (const note of entry.notes) notes.add(note);
	}
	return [...notes];
}

async function genaiVariants(folder: string, genai: JsonRecord): Promise<ModelVariant[]> {
	const { files, sizeBytes } = await genaiFiles(folder, genai);
	const main = files.model ?? files['decoder-merged'];
	const summary =
		main === undefined
			? undefined
			: await modelFile(folder, main)
					.then(readGraphSummary)
					.catch(() => undefined);
	return [
		{ precision: summary === undefined ? 'fp32' : graphPrecision(summary), files, sizeBytes },
	];
}

function typeOf(config: JsonRecord | undefined, genai: JsonRecord | undefined): string {
	const fromGenai = asString(asRecord(genai?.model)?.type);
	const type = fromGenai ?? asString(config?.model_type) ?? 'unknown';
	checkFileLimit(
		fromGenai === undefined ? 'config.json' : 'genai_config.json',
		'characters in the name of its type',
		type.length,
		maxNameLength,
	);
	return type;
}

function familyIn(
	modelType: string,
	config: JsonRecord | undefined,
	variants: readonly ModelVariant[],
): Family {
	const architectures = (Array.isArray(config?.architectures) ? config.architectures : []).filter(
		(name) => typeof name === 'string',
	);
	const named = familyOf(modelType) ?? familyFromArchitectures(architectures);
	if (named !== undefined) return judgeOf(named, architectures, labelsOf(config)) ?? named;
	const hasEncoder = variants.some((variant) => variant.files.encoder !== undefined);
	return hasEncoder
		? { architecture: 'encoder-decoder', task: 'translation' }
		: { architecture: 'decoder', task: 'text-generation' };
}

/** How many things a classifier tells apart; two, where nothing is said. */
function labelsOf(config: JsonRecord | undefined): number {
	const labels = asRecord(config?.id2label);
	return labels === undefined ? (asNumber(config?.num_labels) ?? 2) : Object.keys(labels).length;
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
