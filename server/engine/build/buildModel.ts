/**
 * Builds a model folder from published weights: plans the graph from names and shapes, then reads the weights
 * band by band into their places. The folder appears under its name when it is complete.
 */

import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { recipeVersion } from '../../hub/recipeVersion.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError, type BuiltLoss } from '../../protocol/index.ts';
import { writePrivateFile } from '../../store/files.ts';
import { lockFile } from '../../store/lock.ts';
import { makeFolder } from '../../store/makeFolder.ts';
import { movePath, removePath } from '../../store/movePath.ts';
import { originName } from '../modelFiles/builtLoss.ts';
import type { JsonRecord } from '../modelFiles/json.ts';
import {
	familyOfConfig,
	languageConfig,
	readDecoderConfig,
} from './architectures/decoderConfig.ts';
import { decoderFamily } from './architectures/decoderFamilies.ts';
import { activationOf, readEncoderConfig } from './architectures/encoderConfig.ts';
import { isMarian, readMarianShape } from './architectures/marianSettings.ts';
import { scoreHeadOf } from './architectures/scoreHead.ts';
import { readSeq2SeqConfig } from './architectures/seq2seqConfig.ts';
import { finishedIn, removeOthers } from './finishedFolder.ts';
import type { GraphPlan } from './graph/graphWriter.ts';
import { planDecoder } from './graph/planDecoder.ts';
import { planEncoder } from './graph/planEncoder.ts';
import { planSeq2Seq } from './graph/planSeq2Seq.ts';
import { Journal } from './journal.ts';
import type { CalibrationTokens } from './measure/calibration.ts';
import { type Followed, follow, vocabularyToFollow } from './measure/follow.ts';
import { readState, removeStates, writeState } from './measure/referenceState.ts';
import { type BuildQuality, recipeOf } from './recipe.ts';
import type { TensorSource } from './sources/tensorSource.ts';

export interface BuildProgress {
	/** Of the weights' file. */
	readonly doneBytes: number;
	readonly totalBytes: number;
}

/** Where weights come from, as `nearglot-origin.json` keeps it. */
export interface BuildOrigin {
	/** Repository and file, or the path of a file. */
	readonly source: string;
	/** Commit of a repository. */
	readonly revision?: string;
	/** File → SHA-256, or what else tells its content from any other. */
	readonly hashes?: Readonly<Record<string, string>>;
}

export interface BuildOptions {
	readonly source: TensorSource;
	/** config.json in the form of the hub. */
	readonly config: JsonRecord;
	/** Folder to make; it must not be there yet, unless it is {@link ownTarget}. */
	readonly target: string;
	/** What has the target's name is of an earlier try: the same is taken as it is, anything else goes. */
	readonly ownTarget?: boolean;
	readonly quality: BuildQuality;
	/** Keeps the numbers of the source: float32 for those that are not in blocks. */
	readonly keep?: boolean;
	/** Models with fewer numbers get 8 bits; 200 million when absent. */
	readonly minFourBitNumbers?: number;
	readonly origin: BuildOrigin;
	/** Other files of the folder by name: the tokenizer, the template. */
	readonly files: ReadonlyMap<string, string | Uint8Array>;
	/** Folder for what is unfinished; beside the target when absent. */
	readonly work?: string;
	/** False: errors in all columns count the same, whatever texts use. */
	readonly importance?: boolean;
	/** Bytes between two notes in the journal: what a killed build does twice at most. */
	readonly noteBytes?: number;
	readonly onProgress?: (progress: BuildProgress) => void;
	/**
	 * Texts that the model is to read, from the folder with its tokenizer and the tokens that its embedding has; where
	 * it gives them, columns that they use get the smaller errors, and the loss is measured.
	 */
	readonly calibration?: (
		folder: string,
		vocabulary: number,
	) => Promise<CalibrationTokens | undefined>;
	/**
	 * Looks at the small files before any weight is read, also when a build goes on. Where it rejects with
	 * `unsupported_model`, nothing stays; with anything else, what is there waits for the next try.
	 */
	readonly checkFiles?: (folder: string) => Promise<void>;
	/**
	 * Looks at the finished folder before it gets its name and gives the loss. Where it rejects, nothing stays, unless it
	 * was cancelled or had too little memory.
	 */
	readonly check?: (folder: string, found: Followed) => Promise<BuiltLoss | undefined>;
	readonly signal?: AbortSignal;
}

/** What a build will take, known before any weight is read. */
export interface BuildPlan {
	readonly sizeBytes: number;
	readonly graph: GraphPlan;
}

