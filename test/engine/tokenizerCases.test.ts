/** Tokenizers of every family against published ids, the reference's ids and another implementation. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Tokenizer as OtherTokenizer } from '@huggingface/tokenizers';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { readTiktoken } from '../../server/engine/tokenizer/tiktoken.ts';
import { readTokenizer, type Tokenizer } from '../../server/engine/tokenizer/tokenizer.ts';
import { sharedFolder } from '../support/sharedData.ts';

const data = sharedFolder('tokenizers');
const models = sharedFolder('models-tiny');

function json(...path: string[]): Record<string, unknown> {
	const file = join(...path);
	return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function fromFolder(name: string): Tokenizer {
	return readTokenizer(
		json(data.path, name, 'tokenizer.json'),
		json(data.path, name, 'tokenizer_config.json'),
	);
}

function texts(name: string): string[] {
	const file = readFileSync(join(data.path, `ggml-vocab-${name}.inp`), 'utf8');
	return file.split('\n__ggml_vocab_test__\n');
}

function expectedIds(name: string, count: number): number[][] {
	const lines = readFileSync(join(data.path, `ggml-vocab-${name}.out`), 'utf8').split('\n');
	return lines
		.slice(0, count)
		.map((line) => (line.trim() === '' ? [] : line.trim().split(/\s+/).map(Number)));
}

/** GPT-2 proper: the file here also has runs of spaces as tokens, as Phi-2 added them. */
function gpt2(): Tokenizer {
	const file = json(data.path, 'gpt2', 'tokenizer.json');
	const added = file.added_tokens as { id: number }[];
	return readTokenizer({ ...file, added_tokens: added.filter((token) => token.id === 50256) }, {});
}

const published: readonly (readonly [string, () => Tokenizer])[] = [
	['gpt-2', gpt2],
	['phi-3', () => fromFolder('phi-3')],
	['llama-spm', () => fromFolder('llama2')],
	['qwen2', () => readTiktoken(readFileSync(join(data.path, 'qwen.tiktoken'), 'utf8'), 'qwen')],
	[
		'llama-bpe',
		() => readTiktoken(readFileSync(join(data.path, 'llama3.tiktoken'), 'utf8'), 'llama3'),
	],
];

/** Offsets must run forward, stay inside the text and cover what the tokens say. */
function checkOffsets(tokenizer: Tokenizer, text: string): void {
	const { ids, offsets } = tokenizer.encodeWithOffsets(text);
	assert.deepEqual(ids, tokenizer.encode(text, false));
	assert.equal(offsets.length, ids.length);
	let covered = 0;
	for (const [start, end] of offsets) {
		assert.ok(
			start >= 0 && end >= start && end <= text.length,
			`${start}-${end} of ${text.length}`,
		);
		assert.ok(start <= covered || /^\s*$/.test(text.slice(covered, start)) || start >= covered);
		covered = Math.max(covered, end);
	}
}

describe('tokenizers against published ids', () => {
	for (const [name, make] of published) {
		it(`${name}: all 47 texts are equal, with offsets`, { skip: data.skip }, () => {
			const tokenizer = make();
			const inputs = texts(name);
			const expected = expectedIds(name, inputs.length);
			assert.equal(inputs.length, 47);
			for (const [index, text] of inputs.entries()) {
				assert.deepEqual(tokenizer.encode(text, false), expected[index], JSON.stringify(text));
				checkOffsets(tokenizer, text);
			}
		});
	}
});

describe('tokenizers against another implementation', () => {
	for (const name of ['gpt2', 'phi-3', 'llama2', 'roberta-base', 't5-small', 'whisper.tiny']) {
		it(`${name}: ids and decoded text are equal`, { skip: data.skip }, () => {
			const own = fromFolder(name);
			const other = new OtherTokenizer(
				json(data.path, name, 'tokenizer.json'),
				json(data.path, name, 'tokenizer_config.json'),
			);
			for (const text of texts('gpt-2')) {
				const ids = own.encode(text, true);
				assert.deepEqual(
					ids,
					other.encode(text, { add_special_tokens: true }).ids,
					JSON.stringify(text),
				);
				checkOffsets(own, text);
				if (ids.length === 0) continue;
				const decoded = other.decode(ids, {
					skip_special_tokens: true,
					clean_up_tokenization_spaces: false,
				});
				assert.equal(own.decode(ids, true), decoded);
			}
		});
	}
});

describe('tokenizers of the reference models', () => {
	const folders = models.skip === false ? readdirSync(models.path) : [];
	it('every case of every folder is equal: ids, ids without special tokens, decoded text', {
		skip: models.skip,
	}, async () => {
		let cases = 0;
		for (const folder of folders) {
			const reference = json(models.path, folder, 'reference.json') as {
				tokenizer_cases?: {
					text: string;
					ids: number[];
					ids_no_special: number[];
					decoded: string;
					decoded_skip_special?: string;
				}[];
			};
			if (reference.tokenizer_cases === undefined) continue;
			const text = await loadTextModel(join(models.path, folder));
			for (const item of reference.tokenizer_cases) {
				const where = `${folder}: ${JSON.stringify(item.text)}`;
				assert.deepEqual(text.encode(item.text), item.ids, where);
				assert.deepEqual(text.encode(item.text, { addSpecial: false }), item.ids_no_special, where);
				assert.equal(text.decode(item.ids_no_special, { skipSpecial: false }), item.decoded, where);
				if (item.decoded_skip_special !== undefined) {
					assert.equal(text.decode(item.ids), item.decoded_skip_special, where);
				}
				cases++;
			}
		}
		assert.ok(cases > 300, `${cases} cases`);
	});

	it('the bytes of the tokens are the text', { skip: models.skip }, async () => {
		for (const folder of ['qwen2-tjs', 'llama3-tjs', 'gemma2-tjs', 'phi3-tjs', 'gpt2-tjs']) {
			const text = await loadTextModel(join(models.path, folder));
			for (const sample of ['Größe 你好 🚀\n\tx', "don't", ' a  b']) {
				const ids = text.encode(sample, { addSpecial: false });
				const bytes = Buffer.concat(ids.map((id) => text.tokenBytes(id)));
				assert.ok([sample, ` ${sample}`].includes(bytes.toString('utf8')), `${folder}: ${bytes}`);
			}
		}
	});
});
