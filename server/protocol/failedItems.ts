/** The first requests of a batch that failed, out of its file of errors. */

/** Requests that are shown; the file has all of them. */
const maxItems = 50;
/** Characters of the file that are read for them. */
const maxCharacters = 200_000;

export interface FailedItem {
	/** Of the file of requests, from 1. */
	readonly line: number;
	readonly customId: string;
	/** Of the error, where it has one as a text. */
	readonly code?: string;
	readonly message: string;
}

export interface FailedItems {
	readonly items: readonly FailedItem[];
	readonly hasMore: boolean;
}

/** @param answer content of the file, which is not read further than is needed */
export async function firstFailed(answer: Response): Promise<FailedItems> {
	const { rows, isAll } = await firstRows(answer);
	const items = rows.slice(0, maxItems).map((row): FailedItem => {
		const { line, custom_id: customId, response, error } = JSON.parse(row);
		const said = error ?? response?.body?.error ?? {};
		const message = typeof said.message === 'string' ? said.message : JSON.stringify(response);
		const code = typeof said.code === 'string' ? { code: said.code } : {};
		return { line, customId: customId ?? '', ...code, message };
	});
	return { items, hasMore: !isAll || rows.length > items.length };
}

async function firstRows({
	body,
}: Response): Promise<{ readonly rows: readonly string[]; readonly isAll: boolean }> {
	const reader = body?.getReader();
	const decoder = new TextDecoder();
	let found = '';
	let isAll = false;
	while (!isAll && found.length < maxCharacters) {
		const part = await reader?.read();
		isAll = part === undefined || part.done;
		found +=
			part?.value === undefined ? decoder.decode() : decoder.decode(part.value, { stream: true });
	}
	await reader?.cancel();
	const lines = found.split('\n');
	// The last one may be cut.
	const rows = (isAll ? lines : lines.slice(0, -1)).filter((row) => row !== '');
	return { rows, isAll };
}
