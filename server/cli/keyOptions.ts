/** Options of the command line about keys and limits, read and shown. */

import {
	type KeyScope,
	keyScopes,
	limitFields,
	limitList,
	limitText,
	maxLimit,
	type UsageLimits,
} from '../protocol/limitTypes.ts';
import type { ParsedArgs } from './args.ts';
import { UsageError } from './command.ts';

/** `tokensPerMinute` → `tokens-per-minute`. */
const optionOf = (field: string): string =>
	field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** One option for each limit. */
export const limitOptions = Object.fromEntries(
	limitFields.map(({ field }) => [optionOf(field), { type: 'string' as const }]),
);

/** The limits that options set. */
export function readLimits(options: ParsedArgs): UsageLimits {
	const found = limitFields.map(
		({ field }) => [field, options.integer(optionOf(field), 1, maxLimit)] as const,
	);
	return Object.fromEntries(found.filter(([, size]) => size !== undefined));
}

/** UsageLimits in one option: `tokens-per-day=100000,seconds-per-day=3600`. */
export function parseLimits(name: string, text: string): UsageLimits {
	const fields = new Map(limitFields.map(({ field }) => [optionOf(field), field]));
	const pairs = text.split(',').map((pair) => {
		const [option = '', size = '', more] = pair.trim().split('=');
		const field = fields.get(option);
		const value = Number(size);
		if (field === undefined || more !== undefined || !/^\d+$/.test(size) || value < 1)
			throw new UsageError(
				`${name} takes ${[...fields.keys()].join(', ')}, each with =NUMBER and a comma between; not '${pair}'.`,
			);
		return [field, value] as const;
	});
	return Object.fromEntries(pairs);
}

/** `--for chat,speech`. */
export function readScopes(text: string | undefined): KeyScope[] {
	const words = (text ?? 'translate').split(',').map((word) => word.trim());
	if (words.includes('all')) return [...keyScopes];
	return [...new Set(words)].map((word) => {
		const scope = keyScopes.find((known) => known === word);
		if (scope === undefined)
			throw new UsageError(`--for takes ${keyScopes.join(', ')} or all, not '${word}'.`);
		return scope;
	});
}

/** `--expires 2027-01-31`, or in so many days: `90d`. */
export function readExpiry(text: string | undefined, nowMs: number): number | undefined {
	if (text === undefined) return undefined;
	const days = /^(\d{1,5})d$/.exec(text)?.[1];
	const time =
		days !== undefined
			? nowMs + Number(days) * 86_400_000
			: /^\d{4}-\d\d-\d\d/.test(text)
				? Date.parse(text)
				: Number.NaN;
	if (!Number.isFinite(time) || time <= nowMs)
		throw new UsageError(
			`--expires takes a day to come (2027-01-31) or days (90d), not '${text}'.`,
		);
	return time;
}

export const limitsText = (limits: UsageLimits): string =>
	limitList(limits).map(limitText).join(', ') || 'no limit';
