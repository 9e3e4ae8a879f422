/**
 * Opens a decoder-only model: reads the graph, has it rewritten, chooses how it is run, and checks the
 * fast way against the plain one before using it.
 */

import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import { type GraphSummary, readGraphSummary } from '../folder/graphSummary.ts';
import { asNumber, asRecord, readJsonFile } from '../folder/json.ts';
import { sharesScales } from '../folder/precision.ts';
import { readFactorLimit } from '../onnx/factorLimit.ts';
import { type Preparation, prepareGraph } from '../onnx/prepare.ts';
import { weightSharing } from '../onnx/weightSharing.ts';
import type { Runtime, Session, SessionOptions } from '../runtime/runtime.ts';
import { type OpenGraph, openVerified } from '../verify/openVerified.ts';
import { tolerances } from '../verify/readings.ts';
import type { Verdicts } from '../verify/verdict.ts';
import type { Decoder } from './decoder.ts';
import { type DecoderGraph, readDecoderGraph } from './decoderGraph.ts';
import { HolesDecoder } from './holesDecoder.ts';
import { PackedDecoder } from './packedDecoder.ts';
import { compareSteps, readAlone } from './readSteps.ts';
import { openSerialDecoder, type SerialDecoderOptions } from './serialDecoder.ts';

export interface LoadDecoderOptions {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
	readonly verdicts?: Verdicts;
	/** Most tokens of a sequence. */
	readonly contextLength: number;
	/** False keeps the graph as it was published and runs one sequence at a time. */
	readonly prepare?: boolean;
	/** Told when a fast path is not used, and why. */
	readonly onNotice?: (notice: string) => void;
}

const slotCounts = [4, 8];
const holesRows = 8;

/** @throws AppError `unsupported_model` naming the file and the fault */
export async function loadDecoder(given: LoadDecoderOptions): Promise<Decoder> {
	const { description, variant, contextLength, onNotice } = given;
	const file = variant.files.model ?? variant.files['decoder-merged'] ?? variant.files.decoder;
	if (file === undefined) {
		throw new AppError(
			'unsupported_model',
			`The folder ${description.folder} has no decoder graph in ${variant.precision}.`,
		);
	}
	const path = await modelFile(description.folder, file);
	const summary = await readGraphSummary(path);
	// Caches in place and slots need memory that the kernels write where it is bound: only the CPU does.
	const onCpu = (given.session.executionProvider ?? 'cpu') === 'cpu';
	const prepares = given.prepare !== false && onCpu;
	// Graphs for more sequences are opened later over the same weights.
	const sharing = prepares ? await weightSharing(path) : undefined;
	const options =
		sharing === undefined ? given : { ...given, session: { ...given.session, sharing } };
	const isPlain = !summary.ops.has('com.microsoft:GroupQueryAttention');
	const isWindowed = isPlain && (await hasWindow(description.folder, contextLength));
	const ways = prepares ? await waysOf(description.folder, summary, isPlain && !isWindowed) : [];
	const recomputeAbove = summary.ops.has('If') ? await readFactorLimit(path) : undefined;
	let differed = false;
	let refused: string | undefined;
	const { opened, way } = await openVerified(
		{
			paths: [path],
			dynamic: new Set(sharesScales(summary) ? [path] : []),
			runtime: given.runtime,
			session: options.session,
			verdicts: given.verdicts,
			most: variant.precision === 'fp32' ? tolerances.float : tolerances.quantised,
			wrap: async ([graph], isReference) => {
				const { session, source } = graph as OpenGraph;
				const read = readDecoderGraph(session, await readGraphSummary(source), description);
				// Caches in place are a faster way as well, but that rings work in no other.
				const grows = !onCpu || ((isReference || differed) && !hasRing(read));
				return openSerial(session, grows ? { ...read, inPlace: false } : read, {
					contextLength,
					// What has been measured: other devices choose their kernels by the size of a run.
					bitwiseInvariant:
						onCpu && read.batchInvariant && read.logitsForm !== 'last' && !hasRing(read),
					...(recomputeAbove === undefined ? {} : { recomputeAbove }),
				});
			},
			read: ({ serial }) => readAlone(serial),
		},
		ways,
		({ change, reason, differs }, { fuseHeads }) => {
			differed ||= differs;
			if (differs) onNotice?.(`The graph is not rewritten for ${change}: ${reason}.`);
			// Attention that cannot be fused is nothing out of the ordinary.
			else if (fuseHeads === undefined) refused = reason;
		},
	);
	const { session, graph, serial } = opened;
	if (prepares && !graph.batchInvariant)
		onNotice?.(`Sequences run one at a time: ${refused ?? 'they would share scales'}.`);
	else if (refused !== undefined) onNotice?.(`The graph is not prepared: ${refused}.`);
	if (serial.lastLogitsOnly === true)
		onNotice?.('The next tokens are not guessed: the graph gives the logits of the last one only.');
	const isSerial =
		!prepares ||
		!graph.batchInvariant ||
		serial.lastLogitsOnly === true ||
		hasRing(graph) ||
		recomputeAbove !== undefined;
	if (isSerial) return serial;
	if (graph.inPlace)
		return way?.gather === true ? packed(path, serial, graph, way, options) : serial;
	if (!isPlain || graph.positions === undefined || graph.mask === undefined || isWindowed)
		return serial;
	try {
		return await holes(session, serial, graph, options);
	} catch (error) {
		serial.close();
		throw error;
	}
}

