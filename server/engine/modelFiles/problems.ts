/** What keeps a folder's variants from running, or is worth knowing, named before anything is loaded. */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { unreadable } from '../../hub/modelData/readModelFile.ts';
import { pushAll } from '../../protocol/lists.ts';
import type { ModelVariant } from '../api.ts';
import { externalFault } from './externalData.ts';
import type { Family } from './families.ts';
import { type GenaiNames, layerOf } from './genaiNames.ts';
import type { GraphSummary } from './graphSummary.ts';
import { asRecord, type JsonRecord } from './json.ts';
import { operatorFault } from './operators.ts';
import { hasPerTensorScales } from './precision.ts';

/** Newest opset the bundled ONNX Runtime reads. */
const newestOpset = 25;

/** Graph summaries by role; a string says why a graph could not be read. */
export type VariantGraphs = ReadonlyMap<string, GraphSummary | string>;

/** A variant with what speaks against it (full sentences) and about it. */
export interface VariantFindings {
	readonly problems: readonly string[];
	readonly notes: readonly string[];
}

/** What genai_config.json says, where the folder has one. */
export interface FolderLayout {
	readonly genai: JsonRecord | undefined;
	/** Names in the graphs of an encoder-decoder. */
	readonly names: GenaiNames | undefined;
}

/** Looks at the files and graphs of one variant. */
export async function checkVariant({
	folder,
	family,
	layout,
	variant,
	graphs,
}: {
	readonly folder: string;
	readonly family: Family;
	readonly layout: FolderLayout;
	readonly variant: ModelVariant;
	readonly graphs: VariantGraphs;
}): Promise<VariantFindings> {
	if (layout.genai !== undefined) {
		const problems = unnamedGraphs(layout.genai, family, variant);
		if (problems.length > 0) return { problems, notes: [] };
	}
	const problems: string[] = layout.genai === undefined ? missingRoles(family, variant) : [];
	const notes: string[] = [];
	for (const [role, graph] of graphs) {
		if (typeof graph === 'string') {
			problems.push(graph);
			continue;
		}
		const file = variant.files[role as keyof ModelVariant['files']] ?? '';
		pushAll(problems, await missingData(folder, file, graph));
		pushAll(problems, operatorProblems(file, graph));
		pushAll(problems, inputProblems(file, graph, role, family, layout.names, seesImages(variant)));
		const opset = graph.opsets.get('') ?? 0;
		if (opset > newestOpset) {
			problems.push(
				`${file} is written for opset ${opset}; this version reads up to ${newestOpset}.`,
			);
		}
		if (hasPerTensorScales(graph)) {
			notes.push(
				`${file} has one scale for all activations of a run; it is changed while loading so that each row has its own, else requests run one at a time.`,
			);
		}
	}
	return { problems, notes };
}

function missingRoles(family: Family, { files }: ModelVariant): string[] {
	if (family.architecture !== 'encoder-decoder') {
		if (files.model !== undefined || files['decoder-merged'] !== undefined) return [];
		return files.encoder !== undefined && family.architecture === 'encoder'
			? []
			: ['The file model.onnx of this precision is missing.'];
	}
	const missing: string[] = [];
	if (files.encoder === undefined) missing.push('encoder_model');
	if (files['decoder-merged'] === undefined) {
		const isSplit = files.decoder !== undefined || files['decoder-with-past'] !== undefined;
		if (!isSplit) missing.push('decoder_model_merged');
		else if (files.decoder === undefined) missing.push('decoder_model');
		else if (files['decoder-with-past'] === undefined) missing.push('decoder_with_past_model');
	}
	return missing.map((name) => `The graph ${name} of this precision is missing.`);
}

/** Graphs that genai_config.json does not name. */
function unnamedGraphs(genai: JsonRecord, family: Family, { files }: ModelVariant): string[] {
	const model = asRecord(genai.model);
	if (asRecord(model?.encoder_decoder_init) !== undefined) {
		return [
			'genai_config.json names encoder_decoder_init: it is an old export whose encoder also runs the decoder. Export the model again with a newer builder, which writes an encoder and a decoder.',
		];
	}
	const isPair = family.architecture === 'encoder-decoder';
	const hasDecoder = files['decoder-merged'] !== undefined || files.model !== undefined;
	const missing = [
		...(isPair && files.encoder === undefined ? ['model.encoder.filename'] : []),
		...(hasDecoder ? [] : ['model.decoder.filename']),
	];
	return missing.map((key) => `genai_config.json does not name a graph as ${key}.`);
}

