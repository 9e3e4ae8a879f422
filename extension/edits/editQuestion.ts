/** What a model is told that changes a part of a file. Knows no editor. */

import { type ChatMessage, fenceFor } from '../../server/protocol/index.ts';

/** A part of a file, and what is to become of it. */
export interface PartToChange {
	/** Path below the workspace's folder. */
	readonly path: string;
	/** Identifier of the language, as fences have it. */
	readonly language: string;
	readonly before: string;
	/** Empty: something new is to be written here. */
	readonly part: string;
	readonly after: string;
	readonly instruction: string;
}

/** Characters of a file around the part: what is near says most, and reading takes time. */
const reach = { before: 6000, after: 2000 };
/** Characters that one token of code stands for at least, about. */
const charactersPerToken = 3;
/** Share of a model's context that is for the surroundings; the rest is for the part, twice. */
const shareOfSurroundings = 0.3;

const rules =
	'You change one part of a file. You are shown what stands before it, the part, what stands after it, and what is ' +
	'wanted. Answer with the new text of the part alone, whole, with its indentation: no explanation, no fence, ' +
	'nothing of what stands before or after it.';

/** The messages for a model that reads `contextLength` tokens (`null`: not known). */
export function editQuestion(change: PartToChange, contextLength: number | null): ChatMessage[] {
	const { path, language, part, instruction } = change;
	const room = (contextLength ?? 8192) * charactersPerToken * shareOfSurroundings;
	const share = Math.min(1, room / (reach.before + reach.after));
	const before = lastLines(change.before, Math.floor(reach.before * share));
	const after = firstLines(change.after, Math.floor(reach.after * share));
	const fenced = (name: string, text: string) => {
		const fence = fenceFor(text);
		return `${name}:\n${fence}${language}\n${text}\n${fence}`;
	};
	const content = [
		`File: ${path}`,
		...(before.trim() === '' ? [] : [fenced('Before the part', before)]),
		...(after.trim() === '' ? [] : [fenced('After the part', after)]),
		part.trim() === '' ? 'The part is empty: write what is new here.' : fenced('The part', part),
		`Wanted: ${instruction}`,
	].join('\n\n');
	return [
		{ role: 'system', content: rules },
		{ role: 'user', content },
	];
}

/** Whole lines from the end of a text, `max` characters at most. */
function lastLines(text: string, max: number): string {
	const own = text.replace(/\n$/, '');
	return own.length <= max ? own : own.slice(own.length - max).replace(/^[^\n]*\n?/, '');
}

/** Whole lines from the beginning of a text, `max` characters at most. */
function firstLines(text: string, max: number): string {
	return text.length <= max
		? text.replace(/\n$/, '')
		: text.slice(0, max).replace(/\n?[^\n]*$/, '');
}
