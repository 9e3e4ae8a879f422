/** Languages that can be translated into with the models that are here. */

import type { ModelInfo } from './modelTypes.ts';

const pivot = 'en';

/**
 * Codes of the languages that the translation models here reach from a language; from any, when none is given. Models of one
 * pair name its source first; the others translate between all of theirs. What is left is reached over English.
 */
export function readyTargets(models: readonly ModelInfo[], from?: string): ReadonlySet<string> {
	const here = models.filter(
		({ task, state, languages }) =>
			task === 'translation' && state !== 'not-downloaded' && state !== 'downloading' && languages,
	);
	const steps = (source: string | undefined): Set<string> => {
		const reached = new Set<string>();
		for (const { languages = [] } of here) {
			const sources = languages.length === 2 ? languages.slice(0, 1) : languages;
			if (source !== undefined && !sources.some((code) => isSame(code, source))) continue;
			for (const code of languages.length === 2 ? languages.slice(1) : languages) reached.add(code);
		}
		return reached;
	};
	const direct = steps(from);
	const onward = direct.has(pivot) ? steps(pivot) : [];
	const found = new Set([...direct, ...onward]);
	if (from !== undefined) for (const code of found) if (isSame(code, from)) found.delete(code);
	return found;
}

const isSame = (a: string, b: string): boolean => a.split('-')[0] === b.split('-')[0];
