/** What the graphs of an encoder-decoder want, read off their inputs and outputs. */

import { AppError } from '../../protocol/index.ts';
import type { Session, TensorInfo } from '../runtime/runtime.ts';
import type { RowTensor } from './rowCache.ts';

export interface Seq2SeqGraphs {
	/** Runs the first tokens and makes the cross-attention cache. */
	readonly first: Session;
	/** Runs all later tokens; the same session when the graph is merged. */
	readonly later: Session;
	readonly self: readonly RowTensor[];
	readonly cross: readonly RowTensor[];
	readonly logits: TensorInfo;
	readonly hidden: TensorInfo | undefined;
	/** Layer → output name. */
	readonly attentions: ReadonlyMap<number, string>;
}

/**
 * Matches caches by name.
 * @throws AppError `unsupported_model` naming what is missing
 */
export function readSeq2SeqGraphs(first: Session, later: Session): Seq2SeqGraphs {
	const logits = first.outputs.get('logits');
	if (logits === undefined || !first.inputs.has('input_ids')) {
		throw new AppError('unsupported_model', "The decoder graph has no 'input_ids' or no 'logits'.");
	}
	const self: RowTensor[] = [];
	const cross: RowTensor[] = [];
	for (const input of later.inputs.values()) {
		if (!input.name.startsWith('past_key_values')) continue;
		const present = input.name.replace('past_key_values', 'present');
		const isCross = input.name.includes('.encoder.');
		if (!(isCross ? first : later).outputs.has(present)) {
			throw new AppError('unsupported_model', `The decoder graph has no output '${present}'.`);
		}
		const [, heads = 0, , headSize = 0] = input.dims;
		if (input.dims.length !== 4 || heads <= 0 || headSize <= 0) {
			throw new AppError(
				'unsupported_model',
				`The decoder's input '${input.name}' has no fixed size.`,
			);
		}
		(isCross ? cross : self).push({ past: input.name, present, type: input.type, heads, headSize });
	}
	if (self.length === 0) {
		throw new AppError(
			'unsupported_model',
			'The decoder has no cache inputs; export it "with past" (merged or as two graphs).',
		);
	}
	const attentions = new Map<number, string>();
	for (const name of first.outputs.keys()) {
		const layer = /^cross_attentions[._](\d+)$/.exec(name)?.[1];
		if (layer !== undefined && later.outputs.has(name)) attentions.set(Number(layer), name);
	}
	return {
		first,
		later,
		self,
		cross,
		logits,
		hidden: first.inputs.get('encoder_hidden_states') ?? later.inputs.get('encoder_hidden_states'),
		attentions,
	};
}
