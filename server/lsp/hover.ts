/** A hover with the translation of the comment, docstring, string or paragraph under the cursor. */

import type { Hover, Position } from 'vscode-languageserver/node';
import { MarkupKind } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { TranslatedText } from '../protocol/index.ts';
import { languageName, sameLanguage } from './languageName.ts';
import { proseIn } from './prose/prose.ts';
import type { SyntaxTrees } from './prose/syntaxTree.ts';
import { jobFor } from './prose/translateRange.ts';

export interface HoverDeps {
	readonly trees: SyntaxTrees;
	/** Language of a text (BCP 47), or `undefined` when nothing can be said. */
	readonly detect: (text: string, signal: AbortSignal) => Promise<string | undefined>;
	readonly translate: (
		texts: readonly string[],
		from: string,
		to: string,
		signal: AbortSignal,
	) => Promise<readonly TranslatedText[]>;
}

export interface HoverOptions {
	/** The reader's language, BCP 47. */
	readonly to: string;
	/** Longest text in characters. */
	readonly maxLength: number;
	readonly displayLanguage: string | undefined;
}

/** Translations made before, by language and text; the oldest leaves first. */
const cacheSize = 500;
const cache = new Map<
	string,
	{ readonly from: string; readonly texts: readonly string[] } | null
>();

/** The hover, or `null` where there is nothing to translate for this reader. */
export async function translationHover(
	document: TextDocument,
	position: Position,
	options: HoverOptions,
	deps: HoverDeps,
	signal: AbortSignal,
): Promise<Hover | null> {
	const offset = document.offsetAt(position);
	const found = await proseIn(document, offset, offset, deps.trees);
	const prose = found.find(({ start, end }) => start <= offset && offset <= end);
	if (!prose) return null;
	const { texts } = jobFor(document, prose);
	const whole = texts.join('\n');
	// One word is more often a name than a sentence.
	if (
		whole.length > options.maxLength ||
		!/\p{L}{2,}\s+\p{L}{2,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2}/u.test(
			whole,
		)
	)
		return null;
	const key = `${options.to}\n${whole}`;
	let known = cache.get(key);
	if (known === undefined) {
		const from = await deps.detect(whole, signal);
		known =
			from === undefined || sameLanguage(from, options.to)
				? null
				: {
						from,
						texts: (await deps.translate(texts, from, options.to, signal)).map((item) => item.text),
					};
		const [oldest] = cache.keys();
		if (cache.size >= cacheSize && oldest !== undefined) cache.delete(oldest);
		cache.set(key, known);
	}
	if (!known || known.texts.join('\n') === whole) return null;
	const title = languageName(known.from, options.displayLanguage);
	const target = languageName(options.to, options.displayLanguage);
	return {
		contents: {
			kind: MarkupKind.Markdown,
			value: `${known.texts.map(escapeMarkdown).join('\n\n')}\n\n*${title} → ${target} · Nearglot*`,
		},
		range: { start: document.positionAt(prose.start), end: document.positionAt(prose.end) },
	};
}

/** The translation is text, whatever it looks like. */
function escapeMarkdown(text: string): string {
	return text.replace(/[\\*_{}[\]<>()#+!|~]/g, '\\$&').replace(/^(\s*)(\d+)([.)])/gm, '$1$2\\$3');
}
