/** TOML as its strings with their places, and what is syntax around them. */

import type { SyntaxNode } from '../../gate/gate.ts';
import type { Fault } from '../piece.ts';

/** A string of a file with its quotes. */
export interface TomlValue {
	readonly start: number;
	readonly end: number;
	readonly text: string;
	readonly quote: string;
	/** Number of the table it stands in, and its key. */
	readonly table: number;
	readonly key: string;
	/** Keys from the root, `menu.file.open`. */
	readonly path: string;
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
	readonly values: TomlValue[] = [];
	readonly keys: string[][] = [[]];
	/** Tables, keys, brackets and values that are no strings. */
	readonly nodes: SyntaxNode[] = [];
	readonly #text: string;
	#at = 0;
	/** Name of the table that is open. */
	#table = '';

	constructor(text: string) {
		this.#text = text;
		this.#at = text.startsWith('\ufeff') ? 1 : 0;
	}

	read(): void {
		for (;;) {
			this.#match(blank);
			if (this.#at >= this.#text.length) return;
			if (this.#text[this.#at] === '[') {
				const head = this.#match(header);
				this.#note(this.#at - head.length, head);
				this.#table = head.slice(head.startsWith('[[') ? 2 : 1, head.indexOf(']')).trim();
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

	#note(at: number, node: string): void {
		this.nodes.push({ at, node });
	}

	#key(isInline = false): string {
		const start = this.#at;
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
		this.#note(start, `key ${key}`);
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
				this.#note(this.#at, letter);
				this.#at++;
				this.#match(blank);
				const next = this.#text[this.#at];
				if (next !== ']' && next !== '}') {
					if (letter === '{') name = this.#key(true);
					continue;
				}
			} else if (letter === '"' || letter === "'") {
				this.#note(this.#at, 'text');
				const path = this.#table === '' ? name : `${this.#table}.${name}`;
				this.values.push({ ...this.#string(), table: this.keys.length - 1, key: name, path });
			} else {
				const start = this.#at;
				const value = this.#match(plain);
				if (value === '') throw new TomlError(start, 'a value is missing');
				this.#note(start, value);
			}
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
				this.#note(this.#at, mark ?? '');
				this.#at++;
				open.pop();
			}
		}
	}

	#string(): Omit<TomlValue, 'table' | 'key' | 'path'> {
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
		// However the lines of a file end, those of a text end alike.
		const first = quote.length === 3 ? raw.replaceAll('\r\n', '\n').replace(/^\n/, '') : raw;
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

/** Reads a file as far as it goes. */
export function readToml(text: string): { reader: TomlReader; fault?: Fault } {
	const reader = new TomlReader(text);
	try {
		reader.read();
		return { reader };
	} catch (error) {
		if (!(error instanceof TomlError)) throw error;
		return { reader, fault: { at: error.at, what: error.message } };
	}
}
