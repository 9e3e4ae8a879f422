/** Lists of the document interface: filtered, ordered, cut into pages, each with the address of the next. */

import { documentError } from './documentErrors.ts';
import { queryParam } from './translateInput.ts';

interface Listed {
	readonly id: string;
	readonly status: string;
	readonly createdDateTimeUtc: string;
}

const usualPage = 50;
const maxPage = 100;

/** @throws AppError for a parameter that is no number, time or order */
export function listedPage<T extends Listed>(
	all: readonly T[],
	query: URLSearchParams,
	url: URL,
): { readonly value: readonly T[]; readonly nextLink?: string } {
	const named = (name: string) => queryParam(query, name) ?? queryParam(query, `$${name}`);
	const number = (name: string): number | undefined => {
		const text = named(name);
		if (text === undefined || text === '') return undefined;
		if (/^\d{1,9}$/.test(text)) return Number(text);
		throw documentError('InvalidParameter', `${name} takes a number.`, name);
	};
	const list = (name: string): ReadonlySet<string> =>
		new Set(
			[...query]
				.filter(([key]) => key.toLowerCase() === name.toLowerCase())
				.flatMap(([, value]) => value.split(','))
				.map((part) => part.trim().toLowerCase())
				.filter((part) => part !== ''),
		);
	const time = (name: string): number | undefined => {
		const text = named(name);
		if (text === undefined || text === '') return undefined;
		const at = Date.parse(text);
		if (!Number.isNaN(at)) return at;
		throw documentError(
			'InvalidParameter',
			`${name} takes a time such as 2026-01-31T12:00:00Z.`,
			name,
		);
	};
	const [ids, statuses] = [list('ids'), list('statuses')];
	const [since, until] = [time('createdDateTimeUtcStart'), time('createdDateTimeUtcEnd')];
	const [order = ''] = list('orderby');
	const sorted = /^(?:createddatetimeutc(?: (asc|desc))?)?$/.exec(order);
	if (sorted === null)
		throw documentError(
			'InvalidParameter',
			'orderby takes createdDateTimeUtc asc or createdDateTimeUtc desc.',
			'orderby',
		);
	const found = all.filter(
		({ id, status, createdDateTimeUtc }) =>
			(ids.size === 0 || ids.has(id.toLowerCase())) &&
			(statuses.size === 0 || statuses.has(status.toLowerCase())) &&
			Date.parse(createdDateTimeUtc) >= (since ?? Number.NEGATIVE_INFINITY) &&
			Date.parse(createdDateTimeUtc) <= (until ?? Number.POSITIVE_INFINITY),
	);
	if (sorted[1] === 'asc') found.reverse();
	const skip = number('skip') ?? 0;
	const top = number('top') ?? Number.POSITIVE_INFINITY;
	const size = Math.min(maxPage, Math.max(1, number('maxpagesize') ?? usualPage), top);
	const value = found.slice(skip, skip + size);
	const isLast = skip + size >= found.length || size >= top;
	if (isLast) return { value };
	const next = new URL(url);
	for (const name of ['skip', '$skip', 'top', '$top']) next.searchParams.delete(name);
	next.searchParams.set('skip', String(skip + size));
	if (Number.isFinite(top)) next.searchParams.set('top', String(top - size));
	return { value, nextLink: next.href };
}
