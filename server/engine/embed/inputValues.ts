/** What an encoder graph reads, by the names that exporters give its inputs. */

import { AppError } from '../../protocol/index.ts';

/**
 * Values of one input for texts of `tokens` tokens each, padding included.
 * @throws AppError `unsupported_model` for an input that is not known
 */
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
