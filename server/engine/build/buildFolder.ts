/**
 * Builds a model of a GGUF file, of safetensors or of a student's files: opens what there is, plans, and writes graph, tokenizer and
 * settings into one folder. Everything it reads was made by strangers, so it runs in a process of its own.
 */

import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkFileLimit, graphLimits } from '../../hub/modelData/fileLimits.ts';
import { readModelBytes, readModelJson } from '../../hub/modelData/readModelFile.ts';
import { isLicenceFile, isSideFile } from '../../hub/sideFiles.ts';
import { AppError, type BuiltLoss } from '../../protocol/index.ts';
import { visibleLine } from '../../protocol/visibleText.ts';
import { moduleTypes, refuseModules } from '../embed/pooling.ts';
import { cacheBytes, runtimeBytes } from '../modelFiles/estimateMemory.ts';
import { asNumber, type JsonRecord } from '../modelFiles/json.ts';
import { languageConfig, maxContext, readDecoderConfig } from './architectures/decoderConfig.ts';
import { decoderFamily, vectorsOfDecoder } from './architectures/decoderFamilies.ts';
import { ggufConfig } from './architectures/ggufConfig.ts';
import { ggufEncoder, isGgufEncoder } from './architectures/ggufEncoder.ts';
import { type BuildOrigin, type BuildPlan, buildModel, planBuild } from './buildModel.ts';
import { checkBuilt } from './checkBuilt.ts';
import { checkTexts } from './checkTexts.ts';
import { besideWeights, withGenerationBeside } from './generationConfig.ts';
import { readCalibration } from './measure/calibration.ts';
import { closeAll } from './sources/bytes.ts';
import { openGguf } from './sources/gguf.ts';
import { openModelSource, openSettings } from './sources/openModelSource.ts';
import { holdsStudent, openStudent } from './sources/openStudent.ts';
import { openSafetensors } from './sources/safetensors.ts';
import type { ByteSource, TensorSource } from './sources/tensorSource.ts';
import { studentSettings } from './studentFolder.ts';
import { tokenizerFromGguf } from './tokenizer/tokenizerFromGguf.ts';
import { tokenizerFromMerges } from './tokenizer/tokenizerFromMerges.ts';
import { tokenizerFromVocabulary } from './tokenizer/tokenizerFromVocabulary.ts';

