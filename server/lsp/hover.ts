/** A hover with the translation of the comment, docstring, string or paragraph under the cursor. */

import type { Hover, Position } from 'vscode-languageserver/node';
import { MarkupKind } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { TextTranslation } from '../protocol/index.ts';
import { minDetectionScore, sameLanguage } from '../translate/languageCodes.ts';
import { doubtfulQuality } from '../translate/qualityEstimate.ts';
import { displayLanguageName } from './displayLanguageName.ts';
import { markdownLanguages } from './prose/paragraphs.ts';
import type { ProseFinder } from './prose/proseFinder.ts';
import { jobFor } from './prose/translateRange.ts';
import { messageText } from './texts.ts';
import { qualityOf, type Translations } from './translations.ts';

export interface HoverOptions {
	/** The reader's language, BCP 47. */
	readonly to: string;
	/** Longest text in characters. */
	readonly maxLength: number;
	readonly displayLanguage: string | undefined;
	/** A command of the editor that proposes better models. */
	readonly modelsCommand?: string | undefined;
}

/** One word is more often a name than a sentence. */
const severalWords =
	/\p{L}{2}\s+\p{L}{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2}/u;

/** The hover, or `null` where there is nothing to translate for this reader. */
export async function translationHover(
	document: TextDocument,
	position: Position,
	options: HoverOptions,
	finder: ProseFinder,
	translations: Translations,
	signal: AbortSignal,
): Promise<Hover | null> {
	const offset = document.offsetAt(position);
	const found = await finder.find(document, offset, offset, signal);
	const prose = found.find(({ start, end }) => start <= offset && offset <= end);
	if (!prose) return null;
	const { texts, shown: readable } = jobFor(document, prose);
	const whole = texts.join('\n');
	if (whole.length > options.maxLength || !severalWords.test(whole)) return null;
	const range = { start: document.positionAt(prose.start), end: document.positionAt(prose.end) };
	const [detected] = await translations.detect([whole], signal);
	const from = detected && detected.score >= minDetectionScore ? detected.language : '';
	if (from === '' || sameLanguage(from, options.to)) return null;
	const ask = { to: options.to, from, uri: document.uri };
	const items = await translations.translate(texts, ask, signal);
	const answers = items.map((item) => item.text);
	if (answers.join('\n') === whole) return null;
	const made = answers.map(readable);
	const title = displayLanguageName(from, options.displayLanguage);
	const target = displayLanguageName(options.to, options.displayLanguage);
	const isMarkdown = prose.kind === 'text' && markdownLanguages.has(document.languageId);
	const shown = made.map((text) =>
		isMarkdown ? text.replaceAll('<', '&lt;') : escapeMarkdown(text),
	);
	return {
		contents: {
			kind: MarkupKind.Markdown,
			value: `${shown.join('\n\n')}\n\n*${title} → ${target} · Nearglot*${doubt(items, options)}`,
		},
		range,
	};
}

/** The translation is text, whatever it looks like. */
function escapeMarkdown(text: string): string {
	return text.replace(/[\\*_{}[\]<>()#+!|~`]/g, '\\$&').replace(/^([ \t]*\d+)([.)])/gm, '$1\\$2');
}

/** What is said of a translation that its model is not sure of; nothing of others. */
function doubt(items: readonly TextTranslation[], { modelsCommand }: HoverOptions): string {
	const quality = qualityOf(items);
	if (quality === undefined || quality >= doubtfulQuality) return '';
	const words = messageText('doubtful', String(Math.round(100 * quality)));
	const better = modelsCommand && `[${messageText('betterModel')}](command:${modelsCommand})`;
	return ` · *${words}*${better ? ` · ${better}` : ''}`;
}
