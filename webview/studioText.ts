/** Texts of the studio page, in the language that `loadPageTexts` has chosen. */

import { t } from '@vscode/l10n';
import { shownValue } from './numberText.ts';
import { modelsRunHere } from './signedInPerson.ts';
import { type StudioKey, studioStrings, whereModelsRun } from './studioStrings.ts';

export type { StudioKey } from './studioStrings.ts';

/** A text that is true of where the models run. */
const trueHere = (english: string): string =>
	modelsRunHere() ? english : (whereModelsRun.get(english) ?? english);

/** A text of the page; `{0}`, `{1}` … are replaced. */
export const text = (key: StudioKey, ...values: (string | number)[]): string =>
	t(trueHere(studioStrings[key]), ...values.map(shownValue));

/** Texts of the chat in the same language. */
export function translated<K extends string>(
	strings: Readonly<Record<K, string>>,
): Record<K, string> {
	const entries = Object.entries<string>(strings).map(([key, english]) => [
		key,
		t(trueHere(english)),
	]);
	return Object.fromEntries(entries) as Record<K, string>;
}
