/**
 * Comments and strings by TextMate grammars, which an editor hands over for the languages it has.
 * Works in slices, line by line, and remembers where each line begins.
 */

import { readFile } from 'node:fs/promises';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import oniguruma from 'vscode-oniguruma';
import textmate, {
	type IGrammar,
	type IToken,
	type Registry,
	type StateStack,
} from 'vscode-textmate';
import type { GrammarFile } from '../../protocol/index.ts';
import type { Prose } from './prose.ts';
import type { Slices } from './slices.ts';
import { wasmFile } from './syntaxTree.ts';

/** Longest line in characters that is looked at; longer ones are data. */
const longestLine = 5000;
/** Milliseconds for one line. */
const lineMs = 200;
/** Lines read before a place that is far from all that is known; editors guess there, too. */
const runUp = 500;
const farAway = 5000;

interface Span extends Prose {
	/** Goes on in the next line, such as a block comment. */
	readonly open: boolean;
	/** Begins at the first column as a continuation of the line before. */
	readonly continues: boolean;
}

/** What is known of a document's lines. */
interface Known {
	lines: readonly string[];
	/** State at the end of line n. */
	readonly states: StateStack[];
	/** Offsets are from the start of the line. */
	readonly spans: Span[][];
}

/** Grammars of an editor. One per language server. */
export class TextmateGrammars {
	#files: readonly GrammarFile[] = [];
	#registry: Registry | undefined;
	readonly #known = new Map<string, Known>();
	/** Grammars of which a line was read a second time. */
	readonly #begun = new WeakSet<IGrammar>();
	readonly #busy = new Map<string, Promise<unknown>>();

	/** Replaces what the editor has. */
	set files(files: readonly GrammarFile[]) {
		this.#files = files;
		this.#registry = undefined;
		this.#known.clear();
	}

	/** Whether a grammar is known for a language. */
	has(languageId: string): boolean {
		return this.#files.some((file) => file.languageId === languageId);
	}

	forget(uri: string): void {
		this.#known.delete(uri);
	}

	/**
	 * Comments and strings of some lines. Lines before them are read when that was not done before.
	 *
	 * @returns `undefined` when the grammar cannot be read.
	 */
	async prose(
		document: TextDocument,
		firstLine: number,
		lastLine: number,
		slices: Slices,
	): Promise<Prose[] | undefined> {
		const grammar = await this.#grammar(document.languageId);
		if (!grammar) return undefined;
		const before = this.#busy.get(document.uri);
		const work = (async () => {
			await before?.catch(() => undefined);
			return this.#read(grammar, document, firstLine, lastLine, slices);
		})();
		this.#busy.set(document.uri, work);
		try {
			return await work;
		} finally {
			if (this.#busy.get(document.uri) === work) this.#busy.delete(document.uri);
		}
	}

	async #read(
		grammar: IGrammar,
		document: TextDocument,
		firstLine: number,
		lastLine: number,
		slices: Slices,
	): Promise<Prose[]> {
		const lines = document.getText().split(/\r\n|\n|\r/);
		const known = this.#upToDate(document.uri, lines);
		const isFar = firstLine - known.states.length > farAway;
		const target = isFar ? { lines, states: [], spans: [] } : known;
		const offset = isFar ? firstLine - runUp : 0;
		const last = Math.min(lastLine, lines.length - 1) - offset;
		while (target.states.length <= last) {
			const at = target.states.length;
			const line = lines[at + offset] ?? '';
			const state = target.states[at - 1] ?? textmate.INITIAL;
			let made = line.length > longestLine ? undefined : grammar.tokenizeLine(line, state, lineMs);
			if (made?.stoppedEarly && !this.#begun.has(grammar)) {
				// The first lines pay for the patterns they are the first to need, on a busy machine too much.
				this.#begun.add(grammar);
				made = grammar.tokenizeLine(line, state, lineMs);
			}
			target.states.push(made?.ruleStack ?? state);
			target.spans.push(made ? spansOf(line, made.tokens) : []);
			if (slices.isOver) await slices.pause();
		}
		const starts = lineStarts(document, firstLine, last + offset);
		// A block that began above is read from its first line on.
		let from = firstLine - offset;
		while (from > 0 && target.spans[from]?.[0]?.continues && target.spans[from - 1]?.at(-1)?.open)
			from--;
		return joinedLines(target.spans, from, last, (line) =>
			line + offset >= firstLine
				? (starts[line + offset - firstLine] ?? 0)
				: document.offsetAt({ line: line + offset, character: 0 }),
		);
	}

