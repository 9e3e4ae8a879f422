/** Chooses the models for a language pair among those that are installed; pivots through English. */

import { bundledCatalogue } from '../../hub/catalogue.ts';
import { AppError, findModel, type ModelInfo } from '../../protocol/index.ts';
import { scriptOf } from '../../translate/languageCodes.ts';
import type { LanguageTools } from '../../translate/languageTools.ts';
import { type ModelLanguages, readModelLanguages, translates } from '../../translate/modelPairs.ts';
import type { ModelHost } from '../host.ts';
import { translateAdvice } from './translateAdvice.ts';
import type { CustomSystem } from './translateSystems.ts';

/** One step of a translation. */
export interface Hop {
	readonly model: ModelInfo;
	readonly languages: ModelLanguages;
	readonly source: string;
	readonly target: string;
}

/** Models in order, with a change of script before or after them. */
export interface TranslationPath {
	readonly hops: readonly Hop[];
	/** The source's script → the one the first model reads. */
	readonly preConvert?: Convert;
	/** The script the last model writes → the target's. */
	readonly postConvert?: Convert;
}

/** Reads a model's languages from its folder. */
export type ReadLanguages = typeof readModelLanguages;

type Convert = (text: string) => Promise<string>;

export interface InstalledModel {
	readonly info: ModelInfo;
	readonly languages: ModelLanguages;
}

export interface TranslateModels {
	installed(): Promise<readonly InstalledModel[]>;
	/** No hops for equal languages. Throws `model_not_found` or `model_loading` with what to do. */
	route(source: string, target: string): Promise<TranslationPath>;
	/** The installed model of a name, as a system for a pair it translates. */
	named(name: string, source: string, target: string): Promise<CustomSystem | undefined>;
	/** One named model for a pair; throws when it cannot do it. */
	viaModel(name: string, source: string, target: string): Promise<TranslationPath>;
}

const pivot = 'en';

/** Lower is better: own pair models, then any-to-any models, then the small built-in one. */
function rank({ info, languages }: InstalledModel): number {
	if (info.origin === 'built-in') return 50;
	if (languages.bilingual) return 10;
	return { marian: 20, m2m100: 30, nllb: 40, other: 45 }[languages.family];
}

/** Closest language a model may know: Canadian French is French to it. */
const nearest: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		'fr-CA': 'fr',
		'pt-PT': 'pt',
		prs: 'fa',
	}),
);

/** The same language in another script: what one model writes is converted for the other. */
const sameLanguageOtherScript: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		'zh-Hant': 'zh-Hans',
		'zh-Hans': 'zh-Hant',
		'sr-Cyrl': 'sr-Latn',
		'sr-Latn': 'sr-Cyrl',
	}),
);

/**
 * @param transliterate Converts what one model writes for another that reads another script.
 * @param downloading Names or ids of models that are on their way; those in state `downloading` of
 *   the host's own list count as well.
 */
