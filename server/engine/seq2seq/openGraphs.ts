/** Opens the encoder and the decoder of a model in the form that is best of those that say the same. */

import type { GenaiNames } from '../folder/genaiNames.ts';
import { readGraphSummary } from '../folder/graphSummary.ts';
import { sharesScales } from '../folder/precision.ts';
import type { Preparation } from '../onnx/prepare.ts';
import { shortlistInput } from '../onnx/shortlistHead.ts';
import type { Session } from '../runtime/runtime.ts';
import {
	type GraphSet,
	type OpenGraph,
	openVerified,
	type Verified,
	type WayNotTaken,
} from '../verify/openVerified.ts';
import { tolerances } from '../verify/readings.ts';
import { readSeq2SeqGraphs } from './decoderGraphs.ts';
import { type HeadWeights, readHeadWeights, sameHead } from './headWeights.ts';
import type { OpenEncoderDecoderOptions } from './openEncoderDecoder.ts';
import { probeLogits } from './probeLogits.ts';
import { type DecoderToRead, type EncoderToRead, readDecoder, readEncoder } from './readGraphs.ts';

/** What both kinds of graphs are opened with. */
export interface GraphParts extends OpenEncoderDecoderOptions {
	/** Paths of the graphs whose rows share the scales of a run. */
	readonly dynamic: ReadonlySet<string>;
	readonly names: GenaiNames | undefined;
}

/** Told of each change that is not made. */
export type Tell = (why: WayNotTaken, way: Preparation) => void;

/** The encoder, each of whose rows has scales of its own where that can be had. */
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
	tell: Tell,
): Promise<Verified<OpenEncoder>> {
	const { vocabularySize } = description;
	const set: GraphSet<OpenEncoder> = {
		paths: [path],
		dynamic,
		runtime,
		session,
		verdicts,
		most: tolerances.quantised,
		wrap: ([graph]) => {
			const { session: encoder, source } = graph as OpenGraph;
			const batches = source !== path || !dynamic.has(path);
			return { encoder, vocabularySize, names, batches, close: () => encoder.close() };
		},
		read: readEncoder,
	};
	return openVerified(set, dynamic.has(path) ? [{ rows: true }] : [], tell);
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
		/** Paths of the first step's graph and of the later ones'; merged graphs are the same. */
		readonly files: readonly [string, string];
	},
	tell: Tell,
): Promise<Verified<OpenDecoder>> {
	const { variant, runtime, session, verdicts, dynamic, names } = parts;
	const { encoder, head, files } = parts;
	const paths = [...new Set(files)];
	const features: readonly Preparation[] =
		head === undefined
			? [{ attentions: true }]
			: [{ attentions: true, shortlist: true }, { shortlist: true }, { attentions: true }];
	const inRows = [...features.map((way) => ({ ...way, rows: true })), { rows: true }];
	const isDynamic = paths.some((path) => dynamic.has(path));
	const set: GraphSet<OpenDecoder> = {
		paths,
		dynamic,
		runtime,
		session,
		verdicts,
		most: variant.precision === 'fp32' ? tolerances.float : tolerances.quantised,
		wrap: async (opened) => {
			const [first, later = first] = opened.map((graph) => graph.session) as [Session, Session?];
			const genai = names === undefined ? undefined : { names, encoder };
			const declared = readSeq2SeqGraphs(first, later, genai);
			const { graphs, vocabularySize } = await probeLogits(declared);
			const summaries = await Promise.all(opened.map(({ source }) => readGraphSummary(source)));
			return {
				graphs,
				vocabularySize,
				head,
				batches: !summaries.some(sharesScales),
				takesColumns: [first, later].every(({ inputs }) => inputs.has(shortlistInput)),
				close: () => {
					for (const graph of opened) graph.session.close();
				},
			};
		},
		read: readDecoder,
	};
	return openVerified(set, isDynamic ? [...inRows, ...features] : features, tell);
}

/** A decoder that is open. */
export interface OpenDecoder extends DecoderToRead {
	close(): void;
}

/** The head that both graphs of a decoder end in, where words can be taken from it. */
export async function sharedHead([first, later]: readonly [string, string]): Promise<
	HeadWeights | undefined
> {
	const head = await readHeadWeights(first);
	const other = head === undefined || later === first ? head : await readHeadWeights(later);
	return head !== undefined && other !== undefined && sameHead(head, other) ? head : undefined;
}
