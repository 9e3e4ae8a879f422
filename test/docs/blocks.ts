/** Fenced blocks of the documents: what each is, where it stands, and whether it can be run as it is. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Documents whose examples people follow; what changed is told in words of its time. */
export const documents = globSync(['README.md', 'docs/**/*.md'], {
	cwd: root,
	exclude: ['docs/reference/command-line.md'],
})
	.map((name) => name.replaceAll('\\', '/'))
	.sort();

export interface Block {
	readonly document: string;
	readonly line: number;
	readonly language: string;
	/** Words behind the language: `needs=network`, `fixture=auth.json`, `auth`. */
	readonly words: readonly string[];
	readonly text: string;
}

export const readDocument = (name: string): string => readFileSync(join(root, name), 'utf8');

/** What has to be there that a test does not have; undefined: the block is run. */
export const needs = ({ words }: Block): string | undefined =>
	words.find((word) => word.startsWith('needs='))?.slice(6);

/** The blocks of a document, without the indent of the list they stand in. */
export function blocksOf(document: string, text = readDocument(document)): Block[] {
	const found = text.matchAll(/^([ \t]*)```([^\n`]*)\n(.*?)^[ \t]*```[ \t]*$/gms);
	return [...found].map(({ index, 1: indent = '', 2: info = '', 3: body = '' }) => {
		const [language = '', ...words] = info.trim().split(/\s+/);
		const line = text.slice(0, index).split('\n').length;
		const own = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
		return { document, line, language, words, text: own };
	});
}
