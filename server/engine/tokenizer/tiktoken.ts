/** Vocabularies in OpenAI's tiktoken form (`base64 rank` per line), as Qwen and Llama 3 first published theirs. */

import { AppError } from '../../protocol/index.ts';
import type { AddedToken } from './addedTokens.ts';
import { Bpe } from './bpe.ts';
import { charsOfBytes } from './byteLevel.ts';
import { buildDecoder } from './decoders.ts';
import { buildNormalizer } from './normalizers.ts';
import { buildPreTokenizer } from './preTokenizers.ts';
import { Tokenizer } from './tokenizer.ts';
import { Vocabulary } from './tokenizerModel.ts';

/** The families that were published in this form. */
export type TiktokenFamily = 'qwen' | 'llama3';

const llama3Pattern =
	"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const qwenPattern = llama3Pattern.replace('\\p{N}{1,3}', '\\p{N}');

/** Special tokens in the order of their ids, which follow the last rank. */
function specialTokens(family: TiktokenFamily): string[] {
	const numbered = (from: number, to: number, name: (n: number) => string) =>
		Array.from({ length: to - from }, (_, index) => name(from + index));
	if (family === 'qwen') {
		const extra = numbered(0, 205, (n) => `<|extra_${n}|>`);
		return ['<|endoftext|>', '<|im_start|>', '<|im_end|>', ...extra];
	}
	const reserved = (n: number) => `<|reserved_special_token_${n}|>`;
	return [
		'<|begin_of_text|>',
		'<|end_of_text|>',
		...numbered(0, 4, reserved),
		'<|start_header_id|>',
		'<|end_header_id|>',
		reserved(4),
		'<|eot_id|>',
		...numbered(5, 251, reserved),
	];
}

/**
 * Reads a tiktoken file.
 * @throws AppError `unsupported_model` when a line is not `base64 rank`
 */
export function readTiktoken(text: string, family: TiktokenFamily): Tokenizer {
	const vocabulary = new Vocabulary(entries(text));
	const added: AddedToken[] = specialTokens(family).map((content, index) => ({
		id: vocabulary.size + index,
		content,
		special: true,
		singleWord: false,
		stripsLeft: false,
		stripsRight: false,
		normalized: false,
	}));
	const pattern = family === 'qwen' ? qwenPattern : llama3Pattern;
	return new Tokenizer({
		model: new Bpe(vocabulary, (left, right) => joinRank(vocabulary, left, right), {
			ignoreMerges: true,
		}),
		normalizer: buildNormalizer(family === 'qwen' ? { type: 'NFC' } : undefined),
		preTokenizer: buildPreTokenizer({
			type: 'Sequence',
			pretokenizers: [
				{ type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated' },
				{ type: 'ByteLevel', add_prefix_space: false, use_regex: false },
			],
		}),
		decoder: buildDecoder({ type: 'ByteLevel' }),
		specialTokens: { before: family === 'llama3' ? [vocabulary.size] : [], after: [] },
		added,
		spelling: 'byte-level',
		cleansUp: false,
		isLinear: true,
	});
}

// Two tokens join when their bytes together are a token; its rank is its id.
function joinRank(vocabulary: Vocabulary, left: number, right: number) {
	const id = vocabulary.id(`${vocabulary.token(left)}${vocabulary.token(right)}`);
	return id === undefined ? undefined : { rank: id, id };
}

function* entries(text: string): Iterable<[string, number]> {
	let number = 0;
	for (const line of text.split('\n')) {
		number++;
		if (line === '' || line === '\r') continue;
		const [bytes, rank] = line.trim().split(' ');
		if (bytes === undefined || !/^\d+$/.test(rank ?? '')) {
			throw new AppError('unsupported_model', `Line ${number} of the .tiktoken file is broken.`);
		}
		yield [charsOfBytes(Buffer.from(bytes, 'base64')), Number(rank)];
	}
}

/** Whether a file is in this form: a SentencePiece model begins with other bytes. */
export function looksLikeTiktoken(start: string): boolean {
	return /^[A-Za-z0-9+/]+=* \d+\r?\n/.test(start);
}