/** Bytes that can be read anywhere. */
export interface ReadableBytes {
	readonly name: string;
	readonly size: number;
	/** Exactly `length` bytes from `offset`. @throws RangeError beyond the end */
	read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/** Where weights are read from. */
export type BuildSource =
	/** A `.gguf` file, or a folder of safetensors or of a student. */
	| { readonly kind: 'path'; readonly path: string }
	| {
			readonly kind: 'files';
			readonly format: 'gguf' | 'safetensors';
			/** Of weights alone; the parts in order. */
			readonly files: readonly ReadableBytes[];
	  };

export interface FolderBuild {
	readonly source: BuildSource;
	/** Folder with config.json, tokenizer and templates; GGUF files have all of it themselves. */
	readonly sides?: string;
	/** Folder to make. What an earlier try has finished there is taken when it is the same, and goes when it is not. */
	readonly target: string;
	readonly origin: BuildOrigin;
	/** Codes of source and target, where files of a translator do not say them. */
	readonly languages?: readonly [string, string];
	/** More bits where they tell. */
	readonly quality?: boolean;
	/** Keeps the numbers of the source. */
	readonly keep?: boolean;
}

/** What will be built, known before any weight is read. */
export interface BuildFacts {
	/** Family of the model: `llama`, `qwen3`. */
	readonly architecture: string;
	/** Numbers in all of its tensors. */
	readonly parameters: number;
	/** Of the folder that is made. */
	readonly sizeBytes: number;
	/** About how much memory it takes while loaded. */
	readonly memoryBytes: number;
	/** Bytes of weights that each token of an answer is computed with; of language models that use all of theirs. */
	readonly tokenBytes?: number;
	/** As the file states it. */
	readonly license?: string;
	/** How most of the weights are stored in the source: `q4_k`, `bf16`. */
	readonly storedAs: string;
	/** It reads images or sound as well as it was published; that part is left out. */
	readonly isTextPart?: true;
	/** Tokens of the context, where it is cut: as published, and as built. */
	readonly cutContext?: { readonly published: number; readonly built: number };
	/** Neither `quality` nor `keep`, where one was asked for, makes it another model. */
	readonly isUnchanged?: true;
}

export interface FolderProgress {
	readonly phase: 'build' | 'check';
	readonly doneBytes: number;
	readonly totalBytes: number;
}

export interface FolderListener {
	/** Told the plan; the build goes on when it resolves. */
	onPlan(facts: BuildFacts): Promise<void>;
	onProgress(progress: FolderProgress): void;
	/** Bytes of memory that can be had now; asked when the model is built and is to be loaded once. */
	usableBytes(): Promise<number>;
}

/** What the folder has beside graph and settings. */
type Files = Map<string, string | Uint8Array>;

interface Settings {
	/** What is built instead of what was opened: the same weights under other names. */
	readonly source?: TensorSource;
	readonly config: JsonRecord;
	readonly files: Files;
}

/**
 * @returns what was lost
 * @throws AppError `unsupported_model` naming what is not known here, or of the disk and the source
 */
export async function buildFolder(
	build: FolderBuild,
	listener: FolderListener,
): Promise<BuiltLoss | undefined> {
	const { source: opened, config, files } = await open(build);
	await using source = opened;
	const { target, origin, keep = false } = build;
	const options = {
		source,
		config,
		target,
		ownTarget: true,
		origin,
		files,
		quality: build.quality === true ? ('high' as const) : ('standard' as const),
		keep,
	};
	const plan = planBuild(options);
	checkFileLimit(
		plan.graph.dataName,
		'bytes of weights',
		plan.graph.dataBytes,
		graphLimits.maxBytes,
	);
	let sizeBytes = plan.sizeBytes;
	for (const content of files.values()) sizeBytes += content.length;
	const { tokenBytes } = plan.graph;
	// Of experts, each token is computed with some only.
	const isWhole = tokenBytes !== undefined && expertsIn(config) === 0;
	const facts = {
		...factsOf(source, config, sizeBytes),
		...(isWhole ? { tokenBytes } : {}),
		...(isUnchanged(options, plan) ? { isUnchanged: true as const } : {}),
	};
	await listener.onPlan(facts);
	const { loss } = await buildModel({
		...options,
		checkFiles: (folder) => checkTexts(folder, asNumber(languageConfig(config)['vocab_size'])),
		calibration: (folder, vocabulary) =>
			readCalibration(folder, vocabulary, readDecoderConfig(config).contextLength),
		onProgress: (progress) => listener.onProgress({ phase: 'build', ...progress }),
		check: async (folder, found) => {
			const onStep = () =>
				listener.onProgress({ phase: 'check', doneBytes: 0, totalBytes: sizeBytes });
			onStep();
			return checkBuilt(folder, found, {
				onStep,
				// It reads a few tokens only.
				neededBytes: sizeBytes + runtimeBytes,
				availableBytes: await listener.usableBytes(),
			});
		},
	});
	listener.onProgress({ phase: 'check', doneBytes: sizeBytes, totalBytes: sizeBytes });
	return loss;
}

/** Whether the usual form would have the same weights as the one that is asked for. */
function isUnchanged(
	options: Parameters<typeof planBuild>[0],
	{ graph: { dataBytes } }: BuildPlan,
): boolean {
	if (options.quality === 'standard' && options.keep !== true) return false;
	const usual = planBuild({ ...options, quality: 'standard', keep: false });
	return usual.graph.dataBytes === dataBytes;
}

interface OpenedBuild {
	readonly source: TensorSource;
	readonly config: JsonRecord;
	readonly files: Files;
}

async function open(build: FolderBuild): Promise<OpenedBuild> {
	const { source: from } = build;
	if (from.kind === 'path' && (await isStudent(from.path))) {
		const student = await openStudent(from.path);
		return withSettings(student.source, () => studentSettings(student, build.languages));
	}
	return withSettings(await openWeights(from, build.sides), (source) => settingsOf(source, build));
}

/** Closes the source where its settings cannot be had. */
async function withSettings(
	source: TensorSource,
	settings: (source: TensorSource) => Settings | Promise<Settings>,
): Promise<OpenedBuild> {
	try {
		return { source, ...(await settings(source)) };
	} catch (error) {
		await source[Symbol.asyncDispose]();
		throw error;
	}
}

async function isStudent(path: string): Promise<boolean> {
	return (await stat(path)).isDirectory() && (await holdsStudent(path));
}

async function openWeights(source: BuildSource, sides: string | undefined): Promise<TensorSource> {
	if (source.kind === 'path') return openModelSource(source.path);
	const files = source.files.map(
		(file): ByteSource => ({
			name: file.name,
			size: file.size,
			read: (offset, length, signal) => file.read(offset, length, signal),
			[Symbol.asyncDispose]: async () => {},
		}),
	);
	if (source.format === 'gguf') return openGguf(files);
	const settings = sides === undefined ? [] : await openSettings(sides);
	try {
		return await openSafetensors(
			new Map([...files, ...settings].map((file) => [file.name ?? '', file])),
		);
	} catch (error) {
		await closeAll(settings);
		throw error;
	}
}

async function settingsOf(
	source: TensorSource,
	{ source: from, sides }: FolderBuild,
): Promise<Settings> {
	if (source.metadata.has('general.architecture')) {
		// What cannot be built at all is said before what is missing of it.
		const config = await ggufConfig(source);
		const { tokenizerJson, tokenizerConfig, generationConfig, tokenCount } = tokenizerFromGguf(
			source.metadata,
		);
		const beside = besideWeights(from, sides);
		const generation =
			beside === undefined || isGgufEncoder(source)
				? generationConfig
				: await withGenerationBeside(generationConfig, beside, tokenCount);
		const files: Files = new Map([
			['tokenizer.json', JSON.stringify(tokenizerJson)],
			['tokenizer_config.json', `${JSON.stringify(tokenizerConfig, undefined, '\t')}\n`],
			['generation_config.json', `${JSON.stringify(generation, undefined, '\t')}\n`],
		]);
		if (sides !== undefined) await readLicences(sides, files);
		if (!isGgufEncoder(source)) return { config, files };
		const { pooling, ...encoder } = ggufEncoder(source, config);
		if (pooling !== undefined) files.set('1_Pooling/config.json', JSON.stringify(pooling));
		return { ...encoder, files };
	}
	const folder = sides ?? (from.kind === 'path' ? from.path : undefined);
	const config = folder === undefined ? undefined : await readModelJson(folder, 'config.json');
	if (folder === undefined || config === undefined)
		throw new AppError(
			'unsupported_model',
			`There is no config.json beside the weights${folder === undefined ? '' : ` in ${basename(folder)}`}, so it is not known what they mean.`,
		);
	const modules = await moduleTypes(folder);
	refuseModules(modules);
	if (modules.includes('Pooling') && isDecoder(config)) throw vectorsOfDecoder('modules.json');
	return { config, files: await sideFiles(folder, config) };
}

/** Further chat templates lie in it. */
const templateFolder = 'additional_chat_templates';

async function readLicences(folder: string, files: Files): Promise<void> {
	for (const name of (await readdir(folder)).filter(isLicenceFile)) {
		const bytes = await readModelBytes(folder, name);
		if (bytes !== undefined) files.set(name, bytes);
	}
}

async function sideFiles(folder: string, config: JsonRecord): Promise<Files> {
	const files: Files = new Map();
	const templates = await readdir(join(folder, templateFolder)).catch(() => []);
	const names = [
		...(await readdir(folder)),
		...templates.map((name) => `${templateFolder}/${name}`),
		'1_Pooling/config.json',
	].filter((name) => isSideFile(name) && name !== 'config.json');
	for (const name of names) {
		const bytes = await readModelBytes(folder, name);
		if (bytes !== undefined) files.set(name, bytes);
	}
	if (files.has('sentencepiece.bpe.model') && !files.has('tokenizer.json'))
		throw new AppError(
			'unsupported_model',
			'The tokenizer is sentencepiece.bpe.model without tokenizer.json, whose ids are not those of the model. Take a repository of the model that has tokenizer.json.',
		);
	const tokenizers =
		/^(tokenizer\.(json|model)|sentencepiece\.bpe\.model|spiece\.model)$|\.(spm|tiktoken)$/;
	if ([...files.keys()].some((name) => tokenizers.test(name))) return files;
	const made =
		(await tokenizerFromMerges(folder, config)) ?? (await tokenizerFromVocabulary(folder, config));
	if (made === undefined)
		throw new AppError(
			'unsupported_model',
			'There is no tokenizer beside the weights (tokenizer.json, tokenizer.model, source.spm with vocab.json, vocab.json with merges.txt, vocab.txt, or a .tiktoken file).',
		);
	files.set('tokenizer.json', JSON.stringify(made));
	return files;
}

function isDecoder(config: JsonRecord): boolean {
	return decoderFamily(String(languageConfig(config)['model_type'])) !== undefined;
}

function expertsIn(config: JsonRecord): number {
	const { num_local_experts: local, num_experts: all } = languageConfig(config);
	return asNumber(local) ?? asNumber(all) ?? 0;
}

/** Bytes of the keys and values that a language model keeps, in float32 as its graph has them. */
function cacheOf(config: JsonRecord): number {
	if (!isDecoder(config)) return 0;
	const { layers, kvHeads, headSize, contextLength } = readDecoderConfig(config);
	return cacheBytes({ layers: layers.length, kvHeads, headSize, contextLength }, 4);
}

function cutContext(config: JsonRecord): Pick<BuildFacts, 'cutContext'> {
	if (!isDecoder(config)) return {};
	const { max_position_embeddings: positions, n_positions: older } = languageConfig(config);
	const published = asNumber(positions) ?? asNumber(older) ?? 0;
	return published > maxContext ? { cutContext: { published, built: maxContext } } : {};
}

function factsOf(source: TensorSource, config: JsonRecord, sizeBytes: number): BuildFacts {
	let parameters = 0;
	const byType = new Map<string, number>();
	for (const { shape, type } of source.tensors.values()) {
		const count = shape.reduce((product, size) => product * size, 1);
		parameters += count;
		byType.set(type, (byType.get(type) ?? 0) + count);
	}
	const [most] = [...byType].sort((a, b) => b[1] - a[1]);
	const license = source.metadata.get('general.license');
	return {
		architecture: visibleLine(String(config['model_type'] ?? '').slice(0, 100)),
		parameters,
		sizeBytes,
		memoryBytes: sizeBytes + cacheOf(config) + runtimeBytes,
		...(typeof license === 'string' ? { license: visibleLine(license.slice(0, 200)) } : {}),
		storedAs: most?.[0] ?? '',
		...cutContext(config),
		...(config['vision_config'] !== undefined || config['audio_config'] !== undefined
			? { isTextPart: true }
			: {}),
	};
}
