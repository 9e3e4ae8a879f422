/** Added tokens (`<|im_start|>`, `<pad>`, runs of spaces): found in the text before anything else happens. */

import { asNumber, asRecord, asString, type JsonRecord } from '../modelFiles/json.ts';
import type { AlignedText } from './alignedText.ts';
import { checkTokenId } from './tokenizerModel.ts';

/** An added token with its matching rules. */
export interface AddedToken {
	readonly id: number;
	readonly content: string;
	readonly special: boolean;
	readonly singleWord: boolean;
	readonly stripsLeft: boolean;
	readonly stripsRight: boolean;
	/** Matched in the normalised text instead of the raw one. */
	readonly normalized: boolean;
}

/** A stretch of text, or the added token found there. */
export interface Segment {
	readonly piece: AlignedText;
	readonly token?: AddedToken;
}

/** The tokens of tokenizer.json; those of tokenizer_config.json override them, as in the reference. */
export function readAddedTokens(tokenizer: JsonRecord, config: JsonRecord): AddedToken[] {
	const tokens = new Map<number, AddedToken>();
	const list = Array.isArray(tokenizer.added_tokens) ? tokenizer.added_tokens : [];
	for (const entry of list) {
		const record = asRecord(entry);
		const id = asNumber(record?.id);
		if (record !== undefined && id !== undefined) add(tokens, id, record);
	}
	for (const [id, entry] of Object.entries(asRecord(config.added_tokens_decoder) ?? {})) {
		const record = asRecord(entry);
		if (record !== undefined) add(tokens, Number(id), record);
	}
	return [...tokens.values()].sort((a, b) => a.id - b.id);
}

function add(tokens: Map<number, AddedToken>, id: number, record: JsonRecord): void {
	const content = asString(record.content) ?? '';
	if (content === '') return;
	checkTokenId(content, id);
	const special = record.special === true;
	tokens.set(id, {
		id,
		content,
		special,
		singleWord: record.single_word === true,
		stripsLeft: record.lstrip === true,
		stripsRight: record.rstrip === true,
		normalized: typeof record.normalized === 'boolean' ? record.normalized : !special,
	});
}

interface Entry {
	readonly content: string;
	readonly token: AddedToken;
}

/** Tokens that begin with one UTF-16 unit. */
interface Bucket {
	/** Different lengths of the tokens, the longest first. */
	readonly lengths: number[];
	readonly byContent: Map<string, AddedToken>;
}

/** Cuts text at added tokens: leftmost first, then longest. */
export class AddedTokenSplitter {
	readonly #byFirst = new Map<number, Bucket>();

	/** @param tokens with the text to look for (the normalised content, for normalised tokens) */
	constructor(tokens: Iterable<Entry>) {
		for (const { content, token } of tokens) {
			if (content === '') continue;
			const unit = content.charCodeAt(0);
			const bucket: Bucket = this.#byFirst.get(unit) ?? { lengths: [], byContent: new Map() };
			if (!bucket.byContent.has(content)) bucket.byContent.set(content, token);
			if (!bucket.lengths.includes(content.length)) bucket.lengths.push(content.length);
			this.#byFirst.set(unit, bucket);
		}
		for (const { lengths } of this.#byFirst.values()) lengths.sort((a, b) => b - a);
	}

	/** The longest token that begins at a place. */
	#at(text: string, at: number): Entry | undefined {
		const bucket = this.#byFirst.get(text.charCodeAt(at));
		for (const length of bucket?.lengths ?? []) {
			const content = text.slice(at, at + length);
			const token = bucket?.byContent.get(content);
			if (token !== undefined) return { content, token };
		}
		return undefined;
	}

	split(piece: AlignedText): Segment[] {
		const { text } = piece;
		if (this.#byFirst.size === 0 || text === '') return text === '' ? [] : [{ piece }];
		const segments: Segment[] = [];
		let from = 0;
		for (let at = 0; at < text.length; ) {
			const found = this.#at(text, at);
			if (found === undefined) {
				at++;
				continue;
			}
			let start = at;
			let end = at + found.content.length;
			if (found.token.singleWord && !standsAlone(text, start, end)) {
				at = end;
				continue;
			}
			if (found.token.stripsLeft) while (start > from && isSpace(text, start - 1)) start--;
			if (found.token.stripsRight) while (end < text.length && isSpace(text, end)) end++;
			if (start > from) segments.push({ piece: piece.slice(from, start) });
			segments.push({ piece: piece.slice(start, end), token: found.token });
			from = end;
			at = end;
		}
		if (from < text.length) segments.push({ piece: piece.slice(from, text.length) });
		return segments;
	}
}

function isSpace(text: string, at: number): boolean {
	return /\p{White_Space}/u.test(text[at] as string);
}

function standsAlone(text: string, start: number, end: number): boolean {
	const word = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]/u;
	return !word.test(text[start - 1] ?? ' ') && !word.test(text[end] ?? ' ');
}
