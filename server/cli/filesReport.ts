/** What is said of the translation of many files. */

import type { Made } from './dueFile.ts';

/** What became of files; `incomplete` are those among the first two in which texts stayed as they were. */
export interface FilesResult {
	readonly translated: number;
	readonly current: number;
	readonly incomplete: number;
	readonly failed: number;
}

/** `2 of 4 translated, 1 up to date, 1 of these with texts that stayed as they were, 1 failed`. */
export function countsOfFiles(
	{ translated, current, incomplete, failed }: FilesResult,
	isStopped: boolean,
): string {
	const parts = [
		`${translated} of ${translated + current + failed} translated`,
		...(current > 0 && !isStopped ? [`${current} up to date`] : []),
		...(incomplete > 0 ? [`${incomplete} of these with texts that stayed as they were`] : []),
		...(failed > 0 ? [`${failed} failed`] : []),
	];
	return parts.join(', ');
}

/** Files that are named of those that fail alike. */
const maxNamed = 50;

export function printAlike(
	message: string,
	paths: readonly string[],
	print: (line: string) => void,
): void {
	print(`${paths.length} × ${message}`);
	const named = [...new Set(paths)].sort();
	for (const path of named.slice(0, maxNamed)) print(`  ${path}`);
	if (named.length > maxNamed) print(`  … and ${named.length - maxNamed} more`);
}

/** Why cells stay whose words would be other ones to formulas. */
export const leftAsCompared = 'left as it was: formulas, filters or tables compare with it';

/** How many texts are not translated, and one of them. */
export function leftLines({ refused, left, compared = [] }: Made): string[] {
	const lines: string[] = [];
	const add = (count: number, why: string, sample: string | undefined): void => {
		const shown = (sample ?? '').replace(/\s+/g, ' ').slice(0, 80);
		if (count > 0) lines.push(`  ${count} × ${why}: ${shown}`);
	};
	add(refused.length, 'not translated, placeholders would have been lost', refused[0]);
	add(left.length, 'left as it was', left[0]?.text);
	add(compared.length, leftAsCompared, compared.slice(0, 5).join(', '));
	return lines;
}
