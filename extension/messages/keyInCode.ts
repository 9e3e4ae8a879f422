/** Keys of messages as code writes them. */

/** A key and where it stands in its line, without quotes. */
export interface KeyInCode {
	readonly key: string;
	readonly start: number;
	readonly end: number;
	/** Whether it stands where only a key of a message can: in a call that looks one up. */
	readonly isCalled: boolean;
}

const strings = /(["'`])((?:(?!\1)[^\\])+)\1/g;
/** Android names what it generates. */
const resources = /\bR\.(?:string|plurals|array)\.(\w+)/g;
/** What stands before a key: calls of the usual libraries, their components and directives. */
const lookup =
	/(?:(?:^|[^\w$])(?:\$?t[ce]?|_|__|_t|i18n|translate|translation|gettext|getText|getString|getMessage|localize|tr|NSLocalizedString|formatMessage|defineMessages?|get)\s*\(\s*(?:\{\s*(?:id|key)\s*:\s*)?|\b(?:i18nKey|i18n-key|tKey|messageId|keypath|path|v-t|id)\s*=\s*\{?\s*["']?)$/;

/** The key at a column of a line, or what may be one. */
export function keyInCode(line: string, character: number): KeyInCode | undefined {
	return keysInCode(line).find(({ reach: [from, to] }) => character >= from && character <= to);
}

/** All keys of a line, and what may be some; within its reach a cursor is on one. */
export function keysInCode(
	line: string,
): (KeyInCode & { readonly reach: readonly [from: number, to: number] })[] {
	const quoted = [...line.matchAll(strings)].map((found) => {
		const start = found.index + 1;
		const [, , text = ''] = found;
		const end = start + text.length;
		// i18next puts the name of a file before it.
		const key = text.replace(/^[\w-]+:(?!\s)/, '');
		const isCalled = lookup.test(line.slice(0, start - 1));
		const reach = [start - 1, end + 1] as const;
		return { key, start: end - key.length, end, isCalled, reach };
	});
	const named = [...line.matchAll(resources)].map((found) => {
		const end = found.index + found[0].length;
		const key = found[1] ?? '';
		return {
			key,
			start: end - key.length,
			end,
			isCalled: true,
			reach: [found.index, end] as const,
		};
	});
	return [...quoted, ...named];
}
