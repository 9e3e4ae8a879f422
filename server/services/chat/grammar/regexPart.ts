/** Reads a regular expression as the texts it matches as a whole. What cannot be enforced is refused by name. */

import { AppError } from '../../../protocol/index.ts';
import { anyCaseOf, type CharRange, type GrammarPart, othersThan } from './ebnf.ts';

const maxDepth = 100;
const maxRepeat = 10_000;

const digits: readonly CharRange[] = [[0x30, 0x39]];
const words: readonly CharRange[] = [
	[0x30, 0x39],
	[0x41, 0x5a],
	[0x5f, 0x5f],
	[0x61, 0x7a],
];
const spaces: readonly CharRange[] = [
	[0x09, 0x0d],
	[0x20, 0x20],
];
const beyondAscii: CharRange = [0x80, 0x10ffff];
const classes: ReadonlyMap<string, readonly CharRange[]> = new Map(
	Object.entries({ d: digits, w: words, s: spaces }),
);
const controls: ReadonlyMap<string, number> = new Map(
	Object.entries({ n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0, a: 7 }),
);

export interface RegexFlags {
	/** Letters of both cases. */
	readonly ignoreCase?: boolean;
	/** A dot is a line end as well. */
	readonly dotAll?: boolean;
}

/** @throws AppError `unsupported_parameter`, `invalid_request` with that `param` */
export function regexPart(source: string, param: string, flags: RegexFlags = {}): GrammarPart {
	return new RegexReader(source, param, flags).read();
}

class RegexReader {
	readonly #chars: readonly string[];
	readonly #param: string;
	readonly #flags: RegexFlags;
	#at = 0;
	#depth = 0;

	constructor(source: string, param: string, flags: RegexFlags) {
		this.#chars = [...source];
		this.#param = param;
		this.#flags = flags;
	}

