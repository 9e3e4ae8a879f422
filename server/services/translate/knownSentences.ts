/** Sentences that need no model: what memories hold, names of CLDR, and labels where only the small model would answer. */

import { cldrText } from '../../translate/cldrNames.ts';
import { uiLabel } from '../../translate/uiLabels.ts';
import type { TranslationPath } from './translateModels.ts';
import type { CustomSystem } from './translateSystems.ts';

export interface KnownSentence {
	readonly text: string;
	/** The table it is from, named beside models; absent for memories. */
	readonly table?: 'cldr' | 'labels';
}

/** Looks a sentence up; `undefined` is for a model. */
export function knownSentence(
	sentence: string,
	system: CustomSystem | undefined,
	{ hops }: TranslationPath,
	source: string,
	target: string,
): KnownSentence | undefined {
	const remembered = system?.memory?.(sentence);
	if (remembered !== undefined) return { text: remembered };
	if (hops.length === 0 || system !== undefined) return undefined;
	const name = cldrText(sentence, source, target);
	if (name !== undefined) return { text: name, table: 'cldr' };
	// Larger models know more than a table.
	if (!hops.every(({ model }) => model.origin === 'built-in')) return undefined;
	const label = uiLabel(sentence, source, target);
	return label === undefined ? undefined : { text: label, table: 'labels' };
}
