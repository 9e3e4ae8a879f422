/** What people have used: one row for a day, a person, a model and a kind of work. */

import type { KeyScope } from '../../protocol/limitTypes.ts';

/** What a row says whose it is. */
export interface UsageKey {
	/** Of Greenwich: `2026-01-31`. */
	readonly day: string;
	/** `local`, `key:ID`, `person:ID` of a sign-in layer, `directory:…`. */
	readonly person: string;
	readonly model: string;
	readonly kind: KeyScope;
}

export const usageFields = [
	'requests',
	'promptTokens',
	'cachedTokens',
	'completionTokens',
	'seconds',
	'characters',
] as const;
export type UsageField = (typeof usageFields)[number];
export type UsageCounts = Readonly<Record<UsageField, number>>;
export interface UsageRow extends UsageKey, UsageCounts {}

export const noUsage: UsageCounts = {
	...{ requests: 0, promptTokens: 0, cachedTokens: 0 },
	...{ completionTokens: 0, seconds: 0, characters: 0 },
};

/** What rows can be added up by. */
export const usageGroups = ['person', 'model', 'kind', 'day'] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** Where usage is kept. Every method may reject with `store_unavailable`. */
export interface UsageStore {
	/** @param id the same for the same rows, when they are given again after a call that failed */
	add(rows: readonly UsageRow[], id: string): Promise<void>;
	/** Rows of days from `from` to `to`, both included. */
	rows(from: string, to: string): Promise<UsageRow[]>;
	/** Forgets a person up to a day. Resolves to the number of rows. */
	delete(person: string, to: string): Promise<number>;
	/** Forgets everything of before a day. */
	prune(before: string): Promise<void>;
	close(): Promise<void>;
}

/** After all days, as texts are ordered. */
export const lastDay = '9999';

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The text that tells rows apart. */
export const rowKey = ({ day, person, model, kind }: UsageKey): string =>
	JSON.stringify([day, person, model, kind]);

export function addCounts(left: UsageCounts, right: UsageCounts): UsageCounts {
	const sums = usageFields.map((field) => [field, left[field] + right[field]]);
	return Object.fromEntries(sums) as unknown as UsageCounts;
}

/** Rows added up by one column, largest first; days in their order. */
export function groupUsage(
	rows: readonly UsageRow[],
	by: UsageGroup,
): (UsageCounts & { readonly name: string })[] {
	const groups = new Map<string, UsageCounts>();
	for (const row of rows) groups.set(row[by], addCounts(groups.get(row[by]) ?? noUsage, row));
	const all = [...groups].map(([name, counts]) => ({ name, ...counts }));
	const weight = (counts: UsageCounts) =>
		counts.promptTokens + counts.completionTokens + counts.characters + counts.seconds;
	return all.sort((left, right) =>
		by === 'day'
			? left.name.localeCompare(right.name)
			: weight(right) - weight(left) || left.name.localeCompare(right.name),
	);
}

/** Rows as a table for spreadsheets; what a stranger has written begins no formula there. */
export function usageCsv(rows: readonly object[]): string {
	const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const lines = rows.map((row) => {
		const values = new Map<string, unknown>(Object.entries(row));
		return columns.map((column) => csvField(values.get(column) ?? '')).join(',');
	});
	return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

function csvField(value: unknown): string {
	const text = typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : String(value);
	const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
