/** Options of the command line: parsed by node:util, with our words when they are wrong. */

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.ts';

export interface ParsedArgs {
	readonly positionals: readonly string[];
	has(name: string): boolean;
	text(name: string): string | undefined;
	/** All values of a repeatable option. */
	texts(name: string): readonly string[];
	/** A number in a range; wrong use otherwise. */
	number(name: string, min: number, max: number): number | undefined;
	integer(name: string, min: number, max: number): number | undefined;
}

/** The number that a text is in digits, else NaN: Number() would take 0x50, 1e3 and nothing at all, which nobody means. */
export const decimal = (text: string): number =>
	/^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;

const isNegative = (text: string | undefined): text is string =>
	text !== undefined && /^-[.\d]/.test(text);

/** Joins a negative number to its option: a word that begins with a dash is no value of its own. */
function withNegatives(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
	const joined: string[] = [];
	const end = args.includes('--') ? args.indexOf('--') : args.length;
	for (let at = 0; at < args.length; at++) {
		const [word = '', next] = args.slice(at, at + 2);
		const name = word.slice(2);
		const takesValue =
			at + 1 < end &&
			word.startsWith('--') &&
			Object.hasOwn(options, name) &&
			options[name]?.type === 'string';
		if (takesValue && isNegative(next)) {
			joined.push(`${word}=${next}`);
			at++;
		} else joined.push(word);
	}
	return joined;
}

/** What was wrong, in one sentence. */
function parseProblem(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	const option = message.includes('argument is ambiguous')
		? /^Option '(--[\w-]+)/.exec(message)?.[1]
		: undefined;
	if (option !== undefined)
		return `${option} takes a value; one that begins with a dash is written behind an equals sign: ${option}=-…`;
	return message.split('. To specify')[0] ?? message;
}

/** Parses arguments; unknown or incomplete options are wrong use. */
export function readArgs(args: readonly string[], options: ParseArgsOptionsConfig): ParsedArgs {
	let values: Record<string, unknown>;
	let positionals: string[];
	try {
		const parsed = parseArgs({
			...{ args: withNegatives(args, options), options },
			...{ allowPositionals: true, strict: true },
		});
		values = parsed.values;
		positionals = parsed.positionals;
	} catch (error) {
		throw new UsageError(parseProblem(error));
	}
	const number = (name: string, min: number, max: number) => {
		const text = values[name];
		if (typeof text !== 'string') return undefined;
		const value = decimal(text);
		if (!(value >= min && value <= max))
			throw new UsageError(`--${name} takes a number from ${min} to ${max}, not '${text}'.`);
		return value;
	};
	return {
		positionals,
		has: (name) => values[name] === true,
		text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
		texts: (name) => (Array.isArray(values[name]) ? values[name].map(String) : []),
		number,
		integer: (name, min, max) => {
			const value = number(name, min, max);
			if (value !== undefined && !Number.isInteger(value))
				throw new UsageError(`--${name} takes a whole number, not '${value}'.`);
			return value;
		},
	};
}