/** Changes to try, the best first. */
async function waysOf(
	folder: string,
	summary: GraphSummary,
	mayFuse: boolean,
): Promise<readonly Preparation[]> {
	// Rows depend on each other until each has scales of its own.
	const base: Preparation = sharesScales(summary) ? { rows: true } : {};
	const heads = mayFuse ? await queryHeads(folder) : undefined;
	return [
		...(heads === undefined ? [] : [{ ...base, gather: true, fuseHeads: heads }]),
		{ ...base, gather: true },
		...(base.rows === true ? [base] : []),
	];
}

interface SerialGraph {
	readonly session: Session;
	readonly graph: DecoderGraph;
	readonly serial: Decoder;
	close(): void;
}

async function openSerial(
	session: Session,
	declared: DecoderGraph,
	options: SerialDecoderOptions,
): Promise<SerialGraph> {
	const { serial, graph } = await openSerialDecoder(session, declared, options);
	return { session, graph, serial, close: () => serial.close() };
}

function hasRing({ caches }: DecoderGraph): boolean {
	return caches.some(({ ring }) => ring !== undefined);
}

function packed(
	path: string,
	serial: Decoder,
	graph: DecoderGraph,
	preparation: Preparation,
	{ runtime, session, contextLength, onNotice }: LoadDecoderOptions,
): Decoder {
	return new PackedDecoder({
		serial,
		graph,
		contextLength,
		slotCounts,
		onRefused: (reason) => onNotice?.(`Sequences run one at a time: ${reason}.`),
		openSlots: async (slots) => {
			const ready = await prepareGraph(path, { ...preparation, slots });
			if ('refused' in ready) throw new Error(ready.refused);
			return runtime.open(ready, session);
		},
	});
}

/** Checks the graph with masked holes once; a graph that minds them runs one sequence at a time. */
async function holes(
	session: Session,
	serial: Decoder,
	graph: DecoderGraph,
	{ contextLength, onNotice }: LoadDecoderOptions,
): Promise<Decoder> {
	const decoder = new HolesDecoder(session, graph, { contextLength, maxRows: holesRows });
	const differs = await compareSteps(
		serial,
		() => decoder.createCache(),
		(rows) => decoder.step(rows),
	);
	if (differs === undefined) return decoder;
	onNotice?.(`Sequences run one at a time: ${differs} when caches are padded.`);
	return serial;
}

async function queryHeads(folder: string): Promise<number | undefined> {
	const config = await readJsonFile(folder, 'config.json');
	const text = asRecord(config?.['text_config']);
	for (const from of [config, text]) {
		const heads = asNumber(from?.['num_attention_heads']) ?? asNumber(from?.['n_head']);
		if (heads !== undefined) return heads;
	}
	return undefined;
}

/** True when the graph attends to a window shorter than the context. */
async function hasWindow(folder: string, contextLength: number): Promise<boolean> {
	const config = await readJsonFile(folder, 'config.json');
	const window = asNumber(config?.['sliding_window']);
	return window !== undefined && config?.['use_sliding_window'] !== false && window < contextLength;
}
