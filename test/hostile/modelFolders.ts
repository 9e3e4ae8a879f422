/** The hostile tokenizers and templates as models that a server can open. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { byteTokenizer } from '../fixtures/tokenizerFiles.ts';
import { hostileTemplates, hostileTokenizers } from './models.ts';

const shape = {
	layers: 1,
	hidden: 64,
	heads: 4,
	kvHeads: 2,
	inner: 64,
	vocabulary: 320,
	context: 2048,
};
const numbered = <T>(count: number, item: (at: number) => readonly [string, T]) =>
	Object.fromEntries(Array.from({ length: count }, (_, at) => item(at)));

/** Settings as wide as files of models may be, by file. */
const wideSettings: Readonly<Record<string, object>> = {
	'tokenizer_config.json': {
		eos_token: '<last>',
		added_tokens_decoder: numbered(250_000, (at) => [`${at}`, { content: `<t${at}>` }]),
	},
	'config.json': { unknown: numbered(200_000, (at) => [`k${at}`, 1]) },
	'generation_config.json': { eos_token_id: Array.from({ length: 240_000 }, (_, at) => at) },
};

/** Names of the models with {@link wideSettings}. */
export const wideModels = Object.keys(wideSettings).map((_, index) => `wide-${index}`);

/**
 * Writes `good`, `tokenizer-N`, `template-N` and `wide-N` into a folder, N by place in the lists, with inputs
 * of `n` units.
 */
export function writeHostileModels(dir: string, n: number): void {
	writeDecoderModel(join(dir, 'good'), { attention: 'gqa', shape });
	for (const [index, [file, more]] of Object.entries(wideSettings).entries()) {
		const folder = join(dir, `wide-${index}`);
		writeDecoderModel(folder, { attention: 'gqa', shape });
		const path = join(folder, file);
		const usual = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : {};
		writeFileSync(path, JSON.stringify({ ...usual, ...more }));
	}
	for (const [index, { make }] of hostileTokenizers.entries()) {
		const folder = join(dir, `tokenizer-${index}`);
		writeDecoderModel(folder, { attention: 'gqa', shape });
		const file = join(folder, 'tokenizer.json');
		const usual = JSON.parse(readFileSync(file, 'utf8')) as object;
		writeFileSync(file, JSON.stringify({ ...usual, ...make(n).tokenizer }));
	}
	for (const [index, { make }] of hostileTemplates.entries()) {
		const folder = join(dir, `template-${index}`);
		writeDecoderModel(folder, { attention: 'gqa', shape });
		byteTokenizer(folder, make(n));
	}
}
