/** Tokenizers of vocab.txt alone against the tokenizer.json of the same model. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tokenizerFromVocabulary } from '../../../../server/engine/build/tokenizer/tokenizerFromVocabulary.ts';
import { readTokenizer, type Tokenizer } from '../../../../server/engine/tokenizer/tokenizer.ts';
import { sharedFolder } from '../../../support/sharedData.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const data = sharedFolder('tokenizers');
const published = sharedFolder('models-tiny/bert-tjs');
const bert = { model_type: 'bert' };

describe('a tokenizer of vocab.txt', () => {
	const base = temporaryFolder();
	const holding = (files: Readonly<Record<string, string | Uint8Array>>): string => {
		const folder = mkdtempSync(join(base, 'words-'));
		for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
		return folder;
	};
	const made = async (folder: string, settings = {}): Promise<Tokenizer> =>
		readTokenizer(
			JSON.parse(JSON.stringify(await tokenizerFromVocabulary(folder, bert))),
			settings,
		);
	const words = [
		'[PAD]',
		'[UNK]',
		'[CLS]',
		'[SEP]',
		'[MASK]',
		'caf',
		'##e',
		'##é',
		'cafe',
		'中',
		'a',
	];
	const capitals = [...words, 'Caf', 'A'];

	for (const lowercase of [true, false])
		it(`is the published one, ${lowercase ? 'without' : 'with'} capitals`, {
			skip: published.skip || data.skip,
		}, async () => {
			const read = (name: string) => readFileSync(join(published.path, name));
			const settings = JSON.parse(read('tokenizer_config.json').toString());
			settings.do_lower_case = lowercase;
			const file = JSON.parse(read('tokenizer.json').toString());
			file.normalizer.lowercase = lowercase;
			const theirs = readTokenizer(file, settings);
			const own = await made(
				holding({
					'vocab.txt': read('vocab.txt'),
					'tokenizer_config.json': JSON.stringify(settings),
				}),
				settings,
			);
			const texts = readFileSync(join(data.path, 'ggml-vocab-gpt-2.inp'), 'utf8');
			for (const text of [...texts.split('\n__ggml_vocab_test__\n'), 'a [MASK] b', 'Ünï [SEP]x']) {
				const ids = theirs.encode(text, true);
				assert.deepEqual(own.encode(text, true), ids, JSON.stringify(text));
				assert.equal(own.decode(ids, true), theirs.decode(ids, true));
			}
		});

	it('keeps capitals where the vocabulary has some and nothing is said, and takes what is said', async () => {
		const ids = async (list: readonly string[], settings?: object, ending = '\n') =>
			(
				await made(
					holding({
						'vocab.txt': list.join(ending) + ending,
						...(settings && { 'tokenizer_config.json': JSON.stringify(settings) }),
					}),
				)
			).encode('Café A', true);
		assert.deepEqual(await ids(words), [2, 8, 10, 3]);
		assert.deepEqual(await ids(words, undefined, '\r\n'), [2, 8, 10, 3]);
		assert.deepEqual(await ids(capitals), [2, 11, 7, 12, 3]);
		assert.deepEqual(await ids(capitals, { do_lower_case: true }), [2, 8, 10, 3]);
		assert.deepEqual(await ids(words, { strip_accents: false }), [2, 5, 7, 10, 3]);
		const renamed = ['<u>', '<c>', { content: '<s>' }] as const;
		const [unk_token, cls_token, sep_token] = renamed;
		assert.deepEqual(
			await ids(['<c>', '<s>', '<u>', 'cafe'], { unk_token, cls_token, sep_token }),
			[0, 3, 2, 1],
		);
	});

	it('is not guessed: what is not known is named, and what is broken', async () => {
		const refused = async (
			files: Readonly<Record<string, string>>,
			message: RegExp,
			config = bert,
		) =>
			assert.rejects(
				tokenizerFromVocabulary(holding({ 'vocab.txt': words.join('\n'), ...files }), config),
				{
					code: 'unsupported_model',
					message,
				},
			);
		await refused({}, /null for the type "electra"/, { model_type: 'electra' });
		const japanese = JSON.stringify({ tokenizer_class: 'BertJapaneseTokenizer' });
		await refused({ 'tokenizer_config.json': japanese }, /"BertJapaneseTokenizer"/);
		await refused({ 'vocab.txt': 'a\nb\n' }, /vocab\.txt has no \[UNK\]/);
		await refused({ 'vocab.txt': '[UNK]\n[CLS]\n' }, /vocab\.txt has no \[SEP\]/);
		assert.equal(await tokenizerFromVocabulary(holding({}), bert), undefined);
	});
});
