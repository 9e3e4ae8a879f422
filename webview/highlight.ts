/** Colours for code, loaded when the first block needs them; one chunk per language. */

import {
	createCssVariablesTheme,
	createHighlighterCore,
	type GrammarState,
	type HighlighterCore,
} from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { languages } from './highlightLanguages.ts';

export interface ColouredPart {
	readonly text: string;
	/** A CSS colour, usually a variable. */
	readonly colour?: string | undefined;
}

const theme = createCssVariablesTheme({ name: 'editor', variablePrefix: '--code-' });

let highlighter: Promise<HighlighterCore> | undefined;
/** Languages the highlighter has, by the name a fence gives: asking it to load one again costs time. */
const loaded = new Map<string, string>();

/** Longest text that is coloured, in characters; more would hold up the page. */
const maxLength = 40_000;

/** Splits a text into coloured parts; `undefined` for a language without a grammar. */
export async function highlight(
	text: string,
	language: string,
): Promise<readonly ColouredPart[] | undefined> {
	const load = languages.get(language.toLowerCase());
	if (!load || text.length > maxLength) return undefined;
	highlighter ??= createHighlighterCore({ themes: [theme], engine: createJavaScriptRegexEngine() });
	const core = await highlighter;
	let name = loaded.get(language);
	if (name === undefined) {
		const grammar = await load();
		await core.loadLanguage(grammar.default);
		name = grammar.default.at(-1)?.name ?? language;
		loaded.set(language, name);
	}
	return colourByLine(core, text, name);
}

/** Milliseconds of work in one go; a frame has 16, and the answer that streams in needs some too. */
const sliceMs = 2;

/** Colours line by line, a few at a time while the page has nothing to draw. */
async function colourByLine(
	core: HighlighterCore,
	text: string,
	lang: string,
): Promise<readonly ColouredPart[]> {
	const parts: ColouredPart[] = [];
	let grammarState: GrammarState | undefined;
	let begun = 0;
	for (const [index, line] of text.split('\n').entries()) {
		if (performance.now() - begun > sliceMs) {
			await idle();
			begun = performance.now();
		}
		const lines = core.codeToTokensBase(line, {
			lang,
			theme: 'editor',
			// The first line of a language compiles its grammar: on a busy machine the usual half second ends before.
			tokenizeTimeLimit: 5000,
			...(grammarState ? { grammarState } : {}),
		});
		grammarState = core.getLastGrammarState(lines);
		if (index > 0) parts.push({ text: '\n' });
		for (const { content, color } of lines[0] ?? []) parts.push({ text: content, colour: color });
	}
	return parts;
}

/** Waits until the page has nothing to draw. */
function idle(): Promise<void> {
	return new Promise((resolve) => {
		// Not every browser knows idle time.
		if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 500 });
		else setTimeout(resolve, 16);
	});
}
