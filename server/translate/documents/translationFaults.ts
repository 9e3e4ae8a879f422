/** What a project's check finds in a translated message file, with its place. */

import { lineNumbers } from '../whiteSpace.ts';
import { alignedLists } from './alignedLists.ts';
import { icuArguments, parseIcu } from './icu.ts';
import { withoutQuotations } from './messageApostrophes.ts';
import type { MessageFormat } from './messageChanges.ts';
import { type MessageState, messageStates } from './messageStates.ts';
import { missingMessages } from './missingMessages.ts';
import { isIcuBranching, placeholders, sameConversions } from './placeholders.ts';
import { isCountPlaceholder } from './pluralKeys.ts';
import { type MadeMessage, pointerOf, staleMessages } from './translationRecord.ts';

export type TranslationFaultKind = 'missing' | 'stale' | 'placeholder';

export interface MessageFault {
	readonly kind: TranslationFaultKind;
	/** Keys of the message as a person writes them, `menu.open`. */
	readonly key: string;
	/** Source text. */
	readonly text: string;
	/** Part of a sentence: what is wrong beyond the kind. */
	readonly detail?: string;
	/** Which of the two files {@link line} is in. */
	readonly in: 'source' | 'target';
	/** From 1. */
	readonly line: number;
}

/** A translated message file beside its source. */
export interface TranslatedMessages {
	readonly source: string;
	/** Empty when there is no file. */
	readonly target: string;
	readonly format: MessageFormat;
	/** BCP 47. */
	readonly to: string;
	/** What was recorded when it was translated. */
	readonly recorded?: ReadonlyMap<string, MadeMessage>;
}

/**
 * @throws AppError `invalid_request` when a file cannot be read.
 */
export function translationFaults(files: TranslatedMessages): MessageFault[] {
	const { source, format, to } = files;
	const lists = alignedLists(source, files.target, format, files.recorded);
	const { text: target, recorded } = lists;
	const states = messageStates(source, target, format, to);
	const byPath = new Map(states.map((state) => [pointerOf(state.path), state]));
	const sourceLine = lineNumbers(source);
	const lineOf = lineNumbers(files.target);
	const targetLine = (at: number) => lineOf(lists.placeOf(at));
	// What is empty has nothing to translate; of gettext, signs without words stand for themselves where they are empty.
	const isMissing = ({ text }: { text: string }) =>
		text.trim() !== '' && (format !== 'po' || /\p{L}/u.test(text));
	const faults: MessageFault[] = missingMessages(source, target, format, to)
		.filter(isMissing)
		.map(({ path, text }) => {
			// A file of Rails has its language as the first key.
			const state = byPath.get(pointerOf(path)) ?? byPath.get(pointerOf(path.slice(1)));
			// A form that is missing has a message around it.
			const place = state ?? byPath.get(pointerOf(path.slice(0, -1)));
			const line = sourceLine(place?.sourceAt ?? 0);
			return { kind: 'missing', key: keyOf(state?.path ?? path), text, in: 'source', line };
		});
	for (const { path, source: text, sourceAt, isUnpaired } of states)
		if (isUnpaired)
			faults.push({
				...{ kind: 'missing', key: keyOf(path), text, in: 'source' },
				line: sourceLine(sourceAt),
			});
	const isMoved = ({ path }: MessageState) => lists.moved.has(pointerOf(path));
	const stale = [...staleMessages(states, recorded), ...states.filter(isMoved)];
	for (const { path, source: text, targetAt = 0 } of stale)
		faults.push({
			kind: 'stale',
			key: keyOf(path),
			text,
			in: 'target',
			line: targetLine(targetAt),
		});
	for (const state of states) {
		const detail = placeholderFault(state);
		if (detail === undefined) continue;
		const { path, source: text, targetAt = 0 } = state;
		const line = targetLine(targetAt);
		faults.push({ kind: 'placeholder', key: keyOf(path), text, detail, in: 'target', line });
	}
	return faults;
}

const keyOf = (path: readonly string[]): string => path.join('.').replaceAll('\u0004', ' ');

/** How faults of placeholders are said: parts of sentences, in which `{0}` stands for the placeholders. */
export interface FaultWords {
	readonly lost: string;
	readonly added: string;
	readonly conversions: string;
	readonly noIcu: string;
}

const englishFaults: FaultWords = {
	lost: '{0} is missing',
	added: '{0} is not in the source',
	conversions: 'its conversions have another order or number',
	noIcu: 'it is no ICU message any more',
};

/**
 * What a program could not do with a translation; `undefined` when nothing is broken.
 * @param words English when left out
 */
export function placeholderFault(
	state: Pick<MessageState, 'source' | 'target' | 'isPlural' | 'isPrintf' | 'reader' | 'forms'>,
	words = englishFaults,
): string | undefined {
	const { source, target, isPlural, isPrintf, reader, forms } = state;
	if (target === undefined) return undefined;
	if (forms)
		for (const form of forms) {
			const fault = placeholderFault({ ...form, isPlural: true }, words);
			if (fault !== undefined) return fault;
		}
	if (forms) return undefined;
	if (isIcuBranching(source)) return icuFault(source, target, words);
	const from = placeholders(source);
	const read = (text: string) => placeholders(reader ? withoutQuotations(text, reader) : text);
	// A source that quotes its own placeholders has other readers.
	const into = read(source).length === from.length ? read(target) : placeholders(target);
	const isNeeded = (found: string) => !isPlural || !isCount(found);
	const lost = without(from, into).filter(isNeeded);
	const added = without(into, from).filter(isNeeded);
	const parts = [
		...(lost.length > 0 ? [about(words.lost, lost)] : []),
		...(added.length > 0 ? [about(words.added, added)] : []),
	];
	if (parts.length > 0) return parts.join(', ');
	if (isPrintf && !isPlural && !sameConversions(source, target)) return words.conversions;
	return undefined;
}

const isCount = (placeholder: string): boolean =>
	isCountPlaceholder(placeholder) || /^%(?:\d+\$)?(?:l|ll)?[diu]$/.test(placeholder);

/** A part of a sentence about placeholders. */
const about = (words: string, found: readonly string[]): string =>
	words.replace('{0}', () => [...new Set(found)].slice(0, 5).join(' '));

/** Entries of a list that another has not, counted. */
function without(these: readonly string[], those: readonly string[]): string[] {
	const left = new Map<string, number>();
	for (const one of those) left.set(one, (left.get(one) ?? 0) + 1);
	return these.filter((one) => {
		const count = left.get(one) ?? 0;
		left.set(one, count - 1);
		return count <= 0;
	});
}

function icuFault(source: string, target: string, words: FaultWords): string | undefined {
	const from = parseIcu(source);
	if (from === undefined) return undefined;
	const into = parseIcu(target);
	if (into === undefined) return words.noIcu;
	const [wanted, found] = [icuArguments(from), icuArguments(into)];
	const lost = [...wanted].filter((name) => !found.has(name));
	const added = [...found].filter((name) => !wanted.has(name));
	if (lost.length > 0) return about(words.lost, lost);
	return added.length > 0 ? about(words.added, added) : undefined;
}
