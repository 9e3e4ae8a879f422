/** Loads the model that drafts for another one. */

import { AppError } from '../../protocol/index.ts';
import type { Decoder } from '../decode/decoder.ts';
import { type LoadDecoderOptions, loadDecoder } from '../decode/loadDecoder.ts';
import { describeModel } from '../modelFiles/describe.ts';
import { chooseVariant } from '../modelFiles/variants.ts';

/** The draft model: small, one sequence at a time, and of the same vocabulary. */
export async function loadDraft(
	folder: string,
	decoder: Decoder,
	{ runtime, session }: Pick<LoadDecoderOptions, 'runtime' | 'session'>,
): Promise<{ decoder: Decoder; contextLength: number }> {
	const description = await describeModel(folder);
	const variant = chooseVariant(description.variants, 'decoder');
	if (description.architecture !== 'decoder' || variant === undefined) {
		throw new AppError(
			'unsupported_model',
			`The draft model in ${folder} is not a language model.`,
		);
	}
	const { contextLength } = description;
	const draft = await loadDecoder({
		description,
		variant,
		runtime,
		session,
		contextLength,
		rewrite: false,
	});
	if (draft.vocabularySize === decoder.vocabularySize) return { decoder: draft, contextLength };
	draft.close();
	throw new AppError(
		'unsupported_model',
		`The draft model in ${folder} has ${draft.vocabularySize} tokens, this one ${decoder.vocabularySize}: they must have the same vocabulary.`,
	);
}
