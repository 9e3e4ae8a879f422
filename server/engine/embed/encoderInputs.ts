/** What an encoder's graph is given for its tokens. */

import { AppError } from '../../protocol/index.ts';

/** Tokens of all sequences together. */
export const tokensOf = (sequences: readonly (readonly number[])[]): number =>
	sequences.reduce((sum, { length }) => sum + length, 0);

/** Values of one of the graph's inputs, by its name. */
export function inputValues(
	name: string,
	ids: readonly number[],
	mask: readonly number[],
	typeIds: readonly number[],
	tokens: number,
): readonly number[] {
	switch (name) {
		case 'input_ids':
			return ids;
		case 'attention_mask':
			return mask;
		case 'token_type_ids':
			return typeIds;
		case 'position_ids':
			return ids.map((_, index) => index % tokens);
		default:
			throw new AppError(
				'unsupported_model',
				`The embedding graph has the input '${name}', which is not known here.`,
			);
	}
}
