/** What to download for a language pair: models of the catalogue that there are, and no others. */

import type { CatalogueModel } from '../../hub/catalogue.ts';
import { downloadOffer } from '../../hub/downloadOffer.ts';
import type { ErrorAction } from '../../protocol/index.ts';
import { canonicalLanguage, primaryLanguage } from '../../translate/languageCodes.ts';

const pivot = 'en';

/** Whether a model that is installed translates a pair. */
type IsInstalled = (source: string, target: string) => Promise<boolean>;

/** Says which models translate a pair that nothing installed does, in words and as what can be done. */
export function translateAdvice(
	catalogue: readonly CatalogueModel[],
): (
	source: string,
	target: string,
	isInstalled: IsInstalled,
) => Promise<{ readonly sentence: string; readonly action: ErrorAction }> {
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
		const offers = choices.map((names) =>
			names.flatMap((name) => {
				const model = catalogue.find(({ alias }) => alias === name);
				return model ? [downloadOffer(model)] : [];
			}),
		);
		const [[first, ...also] = [], ...others] = offers;
		if (first === undefined)
			return {
				sentence: ', nor does one of the catalogue.',
				action: { kind: 'search', words: `opus-mt ${written(source)} ${written(target)}` },
			};
		const alternatives = others.flatMap((models) => (models.length === 1 ? models : []));
		const named = choices.map((names) => names.join(' and ')).join('; ');
		return {
			sentence: `. Models of the catalogue that do: ${named}.`,
			action: {
				kind: 'download',
				...first,
				...(also.length > 0 ? { also } : {}),
				...(alternatives.length > 0 ? { alternatives } : {}),
			},
		};
	};
}

/** A language as the catalogue has it: without script and region. */
const written = (code: string): string => primaryLanguage(canonicalLanguage(code) ?? code);
