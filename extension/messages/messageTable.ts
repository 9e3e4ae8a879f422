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
/** The same in a line above code. */
const maxSummary = 32;

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

/** The keys of a source file with the lines (from 0) in which their messages begin. */
export function keysByLine({ columns, source }: MessageTable): { line: number; key: string }[] {
	let [line, next] = [0, source.text.indexOf('\n')];
	return [...(columns[0]?.rows.values() ?? [])]
		.sort((a, b) => a.sourceAt - b.sourceAt)
		.map(({ key, sourceAt }) => {
			for (; next >= 0 && next < sourceAt; next = source.text.indexOf('\n', next + 1)) line++;
			return { line, key };
		});
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

/**
 * Markdown: a row for each language with a link to its place. Messages are text, whatever is in them.
 *
 * @param missing what stands where a language lacks the message
 * @param edit Markdown that leads to the text of a language (BCP 47)
 */
export function messageMarkdown(
	table: MessageTable,
	key: string,
	missing: string,
	edit: (to: string) => string = () => '',
): string {
	const own = messageOf(table, key);
	if (!own) return '';
	const { source } = table;
	const rows = [
		rowOf(
			source.language,
			`${source.uri}#L${lineOf(source.text, own.sourceAt) + 1}`,
			plain(own.source),
		),
		...table.columns.map(({ to, uri, text, rows: messages }) => {
			const row = messages.get(key);
			if (row?.target === undefined) return rowOf(to, uri, `*${missing}*${edit(to)}`);
			const place = row.targetAt === undefined ? '' : `#L${lineOf(text, row.targetAt) + 1}`;
			return rowOf(to, uri + place, plain(row.target) + edit(to));
		}),
	];
	return `**${plain(key)}**\n\n| | |\n|---|---|\n${rows.join('\n')}`;
}

/** Languages that lack the message (BCP 47), in the order of their files. */
export const missingIn = ({ columns }: MessageTable, key: string): string[] =>
	columns.filter(({ rows }) => rows.get(key)?.target === undefined).map(({ to }) => to);

/** What all languages say, in one short line: `de Datei öffnen · fr –`. */
export function summaryOf(table: MessageTable, key: string): string {
	return table.columns
		.map(({ to, rows }) => `${to} ${shortened(rows.get(key)?.target ?? '–', maxSummary)}`)
		.join(' · ');
}

/** Whether a language lacks the message. */
export const isMissing = (table: MessageTable, key: string): boolean =>
	missingIn(table, key).length > 0;

function rowOf(language: string, address: string, markdown: string): string {
	const link = address.replace(/[()|\s]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
	return `| [${plain(language)}](${link}) | ${markdown} |`;
}

const shortened = (text: string, length: number): string =>
	text.length > length ? `${text.slice(0, length)}…` : text;

/** Text without a meaning in Markdown. */
function plain(text: string): string {
	return shortened(text, maxLength)
		.replace(/[\\`*_{}[\]()#+\-.!|~&<>:@]/g, (character) => `&#${character.charCodeAt(0)};`)
		.replace(/\r?\n/g, ' ⏎ ');
}