	read(): GrammarPart {
		if (this.#peek() === '^') this.#at++;
		const part = this.#choice();
		if (this.#at < this.#chars.length) throw this.#wrong(`has a '${this.#peek()}' too many`);
		return part;
	}

	#choice(): GrammarPart {
		if (++this.#depth > maxDepth) throw this.#wrong(`is more than ${maxDepth} levels deep`);
		const ways = [this.#sequence()];
		while (this.#take('|')) ways.push(this.#sequence());
		this.#depth--;
		return ways.length === 1 ? (ways[0] as GrammarPart) : { kind: 'choice', parts: ways };
	}

	#sequence(): GrammarPart {
		const parts: GrammarPart[] = [];
		for (;;) {
			const char = this.#peek();
			if (char === undefined || char === '|' || char === ')') break;
			if (char === '$' && this.#at === this.#chars.length - 1) {
				this.#at++;
				break;
			}
			parts.push(this.#repeated(this.#atom()));
		}
		return { kind: 'sequence', parts };
	}

	#repeated(part: GrammarPart): GrammarPart {
		let out = part;
		for (;;) {
			const bounds = this.#bounds();
			if (bounds === undefined) return out;
			out = { kind: 'repeat', part: out, ...bounds };
			// Which texts match does not depend on it.
			if (!this.#take('?') && this.#peek() === '+')
				throw this.#unsupported('possessive repetition');
		}
	}

	#bounds(): { readonly min: number; readonly max: number | undefined } | undefined {
		if (this.#take('*')) return { min: 0, max: undefined };
		if (this.#take('+')) return { min: 1, max: undefined };
		if (this.#take('?')) return { min: 0, max: 1 };
		if (this.#peek() !== '{') return undefined;
		const rest = this.#chars.slice(this.#at, this.#at + 24).join('');
		const found = /^\{(\d{0,5})(?:(,)(\d{0,5}))?\}/.exec(rest);
		if (found === null || (found[1] === '' && (found[3] ?? '') === '')) return undefined;
		this.#at += found[0].length;
		const min = Number(found[1] ?? 0);
		const max = found[2] === undefined ? min : found[3] === '' ? undefined : Number(found[3]);
		if (max !== undefined && max < min) throw this.#wrong(`repeats ${min} to ${max} times`);
		if (Math.max(min, max ?? 0) > maxRepeat)
			throw this.#wrong(`repeats more than ${maxRepeat} times`);
		return { min, max };
	}

	#atom(): GrammarPart {
		const char = this.#next();
		switch (char) {
			case '.':
				return {
					kind: 'chars',
					ranges: othersThan(this.#flags.dotAll === true ? [] : [[10, 10]]),
				};
			case '[':
				return this.#class();
			case '(':
				return this.#group();
			case '\\':
				return this.#escape();
			case '^':
			case '$':
				throw this.#unsupported(`'${char}' inside of the expression`);
			case '*':
			case '+':
			case '?':
				throw this.#wrong(`repeats nothing with '${char}'`);
			default:
				return this.#literal(char);
		}
	}

	#literal(char: string): GrammarPart {
		return this.#flags.ignoreCase === true ? anyCaseOf(char) : { kind: 'text', text: char };
	}

	#group(): GrammarPart {
		if (this.#take('?')) {
			const kind = this.#next();
			if (kind === 'P' || kind === '<') {
				const isName = kind === '<' ? !/[=!]/.test(this.#peek() ?? '') : this.#take('<');
				if (!isName) throw this.#unsupported(kind === 'P' ? 'a back reference' : 'looking behind');
				while (this.#next() !== '>');
			} else if (kind === '=' || kind === '!') throw this.#unsupported('looking ahead');
			else if (kind !== ':') throw this.#unsupported(`a group that begins with (?${kind}`);
		}
		const part = this.#choice();
		if (!this.#take(')')) throw this.#wrong("has a '(' that is not closed");
		return part;
	}

	#escape(): GrammarPart {
		const char = this.#next();
		const known = classes.get(char.toLowerCase());
		if (known !== undefined) {
			if (classes.has(char)) return { kind: 'chars', ranges: known };
			// What counts as a word differs beyond ASCII; without it every text fits either way.
			return { kind: 'chars', ranges: othersThan([...known, beyondAscii]) };
		}
		if (/[1-9]/.test(char) || char === 'k') throw this.#unsupported('a back reference');
		if (/[bBAzZG]/.test(char)) throw this.#unsupported(`\\${char}`);
		if (/[pP]/.test(char)) throw this.#unsupported(`\\${char}{…}`);
		return this.#literal(String.fromCodePoint(this.#code(char)));
	}

	/** The character of an escape. */
	#code(char: string): number {
		const control = controls.get(char);
		if (control !== undefined) return control;
		const length = char === 'x' ? 2 : char === 'u' ? 4 : 0;
		if (length > 0) {
			const hex = this.#chars.slice(this.#at, this.#at + length).join('');
			if (hex.length !== length || !/^[0-9a-fA-F]+$/.test(hex))
				throw this.#wrong(`has \\${char} without ${length} hex digits`);
			this.#at += length;
			const code = Number.parseInt(hex, 16);
			if (code >= 0xd800 && code <= 0xdfff) throw this.#unsupported('half of a pair');
			return code;
		}
		if (/[A-Za-z]/.test(char)) throw this.#unsupported(`\\${char}`);
		return char.codePointAt(0) ?? 0;
	}

	#class(): GrammarPart {
		const isNegated = this.#take('^');
		const ranges: CharRange[] = [];
		let isVague = false;
		for (let isFirst = true; ; isFirst = false) {
			const char = this.#next();
			if (char === ']' && !isFirst) break;
			if (char === '[' && this.#peek() === ':') throw this.#unsupported('a POSIX class');
			const known = char === '\\' ? classes.get((this.#peek() ?? '').toLowerCase()) : undefined;
			if (known !== undefined) {
				const isOther = /[DWS]/.test(this.#next());
				ranges.push(...(isOther ? othersThan([...known, beyondAscii]) : known));
				isVague = true;
				continue;
			}
			const first = this.#classChar(char);
			const isRange = this.#peek() === '-' && this.#chars[this.#at + 1] !== ']';
			if (!isRange) {
				ranges.push([first, first]);
				continue;
			}
			this.#at++;
			const last = this.#classChar(this.#next());
			if (last < first) throw this.#wrong('has a range that ends before it begins');
			ranges.push([first, last]);
		}
		const all = this.#flags.ignoreCase === true ? bothCases(ranges) : ranges;
		if (!isNegated) return { kind: 'chars', ranges: all };
		const others = othersThan(isVague ? [...all, beyondAscii] : all);
		if (others.length === 0) throw this.#wrong('has a class without characters');
		return { kind: 'chars', ranges: others };
	}

	#classChar(char: string): number {
		if (char !== '\\') return char.codePointAt(0) ?? 0;
		const escaped = this.#next();
		return escaped === 'b' ? 8 : this.#code(escaped);
	}

	#peek(): string | undefined {
		return this.#chars[this.#at];
	}

	#next(): string {
		const char = this.#chars[this.#at++];
		if (char === undefined) throw this.#wrong('ends too early');
		return char;
	}

	#take(char: string): boolean {
		if (this.#peek() !== char) return false;
		this.#at++;
		return true;
	}

	#wrong(what: string): AppError {
		return new AppError('invalid_request', `The regular expression in '${this.#param}' ${what}.`, {
			param: this.#param,
		});
	}

	#unsupported(what: string): AppError {
		return new AppError(
			'unsupported_parameter',
			`The regular expression in '${this.#param}' has ${what}, which cannot be enforced here. Write it without.`,
			{ param: this.#param },
		);
	}
}

/** The letters of ASCII in both cases. */
function bothCases(ranges: readonly CharRange[]): CharRange[] {
	const out = [...ranges];
	for (const [first, last] of ranges)
		for (const [from, to, shift] of [
			[0x41, 0x5a, 32],
			[0x61, 0x7a, -32],
		] as const) {
			const low = Math.max(first, from);
			const high = Math.min(last, to);
			if (low <= high) out.push([low + shift, high + shift]);
		}
	return out;
}
