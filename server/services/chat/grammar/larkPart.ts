/**
 * Reads a Lark grammar as a context-free grammar: rules, terminals, strings, regular expressions, ranges,
 * repetition, `%ignore` and imports of the common terminals. What else Lark knows is refused by name.
 */

import { AppError } from '../../../protocol/index.ts';
import { anyCaseOf, endlessRules, type GrammarPart } from './ebnf.ts';
import { regexPart } from './regexPart.ts';

/** Terminals of lark's `common` module. */
const common: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		DIGIT: '[0-9]',
		HEXDIGIT: '[a-fA-F0-9]',
		INT: '[0-9]+',
		SIGNED_INT: '[+-]?[0-9]+',
		DECIMAL: '[0-9]+\\.[0-9]*|\\.[0-9]+',
		FLOAT: '[0-9]+[eE][+-]?[0-9]+|([0-9]+\\.[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?',
		SIGNED_FLOAT: '[+-]?([0-9]+[eE][+-]?[0-9]+|([0-9]+\\.[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?)',
		NUMBER: '[0-9]+([eE][+-]?[0-9]+)?|([0-9]+\\.[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?',
		SIGNED_NUMBER: '[+-]?([0-9]+([eE][+-]?[0-9]+)?|([0-9]+\\.[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?)',
		ESCAPED_STRING: '"([^"\\\\\\n]|\\\\[^\\n])*"',
		LCASE_LETTER: '[a-z]',
		UCASE_LETTER: '[A-Z]',
		LETTER: '[A-Za-z]',
		WORD: '[A-Za-z]+',
		CNAME: '[A-Za-z_][A-Za-z0-9_]*',
		WS_INLINE: '[ \\t]+',
		WS: '[ \\t\\f\\r\\n]+',
		CR: '\\r',
		LF: '\\n',
		NEWLINE: '(\\r?\\n)+',
	}),
);

const token =
	/\s*(?:(\/\/[^\n]*)|(%[a-z]+)|([!?]?[a-zA-Z_][a-zA-Z0-9_]*)|("(?:\\.|[^"\\\n])*"i?)|(\/(?!\/)(?:\\.|[^/\\\n])+\/[a-z]*)|(\.\.|->|[:|()[\]?*+~.,{}]|\d+))/y;

const maxDepth = 100;
const maxTokens = 50_000;

interface Token {
	readonly kind: 'directive' | 'name' | 'string' | 'regex' | 'mark';
	readonly text: string;
	/** The token begins a line. */
	readonly isFirst: boolean;
}

/** The rules of a grammar by their names in EBNF; the first one is where a text begins. */
export function larkRules(source: string, param: string): ReadonlyMap<string, GrammarPart> {
	return new LarkReader(source, param).read();
}

class LarkReader {
	readonly #param: string;
	readonly #tokens: readonly Token[];
	readonly #rules = new Map<string, GrammarPart>();
	readonly #used = new Set<string>();
	readonly #ignored: GrammarPart[] = [];
	#at = 0;
	#depth = 0;

	constructor(source: string, param: string) {
		this.#param = param;
		this.#tokens = this.#split(source);
	}

