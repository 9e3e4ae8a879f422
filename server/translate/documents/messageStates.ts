/** The messages of a source file with what a translated file makes of them, message by message. */

import { defined } from '../../protocol/defined.ts';
import { flatMessages, isFlat, isTranslatable } from './flatMessages.ts';
import type { MessageReader } from './messageApostrophes.ts';
import { isLanguageKey, type MessageFormat } from './messageChanges.ts';
import type { MessageLine } from './messageLines.ts';
import { jsonTree, type MessageTree, type TreeFormat, yamlTree } from './messageTree.ts';
import { isIcuBranching } from './placeholders.ts';
import { entriesFor, pluralKey, siblingsOf } from './pluralKeys.ts';
import { poEntries } from './poEntries.ts';

export interface MessageState {
	/** Keys from the root, or the one key of a flat format. */
	readonly path: readonly string[];
	readonly source: string;
	/** Offset in the source text. */
	readonly sourceAt: number;
	/** Absent where the translated file has nothing. */
	readonly target?: string;
	/** Offset in the target text. */
	readonly targetAt?: number;
	/** Range of the target's value, where another may stand. */
	readonly value?: { readonly start: number; readonly end: number; readonly empty: string };
	/** One form of several, which need not say the number. */
	readonly isPlural: boolean;
	/** What the file itself says of it: the source has changed since (gettext keeps the old one). */
	readonly isOutdated?: boolean;
	/** Its texts for translators, where these are several. */
	readonly parts?: readonly string[];
	/** The first of several texts on either side, by which earlier versions recorded a message. */
	readonly former?: { readonly source: string; readonly target: string };
	/** Plural forms of the translated file, each with the one of the source that it says. */
	readonly forms?: readonly { readonly source: string; readonly target: string }[];
	/** A list of which nobody can tell which of its texts are translations of which. */
	readonly isUnpaired?: boolean;
	/** The text is a printf format. */
	readonly isPrintf?: boolean;
	/** Who reads it, as far as the file says. */
	readonly reader?: MessageReader;
}

/**
 * Messages in the order of the source, with the plural forms of a language (BCP 47).
 *
 * @param isWhole whether those without words are among them, which may get some
 */
export function messageStates(
	sourceText: string,
	targetText: string,
	format: MessageFormat,
	to: string,
	isWhole = false,
): MessageState[] {
	if (format === 'po') return poStates(sourceText, targetText);
	if (isFlat(format)) {
		const { lines } = flatMessages[format];
		const there = new Map(lines(targetText).map((line) => [line.key, line]));
		return lines(sourceText).flatMap((line): MessageState[] => {
			const { key, text, start } = line;
			const own = there.get(key);
			if (!isWhole && !isTranslatable(line) && !(own && isTranslatable(own) && isWordless(text)))
				return [];
			if (line.isList) return listStates(line, own, isWhole);
			const state = {
				...{ path: [key], source: text, sourceAt: start, isPlural: false },
				...(format === 'properties' ? { reader: 'messageFormat' as const } : {}),
				...((line.parts?.length ?? 0) > 1 ? defined({ parts: line.parts }) : {}),
			};
			if (!own?.isFilled || !own.valueAt) return [state];
			const [from, end] = own.valueAt;
			const value = { start: from, end, empty: isTranslatable(line) ? '' : valueCode(line) };
			const made = { ...state, target: own.text, targetAt: own.start, value };
			return [{ ...made, ...defined({ forms: formsOf(line, own), former: formerOf(line, own) }) }];
		});
	}
	const tree = format === 'json' ? jsonTree : yamlTree;
	const states = treeStates(sourceText, targetText, tree, to);
	// Flutter prints apostrophes as they are.
	const isIcu = states.some(({ source }) => isIcuBranching(source)) && !arbHead.test(sourceText);
	return isIcu ? states.map((state) => ({ ...state, reader: 'icu' })) : states;
}

/** The value of a message as its file has it: of one that has lost its words, which stands in every language. */
const valueCode = ({
	code,
	start,
	valueAt,
	around,
}: Pick<MessageLine, 'code' | 'start' | 'valueAt' | 'around'>): string =>
	// An element in its short form has no value: the end of its tag stands in its place.
	valueAt === undefined || around ? '' : code.slice(valueAt[0] - start, valueAt[1] - start);

/** Whether a text has no words, rather than some that are to stay. */
const isWordless = (text: string): boolean => !/\p{L}{2}/u.test(text);

function formerOf(source: MessageLine, target: MessageLine): MessageState['former'] {
	if (![source, target].some(({ parts = [] }) => parts.length > 1)) return undefined;
	const first = ({ parts, text }: MessageLine) => parts?.[0] ?? text;
	return { source: first(source), target: first(target) };
}

function formsOf({ items }: MessageLine, own: MessageLine): MessageState['forms'] {
	if (!items || !own.items) return undefined;
	const last = items.find(({ key }) => key === 'other') ?? items.at(-1);
	const of = (category: string) => items.find(({ key }) => key === category) ?? last;
	return own.items.flatMap(({ key, text, isFilled }) => {
		const from = of(key);
		return from && isFilled ? [{ source: from.text, target: text }] : [];
	});
}

