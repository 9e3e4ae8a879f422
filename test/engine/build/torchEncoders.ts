/** Encoders that PyTorch has run, with random weights of a seed, and its numbers. */

import { readFileSync } from 'node:fs';

export interface TorchEncoder {
	readonly name: string;
	readonly seed: number;
	readonly config: Readonly<Record<string, unknown>>;
	readonly tensors: readonly (readonly [name: string, shape: readonly number[]])[];
	readonly tokens: readonly number[];
	/** Of all tokens. */
	readonly states?: readonly number[];
	/** Of the text. */
	readonly logits?: readonly number[];
}

export const torchEncoders: readonly TorchEncoder[] = JSON.parse(
	readFileSync(new URL('../../fixtures/torchEncoders.json', import.meta.url), 'utf8'),
);
