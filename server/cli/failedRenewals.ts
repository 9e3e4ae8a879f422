/** Changed messages of which a model has made nothing. */

import type { MessageState } from '../translate/documents/messageStates.ts';
import type { MissingResult } from '../translate/documents/missingMessages.ts';

/**
 * Those that keep the old translation, rather than none or their source: they were refused, or left as they are. Of a
 * list one text is enough.
 * @param stale changed messages, with the old translations
 * @param now all messages as they are translated
 * @returns their paths as JSON
 */
export function failedRenewals(
	stale: readonly MessageState[],
	{ refused, left }: Pick<MissingResult, 'refused' | 'left'>,
	now: readonly MessageState[],
): ReadonlySet<string> {
	const whole = left.flatMap(({ text, sentences }) => (sentences ? [] : [text]));
	const failed = new Set([...refused, ...whole].map((text) => text.trim()));
	const targets = new Map(now.map(({ path, target }) => [JSON.stringify(path), target?.trim()]));
	const found = stale.flatMap(({ path, source, target, parts = [] }) => {
		const key = JSON.stringify(path);
		const same = source.trim();
		const made = targets.get(key) ?? '';
		// Of several forms or items one that was refused is enough for none to be written.
		const isWorse = made === '' || (made === same && target?.trim() !== same);
		return isWorse || [...textsOf(source), ...parts].some((text) => failed.has(text.trim()))
			? [key]
			: [];
	});
	return new Set(found);
}

/** Texts of a message; a list is JSON. */
function textsOf(source: string): readonly string[] {
	if (!source.startsWith('[')) return [source];
	try {
		const list: unknown = JSON.parse(source);
		return Array.isArray(list) ? [source, ...list.map(String)] : [source];
	} catch {
		return [source];
	}
}
