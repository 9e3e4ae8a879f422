/**
 * What was translated from what, so that a changed source is noticed: the file `.nearglot/translations.json` of a
 * project. It holds hashes only, one line for each translated file or message, in order, so that two branches that
 * changed different messages merge. Paths are relative to the project's folder, with `/`.
 */

import { createHash } from 'node:crypto';
import { defined } from '../../protocol/defined.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import { AppError } from '../../protocol/errors.ts';
import type { MessageState } from './messageStates.ts';

/** Path of the file in a project's folder. */
export const recordPath = '.nearglot/translations.json';

/** A translated file that was made as a whole. */
export interface MadeFile {
	/** Path of its source. */
	readonly source: string;
	readonly to: string;
	/** Hash of the source it was made from. */
	readonly from: string;
	/** Hash of what was written. */
	readonly made: string;
	/** How many of its texts stayed as they were, as their translations were refused; absent where none did. */
	readonly refused?: number;
	/** How many more stayed, as they were doubtful or said the same; absent where doubtful ones were asked for. */
	readonly left?: number;
	/** Links may lead to its headings by the names of the source still, as may its own to those of others. */
	readonly unlinked?: true;
	/** Its links may lead to what was translated without it since; what leads to itself is noted already. */
	readonly leadsToNew?: true;
	/** Of its links into other files, which ones of the source they are; absent where their names and their order say that. */
	readonly links?: readonly number[];
}

/** Of a message: hash of the source text, and of its translation at that time. */
export interface MadeMessage {
	readonly from: string;
	readonly made: string;
}

export interface TranslationRecord {
	/** By the path of the translated file. */
	readonly files: Map<string, MadeFile>;
	/** By the path of the translated file, then by the message's keys as a JSON pointer. */
	readonly messages: Map<string, Map<string, MadeMessage>>;
}

export const emptyRecord = (): TranslationRecord => ({ files: new Map(), messages: new Map() });

/** Sixteen hexadecimal digits of SHA-256; ten for messages, of which there are many. */
export const hashOf = (content: string | Uint8Array, digits = 16): string =>
	createHash('sha256').update(content).digest('hex').slice(0, digits);

