/**
 * Opens a decoder-only model: reads the graph, prepares it, chooses how it is run, and checks the
 * fast way against the plain one before using it.
 */

import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import { readGraphSummary } from '../folder/graphSummary.ts';
import { asNumber, readJsonFile } from '../folder/json.ts';
import { sharesScales } from '../folder/precision.ts';
import { readFactorLimit } from '../onnx/factorLimit.ts';
import { type Preparation, prepareGraph } from '../onnx/prepare.ts';
import { weightSharing } from '../onnx/weightSharing.ts';
import type { Runtime, Session, SessionOptions } from '../runtime/runtime.ts';
import type { Decoder } from './decoder.ts';
import { type DecoderGraph, readDecoderGraph } from './decoderGraph.ts';
import { HolesDecoder } from './holesDecoder.ts';
import { loadFused } from './loadFused.ts';
import { PackedDecoder } from './packedDecoder.ts';
import { compareSteps } from './selfTest.ts';
import { createSerialDecoder } from './serialDecoder.ts';

export interface LoadDecoderOptions {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
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
	const { description, variant } = given;
	const file = variant.files.model ?? variant.files['decoder-merged'] ?? variant.files.decoder;
	if (file === undefined) {
		throw new AppError(
			'unsupported_model',
			`The folder ${description.folder} has no decoder graph in ${variant.precision}.`,
		);
	}
	const path = await modelFile(description.folder, file);
	const summary = await readGraphSummary(path);
	const isDynamic = sharesScales(summary);
	// Caches in place and slots need memory that the kernels write where it is bound: only the CPU does.
	const onCpu = (given.session.executionProvider ?? 'cpu') === 'cpu';
	const inRows = isDynamic && onCpu ? await preparesRows(path, given) : false;
	const base: Preparation = inRows ? { rows: true } : {};
	const prepares = given.prepare !== false && (!isDynamic || inRows) && onCpu;
	// Graphs for more sequences are opened later over the same weights.
	const sharing = prepares ? await weightSharing(path) : undefined;
	const options =
		sharing === undefined ? given : { ...given, session: { ...given.session, sharing } };
	const isPlain = !summary.ops.has('com.microsoft:GroupQueryAttention');
	const isWindowed = isPlain && (await hasWindow(description.folder, given.contextLength));
	if (prepares && isPlain && !isWindowed) {
		const plain = (): Promise<Decoder> => loadDecoder({ ...given, prepare: false });
		const fused = await loadFused(path, base, options, plain);
		if (fused !== undefined) {
			return packed(path, fused.serial, fused.graph, fused.preparation, options);
		}
	}
	const ways = [...(prepares ? [{ ...base, gather: true }] : []), ...(inRows ? [base] : [])];
	const { session, preparation } = await openBest(path, ways, options);
	const isShared = isDynamic && preparation?.rows !== true;
	try {
		const published = readDecoderGraph(session, summary, description, isShared);
		const graph = onCpu ? published : { ...published, inPlace: false };
		const { contextLength } = options;
		const recomputeAbove = summary.ops.has('If') ? await readFactorLimit(path) : undefined;
		const serial = createSerialDecoder(session, graph, {
			contextLength,
			...(recomputeAbove === undefined ? {} : { recomputeAbove }),
		});
		const isRing = graph.caches.some(({ ring }) => ring !== undefined);
		if (!prepares || isShared || isRing || recomputeAbove !== undefined) return serial;
		if (graph.inPlace) {
			return preparation?.gather === true
				? packed(path, serial, graph, preparation, options)
				: serial;
		}
		if (graph.positions === undefined || graph.mask === undefined || isWindowed) return serial;
		return await holes(session, serial, graph, options);
	} catch (error) {
		session.close();
		throw error;
	}
}

/** Whether rows of a run can have scales of their own; until then they depend on each other. */
async function preparesRows(
	path: string,
	{ onNotice, prepare }: LoadDecoderOptions,
): Promise<boolean> {
	const ready = await prepareGraph(path, { rows: true });
	if ('path' in ready) return true;
	if (prepare !== false) onNotice?.(`Sequences run one at a time: ${ready.refused}.`);
	return false;
}

/** The graph with the first of the changes that can be made, or as it was published. */
async function openBest(
	path: string,
	ways: readonly Preparation[],
	{ runtime, session, onNotice }: LoadDecoderOptions,
): Promise<{ session: Session; preparation?: Preparation }> {
	for (const preparation of ways) {
		const ready = await prepareGraph(path, preparation);
		if ('path' in ready) {
			try {
				return { session: await runtime.open(ready.path, session), preparation };
			} catch (error) {
				onNotice?.(`The prepared graph does not load: ${String(error)}`);
			}
		} else onNotice?.(`The graph is not prepared: ${ready.refused}.`);
	}
	return { session: await runtime.open(path, session) };
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
			return runtime.open(ready.path, session);
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

/** True when the graph attends to a window shorter than the context. */
async function hasWindow(folder: string, contextLength: number): Promise<boolean> {
	const config = await readJsonFile(folder, 'config.json');
	const window = asNumber(config?.['sliding_window']);
	return window !== undefined && config?.['use_sliding_window'] !== false && window < contextLength;
}
