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

/** Parses arguments; unknown or incomplete options are wrong use. */
export function readArgs(args: readonly string[], options: ParseArgsOptionsConfig): ParsedArgs {
	let values: Record<string, unknown>;
	let positionals: string[];
	try {
		const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
		values = parsed.values;
		positionals = parsed.positionals;
	} catch (error) {
		const sentence = (error instanceof Error ? error.message : String(error)).split(
			'. To specify',
		)[0];
		throw new UsageError(sentence);
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