/** {@link hashOf} of a text whatever its line ends: git on Windows gives files others than the people on Linux have. */
export function textHash(content: string | Uint8Array, digits?: number): string {
	if (typeof content === 'string') return hashOf(content.replaceAll('\r\n', '\n'), digits);
	const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
	if (!text.includes('\r\n')) return hashOf(content, digits);
	return hashOf(Buffer.from(text.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'), digits);
}
/** Hash of a message's source or translation. */
export const messageHash = (text: string): string => textHash(text, 10);

/** A message's keys as one text (RFC 6901). */
export const pointerOf = (path: readonly string[]): string =>
	path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const version = 1;
const fileHash = /^[\da-f]{16}$/;
const messagePair = /^([\da-f]{10}) ([\da-f]{10})$/;

/** @throws AppError `invalid_request` for a file that is damaged, has marks of a merge in it or is of a later version */
export function parseRecord(text: string): TranslationRecord {
	const record = emptyRecord();
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (cause) {
		const how = /^(?:<{7}|>{7}|={7})/m.test(text) ? 'has conflicts of a merge in it' : 'is damaged';
		throw unusable(how, cause);
	}
	if (!isRecord(value)) throw unusable('is damaged');
	if (value['version'] !== version) throw unusable('is of another version of Nearglot');
	for (const [path, entry] of Object.entries(isRecord(value['files']) ? value['files'] : {})) {
		if (!isRecord(entry)) continue;
		const { source, to, from, made } = entry;
		const isText = (value: unknown): value is string => typeof value === 'string';
		if (!isText(source) || !isText(to) || !isText(from) || !isText(made)) continue;
		if (fileHash.test(from) && fileHash.test(made))
			record.files.set(path, { source, to, from, made, ...particulars(entry) });
	}
	for (const [path, entries] of Object.entries(
		isRecord(value['messages']) ? value['messages'] : {},
	)) {
		const own = new Map<string, MadeMessage>();
		for (const [key, pair] of Object.entries(isRecord(entries) ? entries : {})) {
			const [, from, made] = (typeof pair === 'string' && messagePair.exec(pair)) || [];
			if (from !== undefined && made !== undefined) own.set(key, { from, made });
		}
		record.messages.set(path, own);
	}
	return record;
}

/** What an entry need not have. */
function particulars(entry: object): Omit<MadeFile, 'source' | 'to' | 'from' | 'made'> {
	const { refused, left, unlinked, leadsToNew, links } = entry as Readonly<Record<string, unknown>>;
	const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);
	const count = (value: unknown) => (isNumber(value) && value > 0 ? value : undefined);
	return defined({
		refused: count(refused),
		left: count(left),
		unlinked: unlinked === true ? (true as const) : undefined,
		leadsToNew: leadsToNew === true ? (true as const) : undefined,
		links: Array.isArray(links) && links.every(isNumber) ? links : undefined,
	});
}

function unusable(how: string, cause?: unknown): AppError {
	return new AppError(
		'invalid_request',
		`${recordPath} ${how}. Mend it, or remove it: translations that are there then count as up to date.`,
		{ cause },
	);
}

export function recordText({ files, messages }: TranslationRecord): string {
	const sorted = <V>(map: ReadonlyMap<string, V>): [string, V][] =>
		[...map].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
	const block = (rows: readonly string[]): string =>
		rows.length === 0 ? '{}' : `{\n${rows.join(',\n')}\n\t}`;
	const fileRows = sorted(files).map(
		([path, { source, to, from, made, ...rest }]) =>
			`\t\t${JSON.stringify(path)}: ${JSON.stringify({ source, to, from, made, ...particulars(rest) })}`,
	);
	const messageRows = sorted(messages).map(([path, own]) => {
		const rows = sorted(own).map(
			([key, { from, made }]) => `\t\t\t${JSON.stringify(key)}: "${from} ${made}"`,
		);
		const inner = rows.length === 0 ? '{}' : `{\n${rows.join(',\n')}\n\t\t}`;
		return `\t\t${JSON.stringify(path)}: ${inner}`;
	});
	return `{\n\t"version": ${version},\n\t"files": ${block(fileRows)},\n\t"messages": ${block(messageRows)}\n}\n`;
}

/**
 * Messages whose source has changed since they were translated, and whose translation has not. One that
 * somebody has changed meanwhile counts as seen to; one that is not recorded as up to date.
 */
export function staleMessages(
	states: readonly MessageState[],
	recorded: ReadonlyMap<string, MadeMessage> | undefined,
): MessageState[] {
	return states.filter(({ path, source, target, isOutdated, former, forms }) => {
		if (target === undefined) return false;
		if (isOutdated) return true;
		const known = recorded?.get(pointerOf(path));
		if (known === undefined || known.from === messageHash(source)) return false;
		// Earlier versions recorded the first of several texts.
		const isKnown = former !== undefined && (forms !== undefined || former.target !== target);
		if (isKnown && known.made === messageHash(former.target))
			return known.from !== messageHash(former.source);
		return known.made === messageHash(target);
	});
}

/**
 * The record of a translated file as it is now. Stale messages keep what was recorded.
 *
 * @param renewed Paths, as JSON, of messages that are up to date all the same; `all` for every one
 */
export function recordedMessages(
	states: readonly MessageState[],
	before: ReadonlyMap<string, MadeMessage> | undefined,
	renewed: ReadonlySet<string> | 'all',
): Map<string, MadeMessage> {
	const stale = new Set(renewed === 'all' ? [] : staleMessages(states, before));
	const made = new Map<string, MadeMessage>();
	for (const state of states) {
		const { path, source, target } = state;
		const key = pointerOf(path);
		if (state.isUnpaired)
			for (const [pointer, known] of before ?? [])
				if (pointer.startsWith(`${key}/`)) made.set(pointer, known);
		if (target === undefined) continue;
		const isKept = stale.has(state) && renewed !== 'all' && !renewed.has(JSON.stringify(path));
		const known = isKept ? before?.get(key) : undefined;
		made.set(key, known ?? { from: messageHash(source), made: messageHash(target) });
	}
	return made;
}
