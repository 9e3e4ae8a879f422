/** Usage as people ask for it: between two days, added up or row by row. */

import { AppError } from '../../protocol/index.ts';
import type { UsageBook } from './usageBook.ts';
import { groupUsage, type UsageGroup, type UsageRow } from './usageRows.ts';

export interface UsageQuery {
	/** `2026-01-31`, Greenwich; default: all there is. */
	readonly from?: string;
	readonly to?: string;
	/** `row`: nothing is added up. */
	readonly by: UsageGroup | 'row';
}

/** A day as people write it. @throws AppError `invalid_request` */
export function readDay(text: string | undefined, param: string): string | undefined {
	if (text === undefined || text === '') return undefined;
	const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
	if (Number.isFinite(time) && new Date(time).toISOString().startsWith(text)) return text;
	throw new AppError('invalid_request', `'${param}' is a day such as 2026-01-31.`, { param });
}

export async function usageBetween(
	book: Pick<UsageBook, 'rows'>,
	{ from = '0000-01-01', to = '9999-12-31', by }: UsageQuery,
): Promise<{
	readonly from: string;
	readonly to: string;
	readonly rows: (Partial<UsageRow> & ReturnType<typeof groupUsage>[number])[] | UsageRow[];
}> {
	if (from > to) throw new AppError('invalid_request', "'from' is after 'to'.", { param: 'from' });
	const rows = await book.rows(from, to);
	return { from, to, rows: by === 'row' ? rows : groupUsage(rows, by) };
}
