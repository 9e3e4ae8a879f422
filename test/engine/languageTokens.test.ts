/** Where each family of translation models wants its language tokens. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TextModel } from '../../server/engine/api.ts';
import { encodeItem } from '../../server/engine/seq2seq/languageTokens.ts';
import { textModelOf } from '../../server/engine/text/textModel.ts';
import { readTokenizer } from '../../server/engine/tokenizer/tokenizer.ts';

/** A word-level model with special tokens around the text. */
function model(
	specials: readonly string[],
	before: readonly string[],
	after: readonly string[],
): TextModel {
	const tokens = ['<unk>', 'hello', 'world', ...specials];
	const ids = Object.fromEntries(tokens.map((token, id) => [token, id]));
	const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
	return textModelOf(
		readTokenizer(
			{
				model: { type: 'WordLevel', vocab: ids, unk_token: '<unk>' },
				pre_tokenizer: { type: 'WhitespaceSplit' },
				added_tokens: specials.map((content) => ({ id: ids[content], content, special: true })),
				post_processor: {
					type: 'TemplateProcessing',
					single: [...before.map(special), { Sequence: { id: 'A' } }, ...after.map(special)],
					special_tokens: Object.fromEntries(
						[...before, ...after].map((id) => [id, { id, ids: [ids[id]], tokens: [id] }]),
					),
				},
			},
			{},
		),
	);
}

function encoded(text: TextModel, languages: { sourceLanguage?: string; targetLanguage?: string }) {
	const { source, start, offsets } = encodeItem(text, { text: 'hello world', ...languages }, 99);
	assert.equal(source.length, offsets.length);
	const name = (id: number) =>
		id === 99 ? 'START' : new TextDecoder().decode(text.tokenBytes(id)).trim();
	return `${source.map(name).join(' ')} → ${start.map(name).join(' ')}`;
}

describe('language tokens', () => {
	it('M2M100: the source language comes first, the target language starts the answer', () => {
		const text = model(['</s>', '__en__', '__de__'], ['__en__'], ['</s>']);
		const both = { sourceLanguage: 'de', targetLanguage: 'en' };
		assert.equal(encoded(text, both), '__de__ hello world </s> → START __en__');
	});

	it('NLLB: the same with script codes', () => {
		const text = model(['</s>', 'eng_Latn', 'deu_Latn'], ['eng_Latn'], ['</s>']);
		const both = { sourceLanguage: 'deu_Latn', targetLanguage: 'eng_Latn' };
		assert.equal(encoded(text, both), 'deu_Latn hello world </s> → START eng_Latn');
	});

	it('mBART: the source language comes last', () => {
		const text = model(['</s>', 'en_XX', 'de_DE'], [], ['</s>', 'en_XX']);
		const both = { sourceLanguage: 'de_DE', targetLanguage: 'en_XX' };
		assert.equal(encoded(text, both), 'hello world </s> de_DE → START en_XX');
	});

	it('Marian and MADLAD: the target language stands in front of the source', () => {
		for (const [tag, code] of [
			['>>de<<', 'de'],
			['<2de>', 'de'],
		] as const) {
			const text = model(['</s>', tag], [], ['</s>']);
			assert.equal(encoded(text, { targetLanguage: code }), `${tag} hello world </s> → START`);
		}
	});

	it('one pair of languages needs no token, and an unknown language is refused', () => {
		assert.equal(
			encoded(model(['</s>'], [], ['</s>']), { targetLanguage: 'de' }),
			'hello world </s> → START',
		);
		const text = model(['</s>', '__en__', '__de__'], ['__en__'], ['</s>']);
		assert.throws(() => encoded(text, { targetLanguage: 'xx' }), /'xx'/);
	});
});
