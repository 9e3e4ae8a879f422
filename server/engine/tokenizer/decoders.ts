/** The decoders of tokenizer.json files: tokens back to text. */

import { AppError } from '../../protocol/index.ts';
import { pushAll } from '../../protocol/lists.ts';
import { asNumber, asRecord, asString } from '../modelFiles/json.ts';
import { bytesOfChars } from './byteLevel.ts';
import { patternOf } from './normalizers.ts';

/** Turns token texts into pieces of text; joining the pieces gives the answer. */
export type TokenDecoder = (tokens: readonly string[]) => readonly string[];

const utf8 = new TextDecoder('utf-8');

/** Builds a decoder; without one, tokens are joined by spaces. */
export function buildDecoder(value: unknown): TokenDecoder {
	const config = asRecord(value);
	if (config === undefined) return (tokens) => [tokens.join(' ')];
	const type = asString(config.type) ?? '';
	switch (type) {
		case 'Sequence': {
			const steps = (config.decoders as unknown[]).map(buildDecoder);
			return (tokens) => steps.reduce((texts, step) => step(texts), tokens);
		}
		case 'ByteLevel':
			return byteLevel;
		case 'ByteFallback':
			return byteFallback;
		case 'Fuse':
			return (tokens) => [tokens.join('')];
		case 'Metaspace': {
			const mark = asString(config.replacement) ?? '\u2581';
			const legacy = config.add_prefix_space === false ? 'never' : 'always';
			const prepends = (asString(config.prepend_scheme) ?? legacy) !== 'never';
			return (tokens) =>
				tokens.map((token, index) => {
					const text = token.replaceAll(mark, ' ');
					return index === 0 && prepends && text.startsWith(' ') ? text.slice(1) : text;
				});
		}
		case 'Replace': {
			// Answers are decoded token by token while they are made; no published model repeats here.
			if (/[*+{]/.test(asString(asRecord(config.pattern)?.Regex) ?? ''))
				throw new AppError(
					'unsupported_model',
					'The tokenizer uses a decoder with a pattern that repeats, which is not run here.',
				);
			const pattern = patternOf(config.pattern);
			const content = asString(config.content) ?? '';
			return (tokens) => tokens.map((token) => token.replace(pattern, () => content));
		}
		case 'Strip':
			return strip(
				asString(config.content) ?? ' ',
				asNumber(config.start) ?? 0,
				asNumber(config.stop) ?? 0,
			);
		case 'WordPiece':
			return wordPiece(asString(config.prefix) ?? '##', config.cleanup !== false);
		case 'BPEDecoder': {
			const suffix = asString(config.suffix) ?? '</w>';
			return (tokens) =>
				tokens.map((token, index) =>
					token.replaceAll(suffix, index === tokens.length - 1 ? '' : ' '),
				);
		}
		case 'CTC':
			return ctc(
				asString(config.pad_token) ?? '<pad>',
				asString(config.word_delimiter_token) ?? '|',
			);
		default:
			throw new AppError(
				'unsupported_model',
				`The tokenizer uses the decoder ${type}, which is not known here.`,
			);
	}
}

function byteLevel(tokens: readonly string[]): string[] {
	return [utf8.decode(Buffer.concat(tokens.map(bytesOfChars)))];
}

/** The byte a `<0xNN>` token stands for. */
export function fallbackByte(token: string): number | undefined {
	const found = /^<0x([0-9A-Fa-f]{2})>$/.exec(token);
	return found === null ? undefined : Number.parseInt(found[1] as string, 16);
}

/** Joins runs of `<0xNN>` tokens to the characters they spell. */
export function byteFallback(tokens: readonly string[]): string[] {
	const texts: string[] = [];
	let bytes: number[] = [];
	const flush = () => {
		if (bytes.length === 0) return;
		const text = Buffer.from(bytes).toString('utf8');
		const valid = Buffer.from(text, 'utf8').equals(Buffer.from(bytes));
		// The reference gives one replacement character per byte of a broken run.
		pushAll(texts, valid ? [text] : bytes.map(() => '\ufffd'));
		bytes = [];
	};
	for (const token of tokens) {
		const byte = fallbackByte(token);
		if (byte === undefined) {
			flush();
			texts.push(token);
		} else bytes.push(byte);
	}
	flush();
	return texts;
}

function strip(content: string, start: number, stop: number): TokenDecoder {
	return (tokens) =>
		tokens.map((token) => {
			let from = 0;
			while (from < start && token[from] === content) from++;
			let to = token.length;
			while (token.length - to < stop && to > from && token[to - 1] === content) to--;
			return token.slice(from, to);
		});
}

function wordPiece(prefix: string, cleanup: boolean): TokenDecoder {
	return (tokens) =>
		tokens.map((token, index) => {
			const text =
				index === 0 ? token : token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`;
			return cleanup ? cleanUp(text) : text;
		});
}

/** Removes the spaces English detokenizers remove, exactly as the reference's clean-up. */
export function cleanUp(text: string): string {
	return text
		.replaceAll(' .', '.')
		.replaceAll(' ?', '?')
		.replaceAll(' !', '!')
		.replaceAll(' ,', ',')
		.replaceAll(" ' ", "'")
		.replaceAll(" n't", "n't")
		.replaceAll(" 'm", "'m")
		.replaceAll(" 's", "'s")
		.replaceAll(" 've", "'ve")
		.replaceAll(" 're", "'re");
}

function ctc(pad: string, delimiter: string): TokenDecoder {
	return (tokens) =>
		tokens
			.filter((token, index) => token !== tokens[index - 1])
			.map((token) => token.replaceAll(pad, '').replaceAll(delimiter, ' '))
			.filter((token) => token !== '');
}