	read(): ReadonlyMap<string, GrammarPart> {
		while (this.#at < this.#tokens.length) this.#statement();
		if (!this.#rules.has('r_start')) throw this.#wrong("has no rule 'start'");
		for (const name of this.#used)
			if (!this.#rules.has(name))
				throw this.#wrong(`uses '${name.slice(2)}', which it does not define`);
		for (const name of endlessRules(this.#rules))
			throw this.#wrong(`has a rule '${name.slice(2)}' that contains itself and never ends`);
		const between: GrammarPart = { kind: 'rule', name: 'between' };
		this.#rules.set('between', {
			kind: 'repeat',
			part: { kind: 'choice', parts: this.#ignored },
			min: 0,
			max: undefined,
		});
		if (this.#ignored.length === 0) this.#rules.set('between', { kind: 'text', text: '' });
		const begin: GrammarPart = {
			kind: 'sequence',
			parts: [between, { kind: 'rule', name: 'r_start' }],
		};
		return new Map([['begin', begin], ...this.#rules]);
	}

	#split(source: string): Token[] {
		const tokens: Token[] = [];
		token.lastIndex = 0;
		let end = 0;
		while (source.slice(end).trim() !== '') {
			const found = token.exec(source);
			if (found === null)
				throw this.#wrong(
					`cannot be read at ${JSON.stringify(source.slice(end).trim().slice(0, 30))}`,
				);
			const [whole, comment, directive, name, string, regex, mark] = found;
			const lead = /^\s*/.exec(whole)?.[0] ?? '';
			const isFirst = end === 0 || lead.includes('\n') || tokens.length === 0;
			end = token.lastIndex;
			if (comment !== undefined) continue;
			const text = directive ?? name ?? string ?? regex ?? mark ?? '';
			const kind =
				directive !== undefined
					? 'directive'
					: name !== undefined
						? 'name'
						: string !== undefined
							? 'string'
							: regex !== undefined
								? 'regex'
								: 'mark';
			tokens.push({ kind, text, isFirst });
			if (tokens.length > maxTokens) throw this.#wrong(`has more than ${maxTokens} parts`);
		}
		return tokens;
	}

	#statement(): void {
		const { kind, text } = this.#next();
		if (kind === 'directive') {
			this.#directive(text);
			return;
		}
		if (kind !== 'name') throw this.#wrong(`has '${text}' where a rule or a terminal should begin`);
		const name = text.replace(/^[!?]+/, '');
		if (this.#peek()?.text === '{') throw this.#unsupported(`a template (${name}{…})`);
		if (this.#take('.')) this.#next();
		if (!this.#take(':')) throw this.#wrong(`has no ':' after '${name}'`);
		const own = ruleName(name);
		if (this.#rules.has(own)) throw this.#wrong(`defines '${name}' twice`);
		this.#rules.set(own, this.#choice(isTerminal(name)));
	}

	#directive(text: string): void {
		if (text === '%ignore') {
			this.#ignored.push(this.#choice(true));
			return;
		}
		if (text !== '%import') throw this.#unsupported(text);
		const from = this.#next().text;
		if (from !== 'common') throw this.#unsupported(`an import from '${from}'`);
		const isOne = this.#take('.');
		if (!isOne && this.#take('(')) {
			do this.#import(this.#next().text);
			while (this.#take(','));
			if (!this.#take(')')) throw this.#wrong("has a '(' that is not closed");
			return;
		}
		const name = this.#next().text;
		this.#import(name, this.#take('->') ? this.#next().text : name);
	}

	#import(name: string, alias = name): void {
		const expression = common.get(name);
		if (expression === undefined) throw this.#unsupported(`an import of 'common.${name}'`);
		this.#rules.set(ruleName(alias), regexPart(expression, this.#param));
	}

	/** Ends where the next statement begins. */
	#choice(inTerminal: boolean): GrammarPart {
		if (++this.#depth > maxDepth) throw this.#wrong(`is more than ${maxDepth} levels deep`);
		const parts = [this.#sequence(inTerminal)];
		while (this.#take('|')) parts.push(this.#sequence(inTerminal));
		this.#depth--;
		return { kind: 'choice', parts };
	}

	#sequence(inTerminal: boolean): GrammarPart {
		const parts: GrammarPart[] = [];
		for (;;) {
			const next = this.#peek();
			if (next === undefined || /^[|)\]]$/.test(next.text) || this.#beginsStatement(next)) break;
			if (this.#take('->')) {
				this.#next();
				break;
			}
			parts.push(this.#repeated(this.#atom(inTerminal)));
		}
		return { kind: 'sequence', parts };
	}

	#beginsStatement({ kind, isFirst }: Token): boolean {
		if (kind === 'directive') return true;
		if (kind !== 'name' || !isFirst) return false;
		const after = this.#tokens[this.#at + 1]?.text;
		return (
			after === ':' || after === '{' || (after === '.' && this.#tokens[this.#at + 3]?.text === ':')
		);
	}

	#repeated(part: GrammarPart): GrammarPart {
		if (this.#take('?')) return { kind: 'repeat', part, min: 0, max: 1 };
		if (this.#take('*')) return { kind: 'repeat', part, min: 0, max: undefined };
		if (this.#take('+')) return { kind: 'repeat', part, min: 1, max: undefined };
		if (!this.#take('~')) return part;
		const min = this.#count();
		const max = this.#take('..') ? this.#count() : min;
		if (max < min) throw this.#wrong(`repeats ${min} to ${max} times`);
		return { kind: 'repeat', part, min, max };
	}

	#count(): number {
		const { text } = this.#next();
		const count = Number(text);
		if (!/^\d+$/.test(text) || count > 10_000) throw this.#wrong(`repeats '${text}' times`);
		return count;
	}

	#atom(inTerminal: boolean): GrammarPart {
		const { kind, text } = this.#next();
		switch (kind) {
			case 'name': {
				const name = ruleName(text);
				this.#used.add(name);
				const part: GrammarPart = { kind: 'rule', name };
				return isTerminal(text) && !inTerminal ? this.#before(part) : part;
			}
			case 'string': {
				const part = this.#string(text);
				return inTerminal ? part : this.#before(part);
			}
			case 'regex': {
				const end = text.lastIndexOf('/');
				const flags = text.slice(end + 1);
				if (/[^is]/.test(flags))
					throw this.#unsupported(`a regular expression with flags '${flags}'`);
				const part = regexPart(text.slice(1, end).replaceAll('\\/', '/'), this.#param, {
					ignoreCase: flags.includes('i'),
					dotAll: flags.includes('s'),
				});
				return inTerminal ? part : this.#before(part);
			}
			case 'mark': {
				if (text !== '(' && text !== '[') break;
				const part = this.#choice(inTerminal);
				if (!this.#take(text === '(' ? ')' : ']'))
					throw this.#wrong(`has a '${text}' that is not closed`);
				return text === '(' ? part : { kind: 'repeat', part, min: 0, max: 1 };
			}
		}
		throw this.#wrong(`has '${text}' where a part of a rule should be`);
	}

	/** What is ignored may stand after each terminal. */
	#before(part: GrammarPart): GrammarPart {
		return { kind: 'sequence', parts: [part, { kind: 'rule', name: 'between' }] };
	}

	#string(text: string): GrammarPart {
		const first = this.#textOf(text);
		if (this.#take('..')) {
			const last = this.#textOf(this.#next().text);
			const [from, to] = [first.codePointAt(0), last.codePointAt(0)];
			const isRange = [...first].length === 1 && [...last].length === 1;
			if (!isRange || from === undefined || to === undefined || to < from)
				throw this.#wrong(`has a range from '${first}' to '${last}'`);
			return { kind: 'chars', ranges: [[from, to]] };
		}
		return text.endsWith('i') ? anyCaseOf(first) : { kind: 'text', text: first };
	}

	#textOf(written: string): string {
		const inner = /^"(.*)"i?$/s.exec(written)?.[1];
		if (inner === undefined) throw this.#wrong(`has '${written}' where a string should be`);
		try {
			const escaped = inner
				.replace(/\\(x[0-9a-fA-F]{2})/g, (_, code: string) => `\\u00${code.slice(1)}`)
				.replace(/\\([^"\\/bfnrtu])/g, '$1');
			return JSON.parse(`"${escaped.replaceAll('\t', '\\t')}"`) as string;
		} catch {
			throw this.#wrong(`has a string with an escape that is not known: ${written.slice(0, 40)}`);
		}
	}

	#peek(): Token | undefined {
		return this.#tokens[this.#at];
	}

	#next(): Token {
		const found = this.#tokens[this.#at++];
		if (found === undefined) throw this.#wrong('ends too early');
		return found;
	}

	#take(text: string): boolean {
		const next = this.#peek();
		if (next === undefined || next.text !== text) return false;
		this.#at++;
		return true;
	}

	#wrong(what: string): AppError {
		return new AppError('invalid_request', `The grammar in '${this.#param}' ${what}.`, {
			param: this.#param,
		});
	}

	#unsupported(what: string): AppError {
		return new AppError(
			'unsupported_parameter',
			`The grammar in '${this.#param}' has ${what}, which cannot be enforced here. Write it without.`,
			{ param: this.#param },
		);
	}
}

const isTerminal = (name: string): boolean => /^_?[A-Z]/.test(name);
const ruleName = (name: string): string => `${isTerminal(name) ? 't' : 'r'}_${name}`;
