/** The metadata a converter would write for a published tokenizer: the other way round of what is tested. */

import type { MetadataValue } from '../../../../server/engine/build/sources/tensorSource.ts';
import {
	pieceType,
	type SentencePieceFile,
} from '../../../../server/engine/tokenizer/sentencePieceFile.ts';

type Json = Record<string, unknown>;

interface Added {
	readonly id: number;
	readonly content: string;
	readonly special: boolean;
}

export interface GgufOptions {
	readonly pre?: string;
	readonly more?: Readonly<Record<string, MetadataValue>>;
}

/** A token before its columns are written. */
interface Token {
	text: string;
	type: number;
	score: number;
}

function metadata(model: string, tokens: readonly Token[], rest: Json): Map<string, MetadataValue> {
	const values: Json = {
		model,
		tokens: tokens.map(({ text }) => text),
		token_type: tokens.map(({ type }) => type),
		scores: tokens.map(({ score }) => score),
		...rest,
	};
	return new Map(
		Object.entries(values).map(([key, value]) => [
			key.includes('.') && !key.startsWith('normalizer.') ? key : `tokenizer.ggml.${key}`,
			value as MetadataValue,
		]),
	);
}

function withAdded(tokens: Token[], json: Json): Token[] {
	for (const { id, content, special } of json.added_tokens as Added[])
		tokens[id] = { text: content, type: special ? 3 : 4, score: -1000 };
	for (let id = 0; id < tokens.length; id++)
		tokens[id] ??= { text: `[PAD${id}]`, type: 5, score: -1000 };
	return tokens;
}

const modelOf = (json: Json) => json.model as Json;

/** From tokenizer.json of a byte-level vocabulary. */
export function byteLevelGguf(json: Json, { pre, more }: GgufOptions): Map<string, MetadataValue> {
	const tokens: Token[] = [];
	for (const [text, id] of Object.entries(modelOf(json).vocab as Record<string, number>))
		tokens[id] = { text, type: 1, score: 0 };
	const merges = (modelOf(json).merges as (string | string[])[]).map((merge) =>
		typeof merge === 'string' ? merge : merge.join(' '),
	);
	return metadata('gpt2', withAdded(tokens, json), {
		merges,
		...(pre === undefined ? {} : { pre }),
		...more,
	});
}

/** From tokenizer.json of Llama 2 and Phi-3: the sooner a piece is merged, the better its score. */
export function llamaGguf(json: Json, more: GgufOptions['more'] = {}): Map<string, MetadataValue> {
	const ranks = new Map<string, number>();
	for (const [rank, merge] of (modelOf(json).merges as string[]).entries()) {
		const piece = merge.replace(' ', '');
		if (!ranks.has(piece)) ranks.set(piece, rank);
	}
	const tokens: Token[] = [];
	for (const [text, id] of Object.entries(modelOf(json).vocab as Record<string, number>)) {
		const score = -(ranks.get(text) ?? 1e6);
		tokens[id] = { text, type: /^<0x..>$/.test(text) ? 6 : 1, score };
	}
	const added = withAdded(tokens, json);
	(added[0] as Token).type = 2;
	return metadata('llama', added, { pre: 'default', ...more });
}

/**
 * From a SentencePiece model.
 * @param published tokenizer.json beside it, which says what is special
 */
export function piecesGguf(
	file: SentencePieceFile,
	more: GgufOptions['more'] = {},
	published: Json = { added_tokens: [] },
): Map<string, MetadataValue> {
	const pieces = file.pieces.map(({ text, score, type }) => ({
		// Spaces of symbols that users defined are written as they are.
		text: type === pieceType.userDefined ? text.replaceAll('\u2581', ' ') : text,
		score,
		type,
	}));
	for (const { id, special } of published.added_tokens as Added[])
		if (special && pieces[id]?.type !== pieceType.unknown) (pieces[id] as Token).type = 3;
	return metadata(file.kind === 'bpe' ? 'llama' : 't5', pieces, {
		pre: 'default',
		add_space_prefix: file.addDummyPrefix,
		remove_extra_whitespaces: file.removeExtraWhitespaces,
		...(file.charsMap.length === 0 ? {} : { precompiled_charsmap: [...file.charsMap] }),
		...more,
	});
}

/** From tokenizer.json of a unigram vocabulary. */
export function unigramGguf(
	json: Json,
	more: GgufOptions['more'] = {},
): Map<string, MetadataValue> {
	const tokens = (modelOf(json).vocab as [string, number][]).map(([text, score]) => ({
		text,
		score,
		type: 1,
	}));
	const added = withAdded(tokens, json);
	const unknown = modelOf(json).unk_id as number;
	for (const [id, [, score]] of (modelOf(json).vocab as [string, number][]).entries())
		(added[id] as Token).score = score;
	(added[unknown] as Token).type = 2;
	const normalizers = [
		json.normalizer,
		...(((json.normalizer as Json).normalizers as Json[]) ?? []),
	];
	const map = normalizers.map((part) => (part as Json).precompiled_charsmap).find(Boolean);
	return metadata('t5', added, {
		pre: 'default',
		add_space_prefix: true,
		remove_extra_whitespaces: true,
		// Signed bytes, as converters write them.
		precompiled_charsmap: [...new Int8Array(Buffer.from(map as string, 'base64'))],
		unknown_token_id: unknown,
		...more,
	});
}

/** From tokenizer.json of a WordPiece vocabulary, with the beginnings of words marked. */
export function wordPieceGguf(
	json: Json,
	more: GgufOptions['more'] = {},
): Map<string, MetadataValue> {
	const special = new Set((json.added_tokens as Added[]).map(({ id }) => id));
	const tokens: Token[] = [];
	for (const [text, id] of Object.entries(modelOf(json).vocab as Record<string, number>)) {
		const marked = text.startsWith('##') ? text.slice(2) : `\u2581${text}`;
		tokens[id] = special.has(id)
			? { text, type: 3, score: -1000 }
			: { text: marked, type: 1, score: 0 };
	}
	const id = (text: string) => tokens.findIndex((token) => token.text === text);
	return metadata('bert', tokens, {
		bos_token_id: id('[CLS]'),
		seperator_token_id: id('[SEP]'),
		unknown_token_id: id('[UNK]'),
		padding_token_id: id('[PAD]'),
		mask_token_id: id('[MASK]'),
		...more,
	});
}