/**
 * Plans a build.
 * @throws AppError `unsupported_model` naming what is not known here
 */
export function planBuild(
	options: Pick<BuildOptions, 'source' | 'config' | 'quality' | 'keep' | 'minFourBitNumbers'>,
): BuildPlan {
	const { source, config, keep = false } = options;
	const seq2seq = isMarian(source) ? readMarianShape(source) : readSeq2SeqConfig(config);
	const encoder = readEncoderConfig(config);
	const isDecoder = seq2seq === undefined && encoder === undefined;
	// What an encoder loses is lost for every token that follows.
	const { minFourBitNumbers = isDecoder ? undefined : Number.POSITIVE_INFINITY } = options;
	const { recipe, suffix } = recipeOf(source, {
		quality: options.quality,
		keep,
		...(minFourBitNumbers === undefined ? {} : { minFourBitNumbers }),
	});
	const common = { source, recipe, suffix, producer: 'nearglot' };
	const graph =
		seq2seq !== undefined
			? planSeq2Seq({ ...common, shape: seq2seq })
			: encoder !== undefined
				? planEncoder({
						...common,
						shape: encoder,
						...defined({ head: scoreHeadOf(config, source, activationOf) }),
					})
				: planDecoder({ ...common, ...decoderOf(config) });
	let sizeBytes = graph.dataBytes;
	for (const bytes of graph.graphs.values()) sizeBytes += bytes.length;
	return { sizeBytes, graph };
}

function decoderOf(config: JsonRecord) {
	const { family } = familyOfConfig(languageConfig(config));
	return { family, shape: readDecoderConfig(config) };
}

/** The settings of the language model, with the context that is built, also where the family's files leave it unsaid. */
function configOf(given: JsonRecord): JsonRecord {
	const config = languageConfig(given);
	if (decoderFamily(String(config['model_type'])) === undefined) return config;
	const { contextLength } = readDecoderConfig(given);
	const keys = ['max_position_embeddings', 'n_positions'].filter((key) => key in config);
	if (keys.length > 0 && keys.every((key) => Number(config[key]) <= contextLength)) return config;
	const said = keys.length === 0 ? ['max_position_embeddings'] : keys;
	return { ...config, ...Object.fromEntries(said.map((key) => [key, contextLength])) };
}

/** What a build says when it is through. */
export interface Built extends BuildPlan {
	readonly loss?: BuiltLoss;
}

/**
 * Builds the folder. Cancelled or killed, the same call goes on where it was.
 * @throws AppError `unsupported_model`, `conflict` when the target is there, `cancelled`, or of the disk
 */
export async function buildModel(options: BuildOptions): Promise<Built> {
	const { target, signal } = options;
	const plan = planBuild(options);
	const work = options.work ?? join(dirname(target), '.building', basename(target));
	makeFolder(dirname(work));
	await using _lock = await lockFile(`${work}.lock`, signal === undefined ? {} : { signal });
	const journal = `${work}.journal`;
	const clear = async (): Promise<void> => {
		await removePath(journal, { force: true });
		await removeStates(work);
	};
	const text = (value: unknown): string => `${JSON.stringify(value, undefined, '\t')}\n`;
	const files = new Map([
		...options.files,
		['config.json', text(configOf(options.config))] as const,
		...[...plan.graph.graphs].map(([name, bytes]) => [`onnx/${name}`, bytes] as const),
	]);
	const data = { path: `onnx/${plan.graph.dataName}`, bytes: plan.graph.dataBytes };
	const planned = new Set([...files.keys(), data.path]);
	const origin = originOf(options);
	if (options.ownTarget === true) {
		const finished = await finishedIn(target, { files, data, origin });
		if (finished !== undefined) {
			await removeOthers(target, new Set([...planned, originName]));
			await clear();
			return { ...plan, ...finished };
		}
		await removePath(target, { recursive: true, force: true });
	}
	await refuseTaken(target);
	makeFolder(join(work, 'onnx'));
	// Whatever was begun here before is renamed with the rest.
	await removeOthers(work, planned);
	for (const [name, content] of files) await writeWhole(join(work, name), content);
	const removed = async (): Promise<void> => {
		try {
			await clear();
			await removePath(work, { recursive: true, force: true });
		} catch {
			// Why it cannot be built is what matters; what stays is unfinished and is removed later.
		}
	};
	await options.checkFiles?.(work).catch(async (error: unknown) => {
		// Too little time or memory says nothing of the files.
		if (codeOf(error) === 'unsupported_model') await removed();
		throw error;
	});
	const vocabulary = vocabularyToFollow(plan.graph);
	const calibration = vocabulary === 0 ? undefined : await options.calibration?.(work, vocabulary);
	const hash = createHash('sha256').update(JSON.stringify([origin, calibration]));
	for (const [name, bytes] of plan.graph.graphs) hash.update(name).update(bytes);
	const identity = hash.digest('hex');
	const path = join(work, data.path);
	const found = await fill(plan, path, journal, { work, identity, calibration }, options);
	let loss: BuiltLoss | undefined;
	try {
		loss = await options.check?.(work, found);
	} catch (error) {
		if (!['cancelled', 'out_of_memory'].includes(codeOf(error) ?? '')) await removed();
		throw error;
	}
	const said = loss === undefined ? origin : { ...origin, loss };
	await writeWhole(join(work, originName), text(said));
	await movePath(work, target);
	await clear();
	return loss === undefined ? plan : { ...plan, loss };
}

