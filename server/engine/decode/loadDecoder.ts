/**
 * Opens a decoder-only model: reads the graph, has it rewritten, chooses how it is run, and checks the
 * fast way against the plain one before using it.
 */

import { modelFile } from '../../hub/modelFile.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import { type GraphSummary, readGraphSummary } from '../modelFiles/graphSummary.ts';
import { asNumber, asRecord, readJsonFile } from '../modelFiles/json.ts';
import { hasPerTensorScales } from '../modelFiles/precision.ts';
import { mayTakeExactActivations } from '../onnx/exactActivations.ts';
import { mayUseInt4Kernel } from '../onnx/int4Kernel.ts';
import { readLongRopeLimit } from '../onnx/longRopeLimit.ts';
import { type GraphRewrites, rewriteGraph } from '../onnx/rewriteGraph.ts';
import { weightSharing } from '../onnx/weightSharing.ts';
import type { Runtime, Session, SessionOptions } from '../runtime/runtime.ts';
import { kernelNotice } from '../runtime/runtimeNotices.ts';
import { type OpenGraph, openVerified } from '../verify/openVerified.ts';
import { tolerances } from '../verify/readings.ts';
import { cutsSignedSums } from '../verify/signedSums.ts';
import type { Verdicts } from '../verify/verdict.ts';
import type { Decoder } from './decoder.ts';
import { type DecoderGraph, readDecoderGraph } from './decoderGraph.ts';
import { PackedDecoder } from './packedDecoder.ts';
import { readSerially } from './readSteps.ts';
import { openSerialDecoder, type SerialDecoderOptions } from './serialDecoder.ts';

export interface LoadDecoderOptions {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
	readonly verdicts?: Verdicts;
	/** Maximum tokens of a sequence. */
	readonly contextLength: number;
	/** False keeps the graph as it was published and runs one sequence at a time. */
	readonly rewrite?: boolean;
	/** Called if a fast path is not used, and why. */
	readonly onNotice?: (notice: string) => void;
}

const slotCounts = [4, 8];

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
	const rewritesGraph = given.rewrite !== false && onCpu;
	// Graphs for more sequences are opened later over the same weights.
	const { runtime } = given;
	const cutsSigned =
		runtime.kind === 'c-api' && summary.ops.has('MatMulInteger') && (await cutsSignedSums(runtime));
	const sharing = rewritesGraph ? await weightSharing(path, cutsSigned) : undefined;
	const options =
		sharing === undefined ? given : { ...given, session: { ...given.session, sharing } };
	const isPlain = !summary.ops.has('com.microsoft:GroupQueryAttention');
	const isWindowed = isPlain && (await hasWindow(description.folder, contextLength));
	const candidates = rewritesGraph
		? await possibleRewrites(description.folder, summary, isPlain && !isWindowed)
		: [];
	const longRopeThreshold = summary.ops.has('If') ? await readLongRopeLimit(path) : undefined;
	let differed = false;
	let refused: string | undefined;
	let unsuited: string | undefined;
	const { opened, rewrites } = await openVerified(
		{
			paths: [path],
			dynamic: new Set(hasPerTensorScales(summary) ? [path] : []),
			runtime: given.runtime,
			kernel: rewritesGraph,
			session: options.session,
			verdicts: given.verdicts,
			maxDifference: variant.precision === 'fp32' ? tolerances.float : tolerances.quantized,
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
					...defined({ longRopeThreshold }),
				});
			},
			read: ({ serial }) => readSerially(serial, 1),
		},
		candidates,
		({ change, reason, differs }, { fuseHeads, kernel }) => {
			// Without the kernel all else may still say the same.
			differed ||= differs && kernel === undefined;
			if (differs) onNotice?.(`The graph is not rewritten for ${change}: ${reason}.`);
			else if (kernel !== undefined) unsuited = reason;
			// Attention that cannot be fused is nothing out of the ordinary.
			else if (fuseHeads === undefined) refused = reason;
		},
	);
	const { graph, serial } = opened;
	const exact = given.session.exact === true && mayTakeExactActivations(summary);
	if (rewritesGraph && !exact && mayUseInt4Kernel(summary)) {
		const notice = kernelNotice(given.runtime, rewrites?.kernel !== undefined, unsuited);
		if (notice !== undefined) onNotice?.(notice);
	}
	if (rewritesGraph && !graph.batchInvariant)
		onNotice?.(`Sequences run one at a time: ${refused ?? 'they would share scales'}.`);
	else if (refused !== undefined) onNotice?.(`The graph is not prepared: ${refused}.`);
	else if (rewritesGraph && isPlain && !graph.inPlace && !differed)
		onNotice?.(
			`Sequences run one at a time: ${isWindowed ? 'attention to a window' : 'the attention'} is spelled out in a form that is not fused.`,
		);
	if (serial.lastLogitsOnly === true)
		onNotice?.('The next tokens are not guessed: the graph gives the logits of the last one only.');
	const isSerial =
		!rewritesGraph ||
		!graph.batchInvariant ||
		serial.lastLogitsOnly === true ||
		hasRing(graph) ||
		longRopeThreshold !== undefined;
	if (isSerial || !graph.inPlace || rewrites?.gather !== true) return serial;
	const always = defined({ unsigned: sharing?.unsigned, exact: exact ? true : undefined });
	return openPacked(path, serial, graph, { ...rewrites, ...always }, options);
}

/** Changes to try, the best first. */
async function possibleRewrites(
	folder: string,
	summary: GraphSummary,
	mayFuse: boolean,
): Promise<readonly GraphRewrites[]> {
	// Per-tensor scales make the results of a batch's items depend on each other.
	const base: GraphRewrites = hasPerTensorScales(summary) ? { perTokenQuantization: true } : {};
	const heads = mayFuse ? await queryHeads(folder) : undefined;
	return [
		...(heads === undefined ? [] : [{ ...base, gather: true, fuseHeads: heads }]),
		{ ...base, gather: true },
		...(base.perTokenQuantization === true ? [base] : []),
	];
}

interface SerialGraph {
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
	return { graph, serial, close: () => serial.close() };
}

function hasRing({ caches }: DecoderGraph): boolean {
	return caches.some(({ ring }) => ring !== undefined);
}

function openPacked(
	path: string,
	serial: Decoder,
	graph: DecoderGraph,
	rewrites: GraphRewrites,
	{ runtime, session, contextLength, onNotice }: LoadDecoderOptions,
): Decoder {
	return new PackedDecoder({
		serial,
		graph,
		contextLength,
		slotCounts,
		onRefused: (reason) => onNotice?.(`Sequences run one at a time: ${reason}.`),
		openSlots: async (slots) => {
			const ready = await rewriteGraph(path, { ...rewrites, slots });
			if ('refused' in ready) throw new Error(ready.refused);
			return runtime.open(ready, session);
		},
	});
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

/** True if the graph attends to a window shorter than the context. */
async function hasWindow(folder: string, contextLength: number): Promise<boolean> {
	const config = await readJsonFile(folder, 'config.json');
	const window = asNumber(config?.['sliding_window']);
	return window !== undefined && config?.['use_sliding_window'] !== false && window < contextLength;
}
