/** Where a mention begins in what is written. */

/** What is being typed before the cursor: `/` only at the beginning, `@` and `#` after a space. */
export function mentionAt(
	text: string,
	cursor: number,
): { readonly query: string; readonly start: number } | undefined {
	const before = text.slice(0, cursor);
	const query = /^\/[\w.-]*$/.exec(before)?.[0] ?? /(?:^|\s)([@#][\w./:-]*)$/.exec(before)?.[1];
	return query === undefined ? undefined : { query, start: cursor - query.length };
}