	#upToDate(uri: string, lines: readonly string[]): Known {
		const known = this.#known.get(uri) ?? { lines, states: [], spans: [] };
		this.#known.set(uri, known);
		let same = 0;
		while (same < known.states.length && lines[same] === known.lines[same]) same++;
		known.states.length = same;
		known.spans.length = same;
		known.lines = lines;
		return known;
	}

	async #grammar(languageId: string): Promise<IGrammar | undefined> {
		const file = this.#files.find((candidate) => candidate.languageId === languageId);
		if (!file) return undefined;
		this.#registry ??= this.#makeRegistry();
		try {
			return (await this.#registry.loadGrammar(file.scopeName)) ?? undefined;
		} catch {
			// A grammar this engine cannot read leaves its language to the markers.
			return undefined;
		}
	}

	#makeRegistry(): Registry {
		const files = this.#files;
		return new textmate.Registry({
			onigLib: engine(),
			loadGrammar: async (scopeName) => {
				const file = files.find((candidate) => candidate.scopeName === scopeName);
				if (!file) return null;
				const text = await readFile(file.path, 'utf8').catch(() => undefined);
				return text === undefined ? null : textmate.parseRawGrammar(text, file.path);
			},
			getInjections: (scopeName) =>
				files.filter(({ injectTo }) => injectTo?.includes(scopeName)).map((file) => file.scopeName),
		});
	}
}

let loading: Promise<void> | undefined;

async function engine() {
	loading ??= readFile(wasmFile('onig.wasm', 'vscode-oniguruma/release')).then((wasm) =>
		oniguruma.loadWASM(
			wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer,
		),
	);
	await loading;
	return {
		createOnigScanner: (sources: string[]) => oniguruma.createOnigScanner(sources),
		createOnigString: (text: string) => oniguruma.createOnigString(text),
	};
}

/** Strings that programs read: keys of data, attributes of tags. */
const notProse = /^(?:support\.type\.property-name|entity\.name\.tag|meta\.attribute|meta\.tag)\b/;

function kindOf(scopes: readonly string[]): Prose['kind'] | undefined {
	for (const scope of scopes) {
		if (/^string\.(?:quoted\.)?docstring/.test(scope)) return 'docstring';
		if (/^comment(?:\.|$)/.test(scope)) return 'comment';
		if (/^string(?:\.(?!regexp|unquoted|other|key)|$)/.test(scope))
			return scopes.some((one) => notProse.test(one)) ? undefined : 'string';
	}
	return undefined;
}

/** Tokens of one line as stretches of one kind. */
function spansOf(line: string, tokens: readonly IToken[]): Span[] {
	const spans: Span[] = [];
	for (const { startIndex, endIndex, scopes } of tokens) {
		const kind = kindOf(scopes);
		if (!kind) continue;
		const begins = scopes.some((scope) =>
			/^punctuation\.definition\.(?:comment|string)(?:\.begin)?(?:\.(?!end)|$)/.test(scope),
		);
		const end = Math.min(endIndex, line.length);
		const last = spans.at(-1);
		const isSame = last?.kind === kind && last.end === startIndex && !(begins && last.end > 0);
		const open = endIndex >= line.length;
		if (isSame && last) spans[spans.length - 1] = { ...last, end, open };
		else spans.push({ kind, start: startIndex, end, open, continues: startIndex === 0 && !begins });
	}
	return spans;
}

function joinedLines(
	spans: readonly (readonly Span[])[],
	from: number,
	to: number,
	startOf: (line: number) => number,
): Prose[] {
	const found: Prose[] = [];
	let wasOpen = false;
	for (let line = from; line <= to; line++) {
		const own = spans[line] ?? [];
		const start = own.length > 0 ? startOf(line) : 0;
		for (const span of own) {
			const last = found.at(-1);
			const isRest = wasOpen && span.continues && last?.kind === span.kind;
			if (isRest && last) found[found.length - 1] = { ...last, end: start + span.end };
			else found.push({ kind: span.kind, start: start + span.start, end: start + span.end });
			wasOpen = false;
		}
		wasOpen = own.at(-1)?.open === true;
	}
	return found;
}

function lineStarts(document: TextDocument, from: number, to: number): number[] {
	const starts: number[] = [];
	for (let line = from; line <= to; line++) starts.push(document.offsetAt({ line, character: 0 }));
	return starts;
}
