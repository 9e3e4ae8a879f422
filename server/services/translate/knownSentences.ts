/** Sentences that need no model: what memories hold, names of CLDR, and labels where only the small model would answer. */

import { cldrText } from '../../translate/cldrNames.ts';
import { replaceSpans } from '../../translate/mask.ts';
import type { SentenceUnit } from '../../translate/sentence.ts';
import type { Span } from '../../translate/sentences.ts';
import { uiLabel } from '../../translate/uiLabels.ts';
import type { TranslationPath } from './translateModels.ts';
import type { CustomSystem } from './translateSystems.ts';

export interface KnownSentence {
	readonly text: string;
	/** The table it is from, named beside models; absent for memories. */
	readonly table?: 'cldr' | 'labels';
}

/**
 * Looks a sentence up; `undefined` is for a model.
 *
 * @param sentence with masks, as a model reads it
 * @param unit the sentence as it is written
 */
export function knownSentence(
	sentence: string,
	unit: SentenceUnit | undefined,
	system: CustomSystem | undefined,
	{ hops }: TranslationPath,
	source: string,
	target: string,
): KnownSentence | undefined {
	const remembered = system?.memory?.(sentence) ?? rememberedWhole(unit, system);
	if (remembered !== undefined) return { text: remembered };
	if (hops.length === 0 || system !== undefined) return undefined;
	const name = cldrText(sentence, source, target);
	if (name !== undefined) return { text: name, table: 'cldr' };
	// Larger models know more than a table.
	if (!hops.every(({ model }) => model.origin === 'built-in')) return undefined;
	const label = uiLabel(sentence, source, target);
	return label === undefined ? undefined : { text: label, table: 'labels' };
}

/** What a memory has for a sentence with its placeholders in it, each of them masked once. */
function rememberedWhole(
	unit: SentenceUnit | undefined,
	system: CustomSystem | undefined,
): string | undefined {
	if (!unit || unit.fixed.length === 0) return undefined;
	const whole = system?.memory?.(unit.core);
	if (whole === undefined) return undefined;
	const parts: { readonly span: Span; readonly by: string }[] = [];
	for (const [number, { start, end, target }] of unit.fixed.entries()) {
		const isFree = (at: number, length: number) =>
			parts.every(({ span }) => at + length <= span[0] || span[1] <= at);
		const found = [unit.core.slice(start, end), target].flatMap((text) => {
			if (text === '') return [];
			let at = whole.indexOf(text);
			while (at >= 0 && !isFree(at, text.length)) at = whole.indexOf(text, at + 1);
			return at < 0 ? [] : [{ span: [at, at + text.length] as const, by: `{${number}}` }];
		})[0];
		if (!found) return undefined;
		parts.push(found);
	}
	return replaceSpans(
		whole,
		parts.sort((a, b) => a.span[0] - b.span[0]),
	).text;
}