const codeOf = (error: unknown): string | undefined =>
	error instanceof AppError ? error.code : undefined;

async function fill(
	plan: BuildPlan,
	path: string,
	journalPath: string,
	{
		work,
		identity,
		calibration,
	}: { work: string; identity: string; calibration: CalibrationTokens | undefined },
	{ source, onProgress, signal, noteBytes = 64 * 2 ** 20, importance = true }: BuildOptions,
): Promise<Followed> {
	const { bands, dataBytes } = plan.graph;
	// A journal without the file it speaks of is of a folder that somebody removed.
	const found = await stat(path).catch(() => undefined);
	if (found?.size !== dataBytes) await removePath(journalPath, { force: true });
	await using journal = await Journal.open(journalPath, identity);
	await using file = await open(path, found === undefined ? 'w+' : 'r+');
	// Between the weights lies nothing, not what another build has left there.
	if (journal.finished === 0) await file.truncate(0);
	await file.truncate(dataBytes);
	const state = await readState(work, identity, journal.finished);
	// What passed by unseen has to pass by once more.
	const first = state === undefined ? 0 : Math.min(journal.finished, bands.length);
	await using watcher = await follow({
		plan: plan.graph,
		source,
		calibration,
		state,
		weighs: importance,
		readWritten: async (offset, length) => {
			const bytes = new Uint8Array(length);
			for (let at = 0; at < length; ) {
				const { bytesRead } = await file.read(bytes, at, length - at, offset + at);
				if (bytesRead === 0) throw new RangeError(`${path} ends at ${offset + at}`);
				at += bytesRead;
			}
			return bytes;
		},
	});
	let doneBytes = 0;
	let unnoted = 0;
	if (first > 0) {
		const known = bands.slice(0, first).reduce((sum, { bytes }) => sum + bytes, 0);
		onProgress?.({ doneBytes: known, totalBytes: dataBytes });
	}
	for (const [index, band] of bands.entries()) {
		doneBytes += band.bytes;
		if (index < first) continue;
		if (signal?.aborted === true) throw new AppError('cancelled');
		await watcher.prepare(band.rows, signal);
		for (const { offset, bytes } of await band.make(signal, watcher)) {
			for (let at = 0; at < bytes.length; ) {
				const { bytesWritten } = await file.write(bytes, at, bytes.length - at, offset + at);
				at += bytesWritten;
			}
		}
		unnoted += band.bytes;
		if (unnoted >= noteBytes || index === bands.length - 1) {
			await file.datasync();
			await writeState(work, identity, index + 1, watcher.state);
			await journal.note(index + 1);
			await removeStates(work, index + 1);
			unnoted = 0;
		}
		onProgress?.({ doneBytes, totalBytes: dataBytes });
	}
	return await watcher.finish(signal);
}

function originOf({ origin, source, quality, keep, importance = true }: BuildOptions) {
	const tensors = createHash('sha256');
	for (const { name, shape, type } of source.tensors.values())
		tensors.update(`${JSON.stringify([name, shape, type])}\n`);
	return {
		...origin,
		tensors: tensors.digest('hex'),
		recipe: { version: recipeVersion, quality, keep: keep === true, importance },
	};
}

async function refuseTaken(target: string): Promise<void> {
	if ((await stat(target).catch(() => undefined)) === undefined) return;
	throw new AppError('conflict', `${target} is there already; remove it to build it again.`);
}

async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
	makeFolder(dirname(path));
	if (typeof content === 'string') {
		await writePrivateFile(path, content);
		return;
	}
	await using file = await open(path, 'w');
	await file.writeFile(content);
	await file.sync();
}
