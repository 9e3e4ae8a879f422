/** Translates the Oniguruma patterns of tokenizer files into JavaScript regular expressions with equal matches. */

import { AppError } from '../../protocol/index.ts';

const shorthand: Readonly<Record<string, string>> = {
	s: '\\p{White_Space}',
	S: '\\P{White_Space}',
	d: '\\p{Nd}',
	D: '\\P{Nd}',
	w: '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}',
	h: '0-9a-fA-F',
};

const posix: ReadonlyMap<string, string> = new Map(
	Object.entries({
		alpha: '\\p{Alphabetic}',
		digit: '\\p{Nd}',
		alnum: '\\p{Alphabetic}\\p{Nd}',
		space: '\\p{White_Space}',
		upper: '\\p{Uppercase}',
		lower: '\\p{Lowercase}',
		punct: '\\p{P}\\p{S}',
		cntrl: '\\p{Cc}',
		word: '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}',
	}),
);

/** Compiles a pattern with the flags `gu`. @throws AppError `unsupported_model` for a pattern that cannot be translated */
export function compilePattern(source: string): RegExp {
	try {
		return new RegExp(new Translator(source).translate(), 'gu');
	} catch (error) {
		throw new AppError(
			'unsupported_model',
			`The tokenizer uses the pattern ${source}, which cannot be read here.`,
			{ cause: error },
		);
	}
}

/** A pattern that matches exactly this text. */
export function literalPattern(text: string): RegExp {
	return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'gu');
}

class Translator {
	readonly #source: string;
	#at = 0;
	#out: string[] = [];
	#atomics = 0;

	constructor(source: string) {
		this.#source = source;
	}

	translate(): string {
		this.#alternatives(false);
		if (this.#at < this.#source.length) throw new Error(`unexpected ) at ${this.#at}`);
		return this.#out.join('');
	}

	#alternatives(ignoreCase: boolean): void {
		let ignoring = ignoreCase;
		while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
			const flag = /^\(\?(i|-i)\)/.exec(this.#source.slice(this.#at, this.#at + 5));
			if (flag !== null) {
				ignoring = flag[1] === 'i';
				this.#at += flag[0].length;
				continue;
			}
			this.#item(ignoring);
		}
	}

	#item(ignoreCase: boolean): void {
		const begin = this.#out.length;
		const char = this.#source[this.#at] as string;
		if (char === '|' || char === '^' || char === '$') {
			this.#out.push(char);
			this.#at++;
			return;
		}
		if (char === '(') this.#group(ignoreCase);
		else if (char === '[') this.#out.push(this.#charClass(ignoreCase));
		else if (char === '\\') this.#out.push(this.#escape(false));
		else {
			const whole = String.fromCodePoint(this.#source.codePointAt(this.#at) as number);
			this.#at += whole.length;
			this.#out.push(whole === '.' ? '[^\\n]' : literal(whole, ignoreCase));
		}
		this.#quantifier(begin);
	}

	#quantifier(begin: number): void {
		const found = /^(?:[?*+]|\{\d*(?:,\d*)?\})/.exec(this.#source.slice(this.#at, this.#at + 16));
		if (found === null) return;
		this.#at += found[0].length;
		const after = this.#source[this.#at];
		const atom = this.#out.splice(begin).join('');
		const quantified = atom + found[0].replace('{,', '{0,');
		if (after === '?') {
			this.#at++;
			this.#out.push(`${quantified}?`);
		} else if (after === '+' && found[0].startsWith('{')) {
			// After a counted repetition the plus repeats once more; it makes nothing possessive.
			this.#at++;
			this.#out.push(`(?:${quantified})+`);
		} else if (after === '+') {
			// A possessive quantifier is an atomic group: a look-ahead is never entered again.
			this.#at++;
			const name = `atomic${this.#atomics++}`;
			this.#out.push(`(?:(?=(?<${name}>${quantified}))\\k<${name}>)`);
		} else this.#out.push(quantified);
	}