export function createTranslateModels(
	host: ModelHost,
	transliterate: LanguageTools['transliterate'],
	downloading: () => readonly string[] = () => [],
	readLanguages: ReadLanguages = readModelLanguages,
): TranslateModels {
	const conversion = (from: string, to: string): Convert => {
		const language = from.startsWith('zh') ? 'zh-Hans' : from;
		return (text) => transliterate(text, language, scriptOf(from), scriptOf(to));
	};
	const adviceFor = translateAdvice(bundledCatalogue().models);
	const known = new Map<string, Promise<ModelLanguages>>();
	const languagesOf = (info: ModelInfo, folder: string): Promise<ModelLanguages> => {
		const key = `${info.id} ${folder}`;
		const found = known.get(key) ?? readLanguages(folder, info.name);
		known.set(key, found);
		return found;
	};

	const installed = async (): Promise<readonly InstalledModel[]> => {
		const rows = await host.list('translation');
		const found: InstalledModel[] = [];
		for (const info of rows) {
			if (
				info.folder === undefined ||
				info.state === 'not-downloaded' ||
				info.state === 'downloading'
			)
				continue;
			found.push({ info, languages: await languagesOf(info, info.folder) });
		}
		return found.sort((a, b) => rank(a) - rank(b));
	};

	const route = async (source: string, target: string): Promise<TranslationPath> => {
		if (source === target) return { hops: [] };
		if (sameLanguageOtherScript.get(source) === target)
			return { hops: [], postConvert: conversion(source, target) };
		const models = await installed();
		const findHop = (from: string, to: string): (Hop & { rank: number }) | undefined => {
			for (const model of models)
				if (translates(model.languages, from, to))
					return {
						model: model.info,
						languages: model.languages,
						source: from,
						target: to,
						rank: rank(model),
					};
			return undefined;
		};
		const attempt = (
			from: string,
			to: string,
		): { hops: readonly Hop[]; rank: number } | undefined => {
			const direct = findHop(from, to);
			const first = from === pivot ? undefined : findHop(from, pivot);
			const second = to === pivot ? undefined : findHop(pivot, to);
			const pivotedRank = first && second ? Math.max(first.rank, second.rank) + 15 : undefined;
			if (direct && (pivotedRank === undefined || direct.rank <= pivotedRank))
				return { hops: [direct], rank: direct.rank };
			return first && second && pivotedRank !== undefined
				? { hops: [first, second], rank: pivotedRank }
				: undefined;
		};
		const froms = [source, nearest.get(source), sameLanguageOtherScript.get(source)].filter(
			(code) => code !== undefined,
		);
		const tos = [target, nearest.get(target), sameLanguageOtherScript.get(target)].filter(
			(code) => code !== undefined,
		);
		const found: { route: TranslationPath; rank: number }[] = [];
		for (const from of froms) {
			for (const to of tos) {
				const made = from === to ? undefined : attempt(from, to);
				if (!made) continue;
				// A neighbouring language or another script is second best.
				const detours = Number(from !== source) + Number(to !== target);
				const route = {
					hops: made.hops,
					...(from === sameLanguageOtherScript.get(source)
						? { preConvert: conversion(source, from) }
						: {}),
					...(to === sameLanguageOtherScript.get(target)
						? { postConvert: conversion(to, target) }
						: {}),
				};
				found.push({ route, rank: made.rank + 15 * detours });
			}
		}
		const [best] = found.sort((a, b) => a.rank - b.rank);
		if (best) return best.route;
		throw await missing(source, target);
	};

	const missing = async (source: string, target: string): Promise<AppError> => {
		const name = `opus-mt-${short(source)}-${short(target)}`;
		const listed = (await host.list('translation')).filter(({ state }) => state === 'downloading');
		const coming = [...downloading(), ...listed.map(({ id }) => id)].find(
			(model) =>
				model.includes(name) ||
				/m2m100|nllb/i.test(model) ||
				model.includes(`opus-mt-${short(source)}-en`) ||
				model.includes(`opus-mt-en-${short(target)}`),
		);
		if (coming !== undefined)
			return new AppError(
				'model_loading',
				`The translation system for ${source} to ${target} is still being downloaded (${coming}). Retry in a few minutes.`,
				{ retryAfterS: 30, data: { translatorCode: 408001 } },
			);
		const { sentence, action } = await adviceFor(source, target, async (from, to) =>
			(await installed()).some(({ languages }) => translates(languages, from, to)),
		);
		return new AppError(
			'model_not_found',
			`No installed model translates ${source} to ${target}${sentence}`,
			{ data: { translatorCode: 408001, action } },
		);
	};
	const viaModel = async (
		name: string,
		source: string,
		target: string,
	): Promise<TranslationPath> => {
		const info = await host.resolve(name, 'translation');
		if (info.folder === undefined) throw await missing(source, target);
		const languages = await languagesOf(info, info.folder);
		// A folder that names no languages is taken at its registration's word.
		if (languages.sources.size > 0 && !translates(languages, source, target))
			throw new AppError(
				'invalid_request',
				`The model '${info.id}' does not translate ${source} to ${target}.`,
				{ data: { translatorCode: 400075 } },
			);
		return { hops: [{ model: info, languages, source, target }] };
	};
	const named: TranslateModels['named'] = async (name, source, target) => {
		const models = await installed();
		const found = findModel(
			models.map(({ info }) => info),
			name,
		);
		const model = models.find(({ info }) => info === found);
		return model && translates(model.languages, source, target)
			? { category: name, model: model.info.id }
			: undefined;
	};
	return { installed, route, named, viaModel };
}

function short(language: string): string {
	return language.split('-')[0] ?? language;
}