/** The texts of a list, each as a message of its own. */
function listStates(
	{ key, text, start, items = [] }: MessageLine,
	there: MessageLine | undefined,
	isWhole: boolean,
): MessageState[] {
	const own = there?.isFilled ? (there.items ?? []) : [];
	if (own.length > 0 && own.length !== items.length)
		return [{ path: [key], source: text, sourceAt: start, isPlural: false, isUnpaired: true }];
	return items.flatMap((item, at): MessageState[] => {
		const made = own[at];
		const hadWords = made !== undefined && made.parts.length > 0 && isWordless(item.text);
		if (!isWhole && !isTranslatable(item) && !hadWords) return [];
		const rest = { path: [key, item.key], source: item.text, sourceAt: item.start };
		const state = { ...rest, isPlural: false };
		if (!made?.isFilled) return [state];
		const empty = isTranslatable(item) ? '' : valueCode(item);
		const value = { start: made.valueAt[0], end: made.valueAt[1], empty };
		return [{ ...state, target: made.text, targetAt: made.start, value }];
	});
}

const arbHead = /"@@locale"|"@\w+"\s*:\s*\{/;

function poStates(sourceText: string, targetText: string): MessageState[] {
	const keyOf = ({ context, id }: ReturnType<typeof poEntries>[number]): string =>
		context ? `${context.text}\u0004${id.text}` : id.text;
	const there = new Map(poEntries(targetText).map((entry) => [keyOf(entry), entry]));
	return poEntries(sourceText)
		.filter(({ id, context }) => id.text !== '' || context)
		.flatMap((entry) => {
			const key = keyOf(entry);
			const own = there.get(key);
			const head = own ? targetText.slice(own.start, own.strings[0]?.start) : '';
			const rest = {
				sourceAt: entry.id.start,
				isPlural: entry.plural !== undefined,
				isPrintf: entry.flags?.includes('c-format') === true,
				// The former id stands in a remark when the message was matched with a changed one.
				isOutdated: own?.flags?.includes('fuzzy') === true && /^#\|/m.test(head),
			};
			const forms = own?.strings ?? [];
			if (!own || forms.length === 0) return [{ path: [key], source: entry.id.text, ...rest }];
			return forms.map((form) => ({
				path: forms.length === 1 ? [key] : [key, String(form.form)],
				source: form.form === 0 ? entry.id.text : (entry.plural?.text ?? entry.id.text),
				...rest,
				...(form.text === '' ? {} : { target: form.text }),
				targetAt: form.start,
			}));
		});
}

/** Paths of what both files take from elsewhere, which counts there alone. */
export function sharedPaths(sourceText: string, targetText: string, to: string): string[][] {
	const shared: string[][] = [];
	treeStates(sourceText, targetText, yamlTree, to, (path) => shared.push([...path]));
	return shared;
}

function treeStates(
	sourceText: string,
	targetText: string,
	format: TreeFormat,
	to: string,
	onShared: (path: readonly string[]) => void = () => {},
): MessageState[] {
	const states: MessageState[] = [];
	const visit = (
		source: MessageTree,
		target: MessageTree | undefined,
		path: readonly string[],
		at: number,
		isPlural: boolean,
	): void => {
		if (source.entries === undefined) {
			const text = wordsOf(source.value);
			if (text === undefined) return;
			const own = target === undefined ? undefined : wordsOf(target.value);
			const state = { path, source: text, sourceAt: at, isPlural };
			if (target === undefined || own === undefined || own === '') states.push(state);
			else {
				const { start, end } = target;
				// A list is missing where there is nothing; a text that is empty would stay.
				const empty = format.literal(Array.isArray(target.value) ? null : '');
				const value = { start, end, empty };
				const at = target.isShared ? {} : { value };
				states.push({ ...state, target: own, targetAt: start, ...at });
			}
			return;
		}
		const there = new Map(target?.entries?.map((entry) => [entry.key, entry.value]));
		const siblings = siblingsOf(source.entries.map(({ key }) => key));
		for (const { key, value, start } of entriesFor(source, to)) {
			// What begins so describes messages.
			if (key.startsWith('@')) continue;
			const own = there.get(key);
			// What both take from elsewhere is looked at there.
			if (value.isShared && own?.isShared) {
				onShared([...path, key]);
				continue;
			}
			const isForm = pluralKey(key, siblings) !== undefined;
			visit(value, own, [...path, key], start, isForm);
		}
	};
	const source = format.read(sourceText);
	const target = format.read(targetText);
	if (!source) return states;
	const [from, into] = [source.entries?.[0], target?.entries?.[0]];
	const isRooted = source.entries?.length === 1 && from?.value.entries && isLanguageKey(from.key);
	if (isRooted && from) {
		const own =
			target?.entries?.length === 1 && into && isLanguageKey(into.key) ? into.value : target;
		visit(from.value, own, [], from.start, false);
	} else visit(source, target, [], 0, false);
	return states;
}

/** The text of a value; of a list of texts, all of it. */
function wordsOf(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) return undefined;
	return value.length === 0 ? undefined : JSON.stringify(value);
}