	#group(ignoreCase: boolean): void {
		const rest = this.#source.slice(this.#at);
		const opening = /^\((?:\?(?:<?[=!]|:|>|i:|-i:|<\w+>))?/.exec(rest)?.[0] as string;
		if (rest.startsWith('(?') && opening === '(') throw new Error(`unknown group at ${this.#at}`);
		this.#at += opening.length;
		const begin = this.#out.length;
		const ignoring = opening === '(?i:' ? true : opening === '(?-i:' ? false : ignoreCase;
		this.#alternatives(ignoring);
		if (this.#source[this.#at] !== ')') throw new Error('a group is not closed');
		this.#at++;
		const body = this.#out.splice(begin).join('');
		if (opening === '(?>') {
			const name = `atomic${this.#atomics++}`;
			this.#out.push(`(?:(?=(?<${name}>${body}))\\k<${name}>)`);
		} else {
			const isLook = /^\(\?<?[=!]$/.test(opening);
			this.#out.push(`${isLook ? opening : '(?:'}${body})`);
		}
	}

	#charClass(ignoreCase: boolean): string {
		const rest = this.#source.slice(this.#at);
		const named = /^\[\[:(\^?)(\w+):\]\]/.exec(rest);
		if (named !== null) {
			this.#at += named[0].length;
			return `[${named[1]}${posix.get(named[2] as string) ?? fail(named[0])}]`;
		}
		this.#at++;
		let out = '[';
		if (this.#source[this.#at] === '^') {
			out += '^';
			this.#at++;
		}
		let first = true;
		for (;;) {
			const char = this.#source[this.#at];
			if (char === undefined) throw new Error('a class is not closed');
			if (char === ']' && !first) break;
			first = false;
			out += this.#classItem(char, ignoreCase);
		}
		this.#at++;
		return `${out}]`;
	}

	#classItem(char: string, ignoreCase: boolean): string {
		const posixName = /^\[:(\w+):\]/.exec(this.#source.slice(this.#at, this.#at + 12));
		if (posixName !== null) {
			this.#at += posixName[0].length;
			return posix.get(posixName[1] as string) ?? fail(posixName[0]);
		}
		if (char === '\\') return this.#escape(true);
		if (char === '[' || this.#source.startsWith('&&', this.#at)) {
			throw new Error('classes inside classes');
		}
		const whole = String.fromCodePoint(this.#source.codePointAt(this.#at) as number);
		this.#at += whole.length;
		if (whole === '-' || whole === '^')
			return isRange(this.#source, this.#at) ? whole : `\\${whole}`;
		if (ignoreCase && /[a-zA-Z]/.test(whole) && this.#source[this.#at] !== '-') {
			return whole.toLowerCase() + whole.toUpperCase();
		}
		return /[\\\]]/.test(whole) ? `\\${whole}` : whole;
	}

	#escape(inClass: boolean): string {
		const char = this.#source[this.#at + 1];
		if (char === undefined) throw new Error('ends with a backslash');
		const property = /^\\[pP]\{(\^?)([^}]+)\}/.exec(this.#source.slice(this.#at, this.#at + 64));
		if (property !== null) {
			this.#at += property[0].length;
			const negated = (char === 'P') !== (property[1] === '^');
			return `\\${negated ? 'P' : 'p'}{${propertyName(property[2] as string)}}`;
		}
		const code = /^\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))/.exec(
			this.#source.slice(this.#at, this.#at + 12),
		);
		if (code !== null) {
			this.#at += code[0].length;
			return `\\u{${code[1] ?? code[2] ?? code[3]}}`;
		}
		this.#at += 2;
		const set = shorthand[char];
		if (set !== undefined) return inClass || /^\\[pP]\{\w+\}$/.test(set) ? set : `[${set}]`;
		if (char === 'W' || char === 'H') {
			if (inClass) throw new Error(`\\${char} inside a class`);
			return `[^${shorthand[char.toLowerCase()]}]`;
		}
		if (!inClass && char === 'A') return '(?<![\\s\\S])';
		if (!inClass && (char === 'z' || char === 'Z')) return '(?![\\s\\S])';
		if (/[tnrfv0]/.test(char)) return `\\${char}`;
		if (!inClass && (char === 'b' || char === 'B')) return `\\${char}`;
		if (/[a-zA-Z0-9]/.test(char)) throw new Error(`unknown escape \\${char}`);
		return inClass ? (/[\\\]^-]/.test(char) ? `\\${char}` : char) : literal(char, false);
	}
}

// `-` between two items of a class is a range; first or last it is itself.
function isRange(source: string, at: number): boolean {
	const before = source[at - 2];
	return source[at - 1] === '-' && before !== '[' && before !== '^' && source[at] !== ']';
}

function fail(what: string): never {
	throw new Error(`unknown ${what}`);
}

function propertyName(name: string): string {
	if (/^[A-Z][a-z]?$/.test(name)) return name;
	try {
		new RegExp(`\\p{${name}}`, 'u');
		return name;
	} catch {
		return `Script=${name}`;
	}
}

function literal(char: string, ignoreCase: boolean): string {
	if (ignoreCase && /[a-zA-Z]/.test(char)) {
		const lower = char.toLowerCase();
		// The characters that Unicode folds to ASCII letters.
		const folded = lower === 's' ? 'ſ' : lower === 'k' ? '\u212a' : '';
		return `[${lower}${char.toUpperCase()}${folded}]`;
	}
	return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}
