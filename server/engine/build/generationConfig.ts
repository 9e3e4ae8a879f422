/** generation_config.json of a model that is built of a GGUF file: what the file says, and what lies beside it. */

import { dirname } from 'node:path';
import { readModelJson } from '../../hub/modelData/readModelFile.ts';
import { asNumbers, type JsonRecord } from '../modelFiles/json.ts';

const fileName = 'generation_config.json';

/** Settings that are one token's id. */
const idKeys = [
	'bos_token_id',
	'pad_token_id',
	'decoder_start_token_id',
	'forced_bos_token_id',
	'forced_eos_token_id',
];

/**
 * What the publisher has put beside the file counts as it does beside an export. All ids that end an answer are kept;
 * those that the vocabulary does not have are of another model.
 * @param own of the file
 * @param folder beside the weights
 * @param tokens in the vocabulary
 * @throws AppError `unsupported_model` where it cannot be read
 */
export async function withGenerationBeside(
	own: JsonRecord,
	folder: string,
	tokens: number,
): Promise<JsonRecord> {
	const beside = await readModelJson(folder, fileName);
	if (beside === undefined) return own;
	const isToken = (id: number) => Number.isInteger(id) && id >= 0 && id < tokens;
	const isOdd = ([key, value]: [string, unknown]) =>
		value === null || (idKeys.includes(key) && !(typeof value === 'number' && isToken(value)));
	const { eos_token_id: ends, ...rest } = beside;
	const kept = Object.fromEntries(Object.entries(rest).filter((entry) => !isOdd(entry)));
	const all = new Set([...asNumbers(own['eos_token_id']), ...asNumbers(ends).filter(isToken)]);
	return { ...own, ...kept, ...(all.size === 0 ? {} : { eos_token_id: [...all] }) };
}

/** Where it lies: with the other small files, else beside the weights. */
export function besideWeights(
	source: { readonly kind: 'path'; readonly path: string } | { readonly kind: 'files' },
	sides: string | undefined,
): string | undefined {
	if (sides !== undefined || source.kind === 'files') return sides;
	return /\.gguf$/i.test(source.path) ? dirname(source.path) : source.path;
}
