/** Opens the encoder and the decoder of a model in the form that is best of those that say the same. */

import type { ModelDescription, ModelVariant } from '../api.ts';
import type { GenaiNames } from '../modelFiles/genaiNames.ts';
import { readGraphSummary } from '../modelFiles/graphSummary.ts';
import { hasPerTensorScales } from '../modelFiles/precision.ts';
import type { GraphRewrites } from '../onnx/rewriteGraph.ts';
import { type ColumnBytes, shortlistInput } from '../onnx/shortlistHead.ts';
import type { Runtime, Session, SessionOptions } from '../runtime/runtime.ts';
import {
	type GraphSet,
	type OpenGraph,
	openVerified,
	type RejectedRewrites,
	type Verified,
} from '../verify/openVerified.ts';
import { tolerances } from '../verify/readings.ts';
import type { Verdicts } from '../verify/verdict.ts';
import { readSeq2SeqGraphs } from './decoderGraphs.ts';
import { type HeadWeights, readHeadWeights, sameHead } from './headWeights.ts';
import { probeSeq2SeqLogits } from './probeSeq2SeqLogits.ts';
import { type DecoderToRead, type EncoderToRead, readDecoder, readEncoder } from './readGraphs.ts';

export interface OpenEncoderDecoderOptions {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
	readonly verdicts?: Verdicts;
	/** Use the lexical shortlist beside the model; default: yes. */
	readonly shortlist?: boolean;
	/** Every input is encoded by itself, so that a scale per run of the encoder is one per input. */
	readonly encoderBatchSize?: 1;
	/** Told what keeps texts or windows from being computed together. */
	readonly onNotice?: (notice: string) => void;
}

/** What both kinds of graphs are opened with. */
export interface GraphParts extends OpenEncoderDecoderOptions {
	/** Paths of the graphs with per-tensor scales. */
	readonly dynamic: ReadonlySet<string>;
	readonly names: GenaiNames | undefined;
}

/** Told of each change that is not made. */
export type Notify = (why: RejectedRewrites, rewrites: GraphRewrites) => void;

/** The encoder, with per-token quantization if possible. */
export function openEncoder(
	{
		description,
		runtime,
		session,
		verdicts,
		dynamic,
		names,
		path,
	}: GraphParts & { readonly path: string },
	notify: Notify,
): Promise<Verified<OpenEncoder>> {
	const { vocabularySize } = description;
	const set: GraphSet<OpenEncoder> = {
		paths: [path],
		dynamic,
		runtime,
		session,
		verdicts,
		maxDifference: tolerances.quantized,
		wrap: ([graph]) => {
			const { session: encoder, source } = graph as OpenGraph;
			const batches = source !== path || !dynamic.has(path);
			return { encoder, vocabularySize, names, batches, close: () => encoder.close() };
		},
		read: readEncoder,
	};
	return openVerified(set, dynamic.has(path) ? [{ perTokenQuantization: true }] : [], notify);
}

/** An encoder that is open. */
export interface OpenEncoder extends EncoderToRead {
	close(): void;
}

/** The decoder's graphs with what else can be had of them. */
export function openDecoder(
	parts: GraphParts & {
		readonly encoder: Session;
		readonly head: HeadWeights | undefined;
		/** How the head is given bytes. */
		readonly columnBytes: ColumnBytes;
		/** Paths of the first step's graph and of the later ones'; merged graphs are the same. */
		readonly files: readonly [string, string];
	},
	notify: Notify,
): Promise<Verified<OpenDecoder>> {
	const { variant, runtime, session, verdicts, dynamic, names } = parts;
	const { encoder, head, columnBytes: shortlist, files } = parts;
	const paths = [...new Set(files)];
	const features: readonly GraphRewrites[] =
		head === undefined
			? [{ attentions: true }]
			: [{ attentions: true, shortlist }, { shortlist }, { attentions: true }];
	const perToken: GraphRewrites[] = [...features, {}].map((rewrites) => ({
		...rewrites,
		perTokenQuantization: true,
	}));
	const isDynamic = paths.some((path) => dynamic.has(path));
	const set: GraphSet<OpenDecoder> = {
		paths,
		dynamic,
		runtime,
		session,
		verdicts,
		maxDifference: variant.precision === 'fp32' ? tolerances.float : tolerances.quantized,
		wrap: async (opened) => {
			const [first, later = first] = opened.map((graph) => graph.session) as [Session, Session?];
			const genai = names === undefined ? undefined : { names, encoder };
			const declared = readSeq2SeqGraphs(first, later, genai);
			const { graphs, vocabularySize } = await probeSeq2SeqLogits(declared);
			const summaries = await Promise.all(opened.map(({ source }) => readGraphSummary(source)));
			return {
				graphs,
				vocabularySize,
				head,
				batches: !summaries.some(hasPerTensorScales),
				takesColumns: [first, later].every(({ inputs }) => inputs.has(shortlistInput)),
				close: () => {
					for (const graph of opened) graph.session.close();
				},
			};
		},
		read: readDecoder,
	};
	return openVerified(set, isDynamic ? [...perToken, ...features] : features, notify);
}

/** A decoder that is open. */
export interface OpenDecoder extends DecoderToRead {
	close(): void;
}

/** The head that both graphs of a decoder end in, where tokens can be taken from it. */
export async function sharedHead(
	[first, later]: readonly [string, string],
	bytes: ColumnBytes,
): Promise<HeadWeights | undefined> {
	const head = await readHeadWeights(first, bytes);
	const other = head === undefined || later === first ? head : await readHeadWeights(later, bytes);
	return head !== undefined && other !== undefined && sameHead(head, other) ? head : undefined;
}
