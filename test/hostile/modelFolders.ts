/** The hostile tokenizers and templates as models that a server can open. */

import { readFileSync, writeFileSync } from 'node:fs';
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
/** Writes `good`, `tokenizer-N` and `template-N` into a folder, N by place in the lists, with inputs of `n` units. */
export function writeHostileModels(dir: string, n: number): void {
	writeDecoderModel(join(dir, 'good'), { attention: 'gqa', shape });
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