async function missingData(folder: string, file: string, graph: GraphSummary): Promise<string[]> {
	const faults: string[] = [];
	for (const [name, neededBytes] of graph.externalFiles) {
		const fault = await externalFault(folder, file, name, neededBytes);
		if (fault !== undefined) faults.push(fault);
	}
	return faults;
}

function operatorProblems(file: string, graph: GraphSummary): string[] {
	const problems: string[] = [];
	for (const key of graph.ops.keys()) {
		const fault = operatorFault(key, graph.functions);
		if (fault !== undefined) problems.push(`${file} uses ${fault}.`);
	}
	// Query and key norm weights are the 15th and 16th input; the CPU kernel refuses them when it runs.
	if ((graph.maxInputs.get('GroupQueryAttention') ?? 0) > 14) {
		problems.push(
			`${file} has the query and key norms inside GroupQueryAttention, which only the WebGPU provider runs; take a build for the CPU.`,
		);
	}
	return problems;
}

const decoderInputs =
	/^(input_ids|attention_mask|position_ids|num_logits_to_keep|logits_index|use_cache_branch|cache_position|past[._].+|past_key_values\..+|encoder_(hidden_states|attention_mask))$/;
const encoderInputs =
	/^(input_ids|attention_mask|token_type_ids|position_ids|input_features|input_values|past_key_values\..+)$/;

/** Graphs beside the decoder of a model that sees. */
const parts: ReadonlyMap<string, RegExp> = new Map([
	['vision-encoder', /^(pixel_values|pixel_attention_mask|image_grid_thw)$/],
	['embed-tokens', /^input_ids$/],
]);

/** Whether a variant has the graphs by which images are read. */
export function seesImages({ files }: ModelVariant): boolean {
	return (
		files['vision-encoder'] !== undefined &&
		files['embed-tokens'] !== undefined &&
		files['decoder-merged'] !== undefined
	);
}

/** Sound as it is, or features of it, in the names of several exporters. */
const audioInputs = /^(input_values|input_features|x|feats|feature)$/;

/** Inputs of decoders that write into caches of full length. */
const sharedCacheInputs = /^(past_sequence_length|cache_indirection|beam_width)$/;

function inputProblems(
	file: string,
	graph: GraphSummary,
	role: string,
	family: Family,
	names: GenaiNames | undefined,
	sees: boolean,
): string[] {
	const isEncoder = role === 'encoder' || family.architecture === 'encoder';
	const isAudio = family.architecture === 'audio';
	const known =
		parts.get(role) ?? (isAudio ? audioInputs : isEncoder ? encoderInputs : decoderInputs);
	const unknown = graph.inputs
		.map(({ name }) => name)
		.filter((name) => {
			const isOldMerge = name === 'use_cache_branch' && family.architecture === 'decoder';
			if (name === 'inputs_embeds' && sees) return false;
			return isOldMerge || !(known.test(name) || isNamed(name, isEncoder, names));
		});
	if (unknown.some((name) => sharedCacheInputs.test(name))) {
		return [
			`${file} cannot be used: it is an export for CUDA, whose caches are as long as the context from the start (inputs ${unknown.join(', ')}); take one for the CPU.`,
		];
	}
	return unknown.map((name) => {
		const why =
			name === 'inputs_embeds'
				? 'it takes embeddings instead of token ids, as models for images and sound do'
				: name === 'use_cache_branch'
					? 'it is an old export that merges two decoders; newer exports of the model have one'
					: `its input '${name}' is not known here`;
		return `${file} cannot be used: ${why}.`;
	});
}

/** Whether genai_config.json says what an input is. */
function isNamed(name: string, isEncoder: boolean, names: GenaiNames | undefined): boolean {
	if (names === undefined) return false;
	if (isEncoder) return name === names.features;
	if (name === names.inputIds) return true;
	return [...names.self, ...names.cross].some(({ past }) => layerOf(past, name) !== undefined);
}

const tokenizerFiles = [
	'tokenizer.json',
	'source.spm',
	'tokenizer.model',
	'qwen.tiktoken',
	'llama3.tiktoken',
	'sentencepiece.bpe.model',
	'spiece.model',
];

/** Files that are read only when a model is loaded, and would be refused then. */
export async function refusedFiles(folder: string): Promise<string[]> {
	const names = [...tokenizerFiles, 'target.spm', 'vocab.json', 'target_vocab.json'];
	const faults = await Promise.all(names.map((name) => unreadable(folder, name)));
	return faults.filter((fault) => fault !== undefined);
}

/** Whether a folder has any of the tokenizer files that can be read. */
export async function hasTokenizer(folder: string): Promise<boolean> {
	for (const name of tokenizerFiles) {
		const there = await access(join(folder, name)).then(
			() => true,
			() => false,
		);
		if (there) return true;
	}
	return false;
}
