/**
 * Learns from two short runs how the logits of an encoder-decoder come out, as
 * {@link ../decode/probeLogits.ts} does for decoders alone: what a graph declares does not tell.
 */

import { AppError } from '../../protocol/index.ts';
import { checkDeclared, refuseGraph } from '../decode/probeLogits.ts';
import type { SeenLogits, Seq2SeqGraphs } from './decoderGraphs.ts';
import { logitsShapes } from './decoderRun.ts';
import { choose, madeUp } from './readGraphs.ts';

/** More than one, so that all of them and the last one are different counts. */
const prompt = [1, 1, 1];

/**
 * The graphs with the form of their logits, and its width.
 * @throws AppError `unsupported_model` when a graph does not run, or its logits are of no known form
 */
export async function probeSeq2SeqLogits(declared: Seq2SeqGraphs): Promise<{
	readonly graphs: Seq2SeqGraphs;
	readonly vocabularySize: number;
}> {
	const encoded = choose(madeUp(declared), [0]);
	const run = {
		graphs: declared,
		encoded,
		sequencesPerItem: 1,
		attentions: false,
		vocabularySize: 0,
	};
	const [first, later] = await logitsShapes(run, prompt).catch(refuseGraph);
	const { name } = declared.logits;
	checkDeclared(declared.logits.dims, first);
	checkDeclared(declared.later.outputs.get(name)?.dims ?? [], later);
	const firstLogits = formOf(first, prompt.length);
	// One token does not tell the last one from all: what the first graph does, the later one does too.
	const laterLogits = { ...formOf(later, 1), lastOnly: firstLogits.lastOnly };
	const vocabularySize = first.at(-1) as number;
	if (later.at(-1) !== vocabularySize)
		throw new AppError(
			'unsupported_model',
			`The decoder's logits are ${vocabularySize} wide in the first run and ${later.at(-1)} wide in later ones: its two graphs are of different models. Export the model again.`,
		);
	return { graphs: { ...declared, firstLogits, laterLogits }, vocabularySize };
}

function formOf(dims: readonly number[], tokens: number): SeenLogits {
	const isList = dims.length === 2;
	const positions = isList ? dims[0] : dims[1];
	const isBatch = isList || (dims.length === 3 && dims[0] === 1);
	if (isBatch && (positions === tokens || positions === 1))
		return { lastOnly: positions !== tokens, isList };
	throw new AppError(
		'unsupported_model',
		`The decoder's logits for ${tokens} tokens have the shape [${dims.join(', ')}]. They must be those of every token or of the last one: export the model with all logits, or for its last token only.`,
	);
}
