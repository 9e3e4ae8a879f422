/** TOML: string values that read like words; keys, comments, dates, numbers and layout stay. */

import { isProse } from '../isProse.ts';
import type { Extract, Fault, Piece } from '../piece.ts';
import { categoryBranches, pluralKey, siblingsOf } from '../pluralKeys.ts';
import { remarksIn } from '../remarks.ts';

interface Value {
	readonly start: number;
	readonly end: number;
	readonly text: string;
	readonly quote: string;
	/** Number of the table it stands in, and its key. */
	readonly table: number;
	readonly key: string;
}

const blank = /(?:[ \t\r\n]|#[^\n]*)*/y;
const space = /[ \t]*/y;
const bareKey = /[\w-]+/y;
const header = /\[\[?[^\n]*/y;
const plain = /[^\s,\]}#"']+(?: \d[\d:.Z+-]*)?/y;

class TomlError extends Error {
	readonly at: number;
	constructor(at: number, what: string) {
		super(what);
		this.at = at;
	}
}

/** Goes over a file once; nesting is a list, so depth costs nothing. */
class TomlReader {
	readonly values: Value[] = [];
	readonly keys: string[][] = [[]];
	readonly #text: string;
	#at = 0;

	constructor(text: string) {
		this.#text = text;
		this.#at = text.startsWith('\ufeff') ? 1 : 0;
	}

	read(): void {
		for (;;) {
			this.#match(blank);
			if (this.#at >= this.#text.length) return;
			if (this.#text[this.#at] === '[') {
				this.#match(header);
				this.keys.push([]);
			} else {
				this.#value(this.#key());
				this.#match(space);
				if (!/^(?:\r?\n|#|$)/.test(this.#text.slice(this.#at, this.#at + 2)))
					throw new TomlError(this.#at, 'something follows a value');
			}
		}
	}

	#match(pattern: RegExp): string {
		pattern.lastIndex = this.#at;
		const found = pattern.exec(this.#text)?.[0] ?? '';
		this.#at += found.length;
		return found;
	}

	#key(isInline = false): string {
		const parts: string[] = [];
		for (;;) {
			this.#match(space);
			const quote = this.#text[this.#at];
			if (quote === '"' || quote === "'") parts.push(this.#string().text);
			else {
				const part = this.#match(bareKey);
				if (part === '') throw new TomlError(this.#at, 'a key is missing');
				parts.push(part);
			}
			this.#match(space);
			if (this.#text[this.#at] !== '.') break;
			this.#at++;
		}
		if (this.#text[this.#at] !== '=') throw new TomlError(this.#at, 'an equals sign is missing');
		this.#at++;
		const key = parts.join('.');
		if (!isInline) this.keys.at(-1)?.push(key);
		return key;
	}

	/** A value with all values in it. */
	#value(key: string): void {
		const open: string[] = [];
		let name = key;
		for (;;) {
			this.#match(open.length > 0 ? blank : space);
			const letter = this.#text[this.#at];
			if (letter === '[' || letter === '{') {
				open.push(letter);
				this.#at++;
				this.#match(blank);
				const next = this.#text[this.#at];
				if (next !== ']' && next !== '}') {
					if (letter === '{') name = this.#key(true);
					continue;
				}
			} else if (letter === '"' || letter === "'")
				this.values.push({ ...this.#string(), table: this.keys.length - 1, key: name });
			else if (this.#match(plain) === '') throw new TomlError(this.#at, 'a value is missing');
			for (;;) {
				if (open.length === 0) return;
				this.#match(blank);
				const mark = this.#text[this.#at];
				const top = open.at(-1);
				if (mark === ',') {
					this.#at++;
					this.#match(blank);
					const next = this.#text[this.#at];
					if (next === ']' || next === '}') continue;
					if (top === '{') name = this.#key(true);
					break;
				}
				if (mark !== (top === '[' ? ']' : '}'))
					throw new TomlError(
						this.#at,
						top === '[' ? 'a list is not closed' : 'a table is not closed',
					);
				this.#at++;
				open.pop();
			}
		}
	}

	#string(): Omit<Value, 'table' | 'key'> {
		const text = this.#text;
		const letter = text[this.#at] ?? '';
		const quote = text.startsWith(letter.repeat(3), this.#at) ? letter.repeat(3) : letter;
		const start = this.#at;
		let at = start + quote.length;
		while (!text.startsWith(quote, at)) {
			if (at >= text.length || (quote.length === 1 && text[at] === '\n'))
				throw new TomlError(start, 'a string is not closed');
			at += letter === '"' && text[at] === '\\' ? 2 : 1;
		}
		// Up to two quotes may stand before those that close.
		while (quote.length === 3 && text[at + 3] === letter) at++;
		this.#at = at + quote.length;
		const raw = text.slice(start + quote.length, at);
		const first = quote.length === 3 ? raw.replace(/^\r?\n/, '') : raw;
		return { start, end: this.#at, quote, text: letter === "'" ? first : unescaped(first) };
	}
}

const letters: ReadonlyMap<string, string> = new Map([
	['n', '\n'],
	['t', '\t'],
	['r', '\r'],
	['b', '\b'],
	['f', '\f'],
	['e', '\u001b'],
]);

function unescaped(raw: string): string {
	return raw.replace(
		/\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|[ \t]*\r?\n[ \t\r\n]*|([\s\S]))/g,
		(all, short?: string, long?: string, letter?: string) => {
			if (letter !== undefined) return letters.get(letter) ?? letter;
			const code = Number.parseInt(short ?? long ?? '', 16);
			if (Number.isNaN(code)) return '';
			return code <= 0x10ffff ? String.fromCodePoint(code) : all;
		},
	);
}

function quoted(text: string, quote: string, eol: string): string {
	if (quote === "'" && !/['\n\r]/.test(text)) return `'${text}'`;
	if (quote === "'''" && !text.includes("''") && !text.endsWith("'")) return `'''${eol}${text}'''`;
	const escaped = text
		.replace(/[\\"]/g, '\\$&')
		.replaceAll('\t', '\\t')
		.replaceAll('\r', '\\r')
		.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '');
	if (quote.length === 3) return `"""${eol}${escaped.replaceAll('\n', eol)}"""`;
	return `"${escaped.replaceAll('\n', '\\n')}"`;
}

function read(text: string): { reader: TomlReader; fault?: Fault } {
	const reader = new TomlReader(text);
	try {
		reader.read();
		return { reader };
	} catch (error) {
		if (!(error instanceof TomlError)) throw error;
		return { reader, fault: { at: error.at, what: error.message } };
	}
}

export const extractToml: Extract = Object.assign(
	(text: string, to?: string): Piece[] => {
		const eol = text.includes('\r\n') ? '\r\n' : '\n';
		const isKept = remarksIn(text);
		const { reader } = read(text);
		const siblings = reader.keys.map((keys) => siblingsOf(keys));
		return reader.values.flatMap(({ start, end, text: words, quote, table, key }): Piece[] => {
			if (!isProse(words.trim()) || isKept(start, '')) return [];
			const own = siblings[table];
			const plural = own && to !== undefined ? pluralKey(key, own) : undefined;
			const branches = plural && to ? categoryBranches(words, plural, to) : undefined;
			const encode = (made: string) => quoted(made, quote, quote.length === 3 ? eol : '');
			return [{ start, end, text: words, encode, ...(branches ? { branches } : {}) }];
		});
	},
	{ faultOf: (text: string) => read(text).fault },
);
