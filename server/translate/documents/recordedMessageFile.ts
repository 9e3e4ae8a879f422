/** A translated message file with what was recorded of it: how far it is, what it lacks, and texts put into it. */

import { defined } from '../../protocol/defined.ts';
import type {
	MessageProgress,
	MessageRow,
	SetMessagesResult,
} from '../../protocol/editingMessages.ts';
import { type AlignedLists, alignedLists } from './alignedLists.ts';
import type { TextTranslator } from './documentLanguage.ts';
import { emptyMessages } from './emptyMessages.ts';
import type { MessageFormat } from './messageChanges.ts';
import { type MessageState, messageStates } from './messageStates.ts';
import { type MissingResult, messageProgress, translateMissing } from './missingMessages.ts';
import { keyOfPath, setMessages } from './setMessages.ts';
import { type FaultWords, placeholderFault } from './translationFaults.ts';
import {
	type MadeMessage,
	parseRecord,
	pointerOf,
	recordedMessages,
	recordText,
	staleMessages,
} from './translationRecord.ts';

export interface RecordedMessageFile {
	/** The source. */
	readonly text: string;
	readonly target: string;
	readonly format: MessageFormat;
	/** BCP 47 */
	readonly to: string;
	/** Text of a record of translations, and path of the translated file in it. */
	readonly recorded?: { readonly text: string; readonly path: string };
}

type Recorded = ReadonlyMap<string, MadeMessage>;

const recordOf = ({ recorded }: RecordedMessageFile): Recorded | undefined =>
	recorded && parseRecord(recorded.text).messages.get(recorded.path);

/** @param withMessages whether each message is wanted as well */
export function progressIn(
	file: RecordedMessageFile,
	withMessages: boolean,
	words?: FaultWords,
): MessageProgress {
	const { text, target, format, to } = file;
	const known = recordOf(file);
	const counted = messageProgress(text, target, format, to, known);
	if (!withMessages) return counted;
	const lists = alignedLists(text, target, format, known);
	const states = messageStates(text, lists.text, format, to);
	const stale = new Set(replaceable(states, lists.recorded));
	const there = new Map(
		(lists.moved.size === 0 ? [] : messageStates(text, target, format, to)).map((state) => [
			pointerOf(state.path),
			state.target,
		]),
	);
	const messages = states.map((state): MessageRow => {
		const { path, source, sourceAt, targetAt } = state;
		const pointer = pointerOf(path);
		// What stands in the place of another text is none of its own.
		const isMoved = lists.moved.has(pointer);
		const shown = isMoved ? there.get(pointer) : state.target;
		return {
			...{ key: keyOfPath(path), source, sourceAt },
			...defined({
				target: shown,
				targetAt: targetAt === undefined ? undefined : lists.placeOf(targetAt),
				fault: placeholderFault(state, words),
			}),
			...(isMoved || stale.has(state) ? { isStale: true } : {}),
		};
	});
	return { ...counted, messages };
}

/** Translates what is missing, and what has changed in the source as if it were. */
export async function fillMissing(
	file: RecordedMessageFile,
	translator: TextTranslator,
	languages: Parameters<typeof translateMissing>[4],
): Promise<MissingResult> {
	const { text, target, format, to, recorded } = file;
	const known = recordOf(file);
	const made = (lists: AlignedLists): Promise<MissingResult> => {
		const states = messageStates(text, lists.text, format, to);
		const opened = emptyMessages(lists.text, replaceable(states, lists.recorded));
		return translateMissing(text, known ? opened : target, format, translator, languages);
	};
	let lists = alignedLists(text, target, format, known);
	let result = await made(lists);
	const open = openLists(lists, messageStates(text, result.text, format, to));
	if (open.size > 0) {
		lists = alignedLists(text, target, format, known, open);
		const { refused, left } = result;
		result = { ...(await made(lists)), refused, left };
	}
	return { ...result, ...defined({ recorded: recorded && withLists(recorded, lists) }) };
}

/** Puts texts in by their keys, into lists only where all their texts are there then. */
export function setIn(
	file: RecordedMessageFile,
	set: readonly { readonly key: string; readonly text: string }[],
	words?: FaultWords,
): SetMessagesResult {
	const { text: source, target, format, to, recorded } = file;
	const known = recordOf(file);
	const texts = new Map(set.map(({ key, text }) => [key, text]));
	const isNamed = (list: string) => set.some(({ key }) => key.startsWith(`${list}.`));
	const { keys } = alignedLists(source, target, format, known);
	const others = new Set([...keys].filter((list) => !isNamed(list)));
	let lists = alignedLists(source, target, format, known, others);
	let made = setMessages(source, lists.text, format, to, texts);
	const open = openLists(lists, messageStates(source, made.text, format, to));
	if (open.size > 0) {
		lists = alignedLists(source, target, format, known, new Set([...others, ...open]));
		made = setMessages(source, lists.text, format, to, texts);
	}
	const states = messageStates(source, made.text, format, to);
	const faults = states.flatMap((state) => {
		const key = keyOfPath(state.path);
		const fault = texts.has(key) ? placeholderFault(state, words) : undefined;
		return fault === undefined ? [] : [{ key, fault }];
	});
	const before = messageStates(source, lists.text, format, to);
	const same = replaceable(before, lists.recorded).filter(
		(state) => texts.get(keyOfPath(state.path)) === state.target,
	);
	// What stays as it is counts for the changed source, and the texts of lists for the places they have now.
	const renewed = [
		...same,
		...states.filter(({ path }) => lists.keys.has(path[0] ?? '') && texts.has(keyOfPath(path))),
	];
	return {
		...{ ...made, faults },
		...defined({ recorded: recorded && withLists(recorded, lists, renewed) }),
	};
}

/** Lists in the order of their source that would have an empty text. */
const openLists = ({ keys }: AlignedLists, states: readonly MessageState[]): ReadonlySet<string> =>
	new Set(
		states.flatMap(({ path: [key = ''], target }) =>
			target === undefined && keys.has(key) ? [key] : [],
		),
	);

/** The record with what messages are made from now; `undefined` when it need not change. */
function withLists(
	{ text, path }: NonNullable<RecordedMessageFile['recorded']>,
	{ keys, recorded }: AlignedLists,
	renewed: readonly MessageState[] = [],
): string | undefined {
	if (!recorded || (keys.size === 0 && renewed.length === 0)) return undefined;
	const record = parseRecord(text);
	const now = new Map(recorded);
	for (const [pointer, made] of recordedMessages(renewed, undefined, 'all')) now.set(pointer, made);
	record.messages.set(path, now);
	return recordText(record);
}

/** Messages whose source has changed, and whose translation another can stand for. */
const replaceable = (
	states: readonly MessageState[],
	known: Recorded | undefined,
): MessageState[] => staleMessages(states, known).filter(({ value }) => value !== undefined);
