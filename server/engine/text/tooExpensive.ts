/** The refusal of work that a model's own files or a request made too costly. */

import { AppError } from '../../protocol/index.ts';

/** What was at work. */
export type CostlyPart = 'files' | 'template' | 'tokenizer' | 'schema';

/** As they travel in shared memory: index = code. */
export const costlyParts: readonly CostlyPart[] = ['files', 'template', 'tokenizer', 'schema'];

const names: Readonly<Record<CostlyPart, readonly [what: string, advice: string]>> = {
	files: ['Reading the tokenizer', 'Use another model.'],
	template: ['The chat template', 'Shorten the messages, or use another model.'],
	tokenizer: ['The tokenizer', 'Send less text, or use another model.'],
	schema: ['The grammar of the answer', 'Simplify the schema, the grammar or the tools.'],
};

/**
 * @param model name of the model whose part it was
 * @param why what happened, after the name of the part: `took longer than 10 s and was ended`
 */
export function tooExpensive(
	part: CostlyPart,
	model: string,
	why: string,
	options: { readonly param?: string; readonly cause?: unknown } = {},
): AppError {
	const [what, advice] = names[part];
	return new AppError('too_expensive', `${what} of '${model}' ${why}. ${advice}`, {
		...(part === 'template' ? { param: 'messages' } : {}),
		...options,
		data: { part, model },
	});
}
