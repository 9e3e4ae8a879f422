/** Tokenizers of vocab.json and merges.txt alone against the tokenizer.json of the same model. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tokenizerFromMerges } from '../../../../server/engine/build/tokenizer/tokenizerFromMerges.ts';
import { readTokenizer, type Tokenizer } from '../../../../server/engine/tokenizer/tokenizer.ts';
import { sharedFolder } from '../../../support/sharedData.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const data = sharedFolder('tokenizers');
const models = sharedFolder('models-tiny');

interface TokenizerFile {
	readonly added_tokens: readonly { readonly id: number; readonly content: string }[];
	readonly model: {
		readonly vocab: Readonly<Record<string, number>>;
		readonly merges: readonly (string | readonly [string, string])[];
	};
}

const read = (path: string): Record<string, unknown> =>
	existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};

describe('a tokenizer of vocab.json and merges.txt', () => {
	const base = temporaryFolder();
	/** The files without tokenizer.json. */
	function apart(from: string): { folder: string; published: Tokenizer } {
		const file = read(join(from, 'tokenizer.json'));
		const { model, added_tokens: added } = file as unknown as TokenizerFile;
		const settings = read(join(from, 'tokenizer_config.json'));
		const folder = mkdtempSync(join(base, 'tokenizer-'));
		const merges = model.merges.map((pair) => (typeof pair === 'string' ? pair : pair.join(' ')));
		writeFileSync(join(folder, 'vocab.json'), JSON.stringify(model.vocab));
		writeFileSync(join(folder, 'merges.txt'), `#version: 0.2\n${merges.join('\n')}\n`);
		writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(settings));
		const beyond = added.filter(({ content }) => model.vocab[content] === undefined);
		writeFileSync(
			join(folder, 'added_tokens.json'),
			JSON.stringify(Object.fromEntries(beyond.map(({ content, id }) => [content, id]))),
		);
		return { folder, published: readTokenizer(file, settings) };
	}

	const texts = () =>
		readFileSync(join(data.path, 'ggml-vocab-gpt-2.inp'), 'utf8').split('\n__ggml_vocab_test__\n');
	const cases = [
		['RoBERTa', data, 'roberta-base', 'roberta'],
		['Phi 2, which has that of GPT-2', data, 'gpt2', 'phi'],
		['Qwen 2', models, 'qwen2-tjs', 'qwen2'],
	] as const;
	for (const [name, place, folderName, type] of cases)
		it(`is that of ${name}`, { skip: place.skip || data.skip }, async () => {
			const { folder, published } = apart(join(place.path, folderName));
			const settings = read(join(folder, 'tokenizer_config.json'));
			if (type === 'phi') settings['tokenizer_class'] = 'CodeGenTokenizer';
			writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(settings));
			const made = await tokenizerFromMerges(folder, { model_type: type });
			const own = readTokenizer(JSON.parse(JSON.stringify(made)), settings);
			for (const text of [...texts(), 'a <mask> b', '<|endoftext|>x<|im_start|>']) {
				const ids = published.encode(text, true);
				assert.deepEqual(own.encode(text, true), ids, JSON.stringify(text));
				assert.equal(own.decode(ids, true), published.decode(ids, true));
			}
		});

	const small = (more: Readonly<Record<string, string>> = {}) => {
		const folder = mkdtempSync(join(base, 'small-'));
		const files = {
			'vocab.json': '{"a":0,"b":1,"ab":2,"<|endoftext|>":3}',
			'merges.txt': 'a b',
			...more,
		};
		for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
		return folder;
	};

	it('is not guessed: what is not known is named', async () => {
		for (const [type, settings, named] of [
			['llama', {}, /null for the type "llama"/],
			['starcoder2', { tokenizer_class: 'GPT2Tokenizer' }, /"GPT2Tokenizer"/],
			['qwen2', { tokenizer_class: 'LlamaTokenizerFast' }, /"LlamaTokenizer"/],
		] as const)
			await assert.rejects(
				tokenizerFromMerges(small({ 'tokenizer_config.json': JSON.stringify(settings) }), {
					model_type: type,
				}),
				{ code: 'unsupported_model', message: named },
			);
	});

	it('refuses broken files in words, and is not there without both', async () => {
		const config = { model_type: 'qwen2' };
		const made = await tokenizerFromMerges(
			small({ 'merges.txt': '#version: 1\r\na b\r\n' }),
			config,
		);
		assert.deepEqual((made?.['model'] as { merges: unknown } | undefined)?.merges, [['a', 'b']]);
		await assert.rejects(tokenizerFromMerges(small({ 'merges.txt': 'a b\nab' }), config), {
			code: 'unsupported_model',
			message: /a line that is no pair/,
		});
		await assert.rejects(tokenizerFromMerges(small(), { model_type: 'roberta' }), {
			code: 'unsupported_model',
			message: /no <s>|no <\/s>/,
		});
		await assert.rejects(tokenizerFromMerges(small({ 'vocab.json': '[' }), config), {
			code: 'unsupported_model',
		});
		assert.equal(await tokenizerFromMerges(mkdtempSync(join(base, 'empty-')), config), undefined);
	});
});
