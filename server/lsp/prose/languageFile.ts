/** Comment markers of a language configuration file, as editors' extensions bring them. */

import { readFile } from 'node:fs/promises';
import { parse } from 'jsonc-parser';
import { isRecord } from '../../protocol/errorBody.ts';
import type { Markers } from './commentMarkers.ts';

/** Reads `comments` of a `language-configuration.json`; `undefined` when it has none. */
export async function readMarkers(path: string): Promise<Markers | undefined> {
	const text = await readFile(path, 'utf8').catch(() => '');
	const root: unknown = parse(text);
	const comments = isRecord(root) && isRecord(root['comments']) ? root['comments'] : {};
	const { lineComment, blockComment } = comments;
	// Newer files say `{comment, noIndent}`.
	const line = isRecord(lineComment) ? lineComment['comment'] : lineComment;
	const [open, close] = Array.isArray(blockComment) ? (blockComment as unknown[]) : [];
	const use: Markers = {
		line: typeof line === 'string' && line !== '' ? [line] : [],
		blocks: typeof open === 'string' && typeof close === 'string' ? [[open, close]] : [],
		quotes: [],
	};
	return use.line.length + use.blocks.length > 0 ? use : undefined;
}
