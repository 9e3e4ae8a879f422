/** Addresses in a text: of the web, of mail, of files with a scheme. */

/** Every repetition is bounded: hostile text must cost linear time. */
export const webAddresses: readonly RegExp[] = [
	/(?<![A-Za-z])(?:https?|ftp|file|mailto|ssh|git|data|vscode):(?:\/\/)?[^\s<>"'`()[\]{}]{0,2000}[^\s<>"'`()[\]{}.,;:!?]/,
	/(?<!\w)www\.[\w-]{1,63}\.[^\s<>"'`()[\]{}]{0,2000}[^\s<>"'`()[\]{}.,;:!?]/,
];

/** A host with a path or a query, without a scheme. */
const bareAddress =
	/(?<![\w.@-])[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?::\d{1,5})?[/?][^\s<>"'`()[\]{}]{0,2000}[^\s<>"'`()[\]{}.,;:!?]/;

const mailAddress = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/;

const scanner = new RegExp(
	[...webAddresses, bareAddress, mailAddress].map(({ source }) => `(?:${source})`).join('|'),
	'gu',
);

/** Where addresses stand in a text, in order. */
export function addressSpans(text: string): [start: number, end: number][] {
	if (!/[@/?]|www\.|:/.test(text)) return [];
	return [...text.matchAll(scanner)].map(({ index, 0: found }) => [index, index + found.length]);
}
