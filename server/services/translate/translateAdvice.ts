/** What to download for a language pair: models of the catalogue that there are, and no others. */

import type { CatalogueModel } from '../../hub/catalogue.ts';
import { canonicalLanguage, primaryLanguage } from '../../translate/languageCodes.ts';

const pivot = 'en';

/** Whether a model that is installed translates a pair. */
type IsInstalled = (source: string, target: string) => Promise<boolean>;

/** Makes sentences that say how to get a model for a pair nothing installed translates. */
export function translateAdvice(
	catalogue: readonly CatalogueModel[],
): (source: string, target: string, isInstalled: IsInstalled) => Promise<string> {
	const models = catalogue
		.filter(({ task, languages }) => task === 'translation' && languages !== undefined)
		.map(({ alias, languages = [] }) => ({ alias, languages: languages.map(written) }));
	const pairModel = (source: string, target: string) =>
		models.find(
			({ languages: [from, to, ...more] }) =>
				more.length === 0 && from === written(source) && to === written(target),
		)?.alias;
	/** The models to download for a step; none when it is there. */
	const step = async (source: string, target: string, isInstalled: IsInstalled) => {
		if (await isInstalled(source, target)) return [];
		const alias = pairModel(source, target);
		return alias === undefined ? undefined : [alias];
	};
	return async (source, target, isInstalled) => {
		const choices: (readonly string[])[] = [];
		const direct = pairModel(source, target);
		if (direct !== undefined) choices.push([direct]);
		if (source !== pivot && target !== pivot) {
			const there = await step(source, pivot, isInstalled);
			const onward = await step(pivot, target, isInstalled);
			if (there && onward) choices.push([...there, ...onward]);
		}
		for (const { alias, languages } of models)
			if (
				languages.length > 2 &&
				[source, target].every((code) => languages.includes(written(code)))
			)
				choices.push([alias]);
		const [best, ...others] = choices.map((names) => names.join(' and '));
		if (best === undefined)
			return 'Nor does one of the catalogue; one of the hub is had by its id: nearglot models pull OWNER/NAME.';
		return `Get one with: nearglot models pull ${best.replaceAll(' and ', ' and nearglot models pull ')}${others.length > 0 ? ` (or ${others.join(', or ')})` : ''}.`;
	};
}

/** A language as the catalogue has it: without script and region. */
const written = (code: string): string => primaryLanguage(canonicalLanguage(code) ?? code);
