/** Colours for code, loaded when the first block needs them; one chunk per language. */

import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import type { ColouredPart } from './code.tsx';
import { languages } from './languages.ts';

const theme = createCssVariablesTheme({ name: 'editor', variablePrefix: '--code-' });

let highlighter: Promise<HighlighterCore> | undefined;

/** Longest text that is coloured, in characters; more would hold up the page. */
const maxLength = 40_000;

/** Splits a text into coloured parts; `undefined` for a language without a grammar. */
export async function highlight(
	text: string,
	language: string,
): Promise<readonly ColouredPart[] | undefined> {
	const load = languages[language.toLowerCase()];
	if (!load || text.length > maxLength) return undefined;
	highlighter ??= createHighlighterCore({ themes: [theme], engine: createJavaScriptRegexEngine() });
	const core = await highlighter;
	const grammar = await load();
	await core.loadLanguage(grammar.default);
	const name = grammar.default.at(-1)?.name ?? language;
	const { tokens } = core.codeToTokens(text, { lang: name, theme: 'editor' });
	return tokens.flatMap((line, index) => [
		...(index > 0 ? [{ text: '\n' }] : []),
		...line.map(({ content, color }) => ({ text: content, colour: color })),
	]);
}
