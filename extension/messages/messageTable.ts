/** One message in all languages, as a hover shows it. */

import type { MessageRow } from '../../server/protocol/index.ts';

/** A language of a family of message files. */
export interface MessageColumn {
	/** BCP 47 code. */
	readonly to: string;
	readonly uri: string;
	/** Text of the file that the offsets of its rows are of. */
	readonly text: string;
	/** By key. */
	readonly rows: ReadonlyMap<string, MessageRow>;
}

export interface MessageTable {
	readonly source: { readonly language: string; readonly uri: string; readonly text: string };
	readonly columns: readonly MessageColumn[];
}

/** Longest text of a message that is shown. */
const maxLength = 300;

/** The message with a key in the source; `undefined` when there is none. */
export function messageOf(table: MessageTable, key: string): MessageRow | undefined {
	return table.columns[0]?.rows.get(key);
}

/** Line of an offset, from 0. */
function lineOf(text: string, offset: number): number {
	let line = 0;
	for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
	return line;
}

/** The key of the message that begins in a line of a message file. */
export function keyAtLine(table: MessageTable, uri: string, line: number): string | undefined {
	const own = table.columns.find((column) => column.uri === uri);
	const isSource = table.source.uri === uri;
	if (!own && !isSource) return undefined;
	for (const row of (own ?? table.columns[0])?.rows.values() ?? []) {
		const at = own ? row.targetAt : row.sourceAt;
		if (at !== undefined && lineOf(own?.text ?? table.source.text, at) === line) return row.key;
	}
	return undefined;
}

/** Markdown: a row for each language with a link to its place. Messages are text, whatever is in them. */
export function messageMarkdown(table: MessageTable, key: string, missing: string): string {
	const own = messageOf(table, key);
	if (!own) return '';
	const { source } = table;
	const rows = [
		rowOf(source.language, `${source.uri}#L${lineOf(source.text, own.sourceAt) + 1}`, own.source),
		...table.columns.map(({ to, uri, text, rows: messages }) => {
			const row = messages.get(key);
			if (row?.target === undefined) return rowOf(to, uri, undefined, missing);
			const place = row.targetAt === undefined ? '' : `#L${lineOf(text, row.targetAt) + 1}`;
			return rowOf(to, uri + place, row.target);
		}),
	];
	return `**${plain(key)}**\n\n| | |\n|---|---|\n${rows.join('\n')}`;
}

/** Whether a language lacks the message. */
export const isMissing = ({ columns }: MessageTable, key: string): boolean =>
	columns.some(({ rows }) => rows.get(key)?.target === undefined);

function rowOf(language: string, address: string, text: string | undefined, missing = ''): string {
	const shown = text === undefined ? `*${missing}*` : plain(text);
	return `| [${plain(language)}](${address.replace(/[()|\s]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}) | ${shown} |`;
}

/** Text without a meaning in Markdown. */
function plain(text: string): string {
	const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
	return short
		.replace(/[\\`*_{}[\]()#+\-.!|~&<>:@]/g, (character) => `&#${character.charCodeAt(0)};`)
		.replace(/\r?\n/g, ' ⏎ ');
}
