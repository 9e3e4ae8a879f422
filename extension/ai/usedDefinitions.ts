/**
 * What the names before the cursor stand for, where that is in other files: a model that completes a call knows its
 * parameters then. The editor's own providers say it, within a time. Knows no editor.
 */

/** Names that are looked up at most, the nearest first. */
const maxNames = 6;
/** Lines before the cursor whose names are looked up. */
const lookedUpLines = 12;
/** Lines of a definition, and characters of all of them together. */
const [maxLines, maxCharacters] = [10, 900];

/** A name in a text. */
export interface UsedName {
	readonly name: string;
	/** Where it stands last before the cursor. */
	readonly offset: number;
}

/** A definition, as the editor knows it. */
export interface Definition {
	/** Path as it is shown to the model. */
	readonly path: string;
	/** From the line it begins with. */
	readonly text: string;
}

/** Names that are called, constructed or used as types before an offset, the nearest first. */
export function usedNames(text: string, offset: number): UsedName[] {
	let start = offset;
	for (let line = 0; line < lookedUpLines && start > 0; line++)
		start = text.lastIndexOf('\n', start - 1);
	const from = Math.max(0, start);
	const found = new Map<string, number>();
	const names = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
	for (const { 0: name, index } of text.slice(from, offset).matchAll(names)) {
		const end = from + index + name.length;
		const isCalled = text[end] === '(' || text[end] === '<' || text[end] === '.';
		if (name.length < 3 || keywords.has(name) || !(isCalled || /^\p{Lu}/u.test(name))) continue;
		found.delete(name);
		found.set(name, from + index);
	}
	return [...found]
		.map(([name, at]) => ({ name, offset: at }))
		.reverse()
		.slice(0, maxNames);
}

/** What is followed by a bracket and is no name. */
const keywords: ReadonlySet<string> = new Set([
	...['for', 'while', 'switch', 'catch', 'return', 'typeof', 'await', 'function', 'constructor'],
	...['elif', 'assert', 'print', 'lambda', 'super', 'this', 'self', 'None', 'True', 'False'],
]);

export interface LookUpDeps {
	/** Definition of the name at an offset, in another file; `undefined` when nobody knows one. */
	readonly find: (offset: number) => Promise<Definition | undefined>;
	/** Resolves when no more time is to be spent. */
	readonly late: Promise<unknown>;
}

/** Those definitions that are known in time, in the order of the names; each once. */
export async function definitionsOf(
	names: readonly UsedName[],
	{ find, late }: LookUpDeps,
): Promise<Definition[]> {
	const found = new Map<number, Definition>();
	const all = names.map(async ({ offset }, index) => {
		const definition = await find(offset).catch(() => undefined);
		if (definition) found.set(index, definition);
	});
	await Promise.race([Promise.all(all), late]);
	const ordered = [...found].sort(([one], [other]) => one - other);
	const seen = new Set<string>();
	return ordered.flatMap(([, definition]) => {
		const key = `${definition.path}\n${definition.text}`;
		if (seen.has(key)) return [];
		seen.add(key);
		return [definition];
	});
}

/** Definitions as comments, for a model to read before the code; the nearest name's comes last. */
export function definitionPieces(definitions: readonly Definition[], marker: string): string {
	const chosen: string[] = [];
	let room = maxCharacters;
	for (const { path, text } of definitions) {
		const lines = [`From ${path}:`, ...firstLines(text)];
		const piece = `${lines.map((line) => `${marker} ${line}`.trimEnd()).join('\n')}\n`;
		if (piece.length > room) continue;
		room -= piece.length;
		chosen.unshift(piece);
	}
	return chosen.join('');
}

/** The head of a definition: up to an empty line, or as many as are read. */
function firstLines(text: string): string[] {
	const lines = text.split(/\r?\n/).slice(0, maxLines);
	const end = lines.findIndex((line) => line.trim() === '');
	return end <= 0 ? lines : lines.slice(0, end);
}
