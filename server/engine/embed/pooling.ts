/** How a model's token vectors become one vector, as its configuration says, and the arithmetic of it. */

import { maxNameLength } from '../../hub/modelData/fileLimits.ts';
import { AppError } from '../../protocol/index.ts';
import { asRecord, asString, readJsonFile, readTextFile } from '../modelFiles/json.ts';

/** What is done with the token vectors. */
export type Pooling = 'mean' | 'cls' | 'max' | 'last-token' | 'mean-sqrt-len';

/** Settings of an embedding model. */
export interface EmbeddingSettings {
	readonly pooling: Pooling;
	readonly normalize: boolean;
	/** Text put in front of every input, when the publisher set a default prompt. */
	readonly prompt: string;
}

/** Output of graphs that make one vector of those of a text's tokens. */
export const pooledOutput = 'sentence_embedding';

/** What sentence-transformers calls the steps that are known here. */
const knownModules = new Set(['Transformer', 'Pooling', 'Normalize']);

/**
 * Reads modules.json, its pooling module and the prompts. Re-exports often leave those files out; then the
 * model the config says it was made from decides, and otherwise token vectors are averaged and normalised.
 */
export async function readEmbeddingSettings(
	folder: string,
	outputs: readonly string[] = [],
): Promise<EmbeddingSettings> {
	if (!outputs.includes(pooledOutput)) refuseModules(await moduleTypes(folder));
	const modules = await readModules(folder);
	const poolingPath =
		modules?.find((module) => module.type.endsWith('Pooling'))?.path ?? '1_Pooling';
	const config = await readJsonFile(folder, `${poolingPath}/config.json`);
	const prompts = await readJsonFile(folder, 'config_sentence_transformers.json');
	const name = asString(prompts?.default_prompt_name);
	return {
		pooling: config === undefined ? await poolingOfOrigin(folder) : poolingOf(config),
		normalize: modules === undefined || modules.some((module) => module.type.endsWith('Normalize')),
		prompt: name === undefined ? '' : (asString(asRecord(prompts?.prompts)?.[name]) ?? ''),
	};
}

/** The steps that modules.json names, without the packages they are from: `Transformer`, `Pooling`, `Dense`. */
export async function moduleTypes(folder: string): Promise<string[]> {
	const modules = (await readModules(folder)) ?? [];
	return modules.map(({ type }) => type.slice(type.lastIndexOf('.') + 1).slice(0, maxNameLength));
}

/** @throws AppError `unsupported_model` that names a step nothing here computes */
export function refuseModules(types: readonly string[]): void {
	const [other] = types.filter((type) => !knownModules.has(type));
	if (other === undefined) return;
	throw new AppError(
		'unsupported_model',
		`The model's vectors go through the module ${JSON.stringify(other)} (modules.json), which is not known here: it would give other vectors than those published. Take an ONNX export whose graph gives sentence_embedding.`,
	);
}

// Published with the first token as the sentence's vector.
const firstToken =
	/\bbge-|arctic-embed|mxbai-embed|gte-(base|large)-en-v1\.5|gte-modernbert|ember-v1|UAE-Large/i;

async function poolingOfOrigin(folder: string): Promise<Pooling> {
	const config = await readJsonFile(folder, 'config.json');
	return firstToken.test(asString(config?._name_or_path) ?? '') ? 'cls' : 'mean';
}

async function readModules(folder: string) {
	const text = await readTextFile(folder, 'modules.json');
	if (text === undefined) return undefined;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return undefined;
	}
	if (!Array.isArray(value)) return undefined;
	return value.map((item) => ({
		type: asString(asRecord(item)?.type) ?? '',
		path: asString(asRecord(item)?.path) ?? '',
	}));
}

function poolingOf(config: Readonly<Record<string, unknown>>): Pooling {
	if (config.pooling_mode_cls_token === true) return 'cls';
	if (config.pooling_mode_max_tokens === true) return 'max';
	if (config.pooling_mode_lasttoken === true) return 'last-token';
	if (config.pooling_mode_mean_sqrt_len_tokens === true) return 'mean-sqrt-len';
	return 'mean';
}

/**
 * Pools the first `length` token vectors of one sequence.
 * @param hidden sequence-major [sequence][token][size]
 */
export function pool(
	hidden: Float32Array,
	sequence: number,
	tokens: number,
	length: number,
	size: number,
	pooling: Pooling,
): Float32Array {
	const vector = new Float32Array(size);
	const start = sequence * tokens * size;
	if (pooling === 'cls' || pooling === 'last-token') {
		const token = pooling === 'cls' ? 0 : Math.max(0, length - 1);
		vector.set(hidden.subarray(start + token * size, start + (token + 1) * size));
		return vector;
	}
	if (pooling === 'max') vector.fill(Number.NEGATIVE_INFINITY);
	for (let token = 0; token < length; token++) {
		const from = start + token * size;
		for (let index = 0; index < size; index++) {
			const value = hidden[from + index] as number;
			if (pooling === 'max') vector[index] = Math.max(vector[index] as number, value);
			else vector[index] = (vector[index] as number) + value;
		}
	}
	if (pooling === 'max') return vector;
	const divisor = pooling === 'mean' ? Math.max(1, length) : Math.sqrt(Math.max(1, length));
	for (let index = 0; index < size; index++) vector[index] = (vector[index] as number) / divisor;
	return vector;
}

/** Scales a vector to length 1, in place; a zero vector stays zero. */
export function normalize(vector: Float32Array): Float32Array {
	let sum = 0;
	for (const value of vector) sum += value * value;
	const length = Math.sqrt(sum);
	if (length < 1e-12) return vector;
	for (let index = 0; index < vector.length; index++) {
		vector[index] = (vector[index] as number) / length;
	}
	return vector;
}

/** The beginning of a vector, made a whole one again. @throws AppError `invalid_request` beyond its length */
export function cutVector(vector: Float32Array, dimensions: number | undefined): Float32Array {
	if (dimensions === undefined || dimensions === vector.length) return vector;
	if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > vector.length) {
		throw new AppError(
			'invalid_request',
			`dimensions must be from 1 to ${vector.length}, not ${dimensions}.`,
			{ param: 'dimensions' },
		);
	}
	return normalize(vector.slice(0, dimensions));
}
