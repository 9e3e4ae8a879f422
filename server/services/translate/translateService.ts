/** The translation use-case: texts in, texts in other languages out. HTTP, CLI and editor call this. */

import { defined } from '../../protocol/defined.ts';
import { AppError, type TranslateEngine } from '../../protocol/index.ts';
import type { HostedTranslator } from '../../remote/hostedTranslator.ts';
import { alignmentSupported } from '../../translate/alignmentPairs.ts';
import type { DetectedLanguage } from '../../translate/detect.ts';
import { htmlPieces } from '../../translate/htmlBlocks.ts';
import { scriptOf } from '../../translate/languageCodes.ts';
import type { LanguageTools } from '../../translate/languageTools.ts';
import { plainBlock, usesDictionary } from '../../translate/plainBlock.ts';
import { profanityEdit } from '../../translate/profanity.ts';
import type { SentenceCache } from '../../translate/sentenceCache.ts';
import { type DocumentOptions, translateBlocks } from '../../translate/translateBlocks.ts';
import type { WorkQueue } from '../../work/workQueue.ts';
import { yieldToOthers } from '../../work/yieldToOthers.ts';
import type { ModelHost } from '../host.ts';
import { alignmentText, identityLinks } from './alignmentText.ts';
import { knownSentence } from './knownSentences.ts';
import { createTranslateBatcher, type TranslateBatcher } from './translateBatcher.ts';
import {
	createTranslateModels,
	type TranslateModels,
	type TranslationPath,
} from './translateModels.ts';
import { charactersOf, createTranslateQueue, type TranslateQueue } from './translateQueue.ts';
import { translateRemotely } from './translateRemote.ts';
import type {
	TargetText,
	TranslateItem,
	TranslateOutcome,
	TranslateRequest,
	TranslateTarget,
} from './translateRequest.ts';
import { translateSentences } from './translateSentences.ts';
import { detectSources } from './translateSources.ts';
import { type CustomSystem, type CustomSystems, systemPivot } from './translateSystems.ts';

/** The translations of one call. What translates a pair of languages is chosen once for all of them. */
export interface TranslateRun {
	/** Refuses what no system here can do, before anything is charged or run. */
	check(request: TranslateRequest): Promise<void>;
	translate(request: TranslateRequest, signal?: AbortSignal): Promise<TranslateOutcome>;
}

export interface TranslateService extends TranslateQueue {
	newRun(): TranslateRun;
	/** {@link TranslateRun.translate} of a run with one request. */
	translate(request: TranslateRequest, signal?: AbortSignal): Promise<TranslateOutcome>;
	/** Languages that some installed model reads or writes. */
	translatable(): Promise<ReadonlySet<string>>;
	readonly models: TranslateModels;
	readonly cache: SentenceCache;
	readonly language: LanguageTools;
	readonly custom: CustomSystems;
}

export interface TranslateDeps {
	readonly host: ModelHost;
	readonly language: LanguageTools;
	readonly cache: SentenceCache;
	readonly custom: CustomSystems;
	readonly batcher?: TranslateBatcher;
	/** Where texts wait for their turn, counted in characters. */
	readonly queue?: WorkQueue;
	readonly models?: TranslateModels;
	/** The remote translator of an engine; says what is missing when it is not set up. */
	readonly remote?: (engine: 'team' | 'hosted') => HostedTranslator;
	/** Engine of requests that name none. */
	readonly engine?: () => TranslateEngine;
}

/** What translates from one language to another. */
interface ChosenSystem {
	readonly system: CustomSystem | undefined;
	readonly route: TranslationPath;
}

/** Chooses what translates; the same question has the same answer for as long as it is kept. */
type ChooseSystem = (
	source: string,
	target: string,
	request: TranslateRequest,
) => Promise<ChosenSystem>;

/** A text that no model here reads, beside others that are translated. */
const copiedText = (text: string, language: string): TargetText => ({
	...{ language, text, sourceLengths: [text.length], targetLengths: [text.length] },
	alternatives: [],
	models: [],
});

export function createTranslateService(deps: TranslateDeps): TranslateService {
	const { language: tools, cache, custom } = deps;
	const models = deps.models ?? createTranslateModels(deps.host, tools.transliterate);
	const batcher = deps.batcher ?? createTranslateBatcher(deps.host);
	const usualEngine = (): TranslateEngine => deps.engine?.() ?? 'local';
	const queue = createTranslateQueue(usualEngine, deps.queue);

	const sourcesOf = async (
		request: TranslateRequest,
		chooseSystem: ChooseSystem,
	): Promise<readonly { language: string; detected?: DetectedLanguage; isLeft?: boolean }[]> => {
		const { texts, source, suggestedSource } = request;
		if (source !== undefined) return texts.map(() => ({ language: source }));
		const canTranslate = (language: string): Promise<boolean> =>
			check({ ...request, source: language }, chooseSystem).then(
				() => true,
				() => false,
			);
		const found = await detectSources(texts, suggestedSource, tools.detect, canTranslate);
		return found.map(({ isLeft = false, ...detected }) => ({
			...{ language: detected.language, detected, isLeft },
		}));
	};

	const translateText = async (
		text: string,
		source: string,
		target: TranslateTarget,
		{ system, route }: ChosenSystem,
		request: TranslateRequest,
		signal?: AbortSignal,
	): Promise<TargetText & { custom: boolean }> => {
		await yieldToOthers();
		const { hops } = route;
		const edit = profanityEdit(
			request.profanityAction,
			request.profanityMarker,
			source,
			target.language,
		);
		const wantsAlignment =
			request.alignment &&
			request.textType === 'plain' &&
			!usesDictionary(text) &&
			alignmentSupported(source, target.language);
		const context = Math.min(512, ...hops.map(({ languages }) => languages.contextLength));
		const options: DocumentOptions = {
			source,
			target: target.language,
			links: wantsAlignment,
			// Two units a token on average; unspaced scripts need a token for nearly every one.
			maxSentence: Math.floor(context * (/^(zh|ja|ko|yue|th|lo|km|my)/.test(source) ? 0.7 : 1.6)),
			...(edit ? { edit } : {}),
			...(system?.terms ? { terms: system.terms } : {}),
		};
		const others: string[][] = [];
		const tables = new Set<string>();
		let usesModel = false;
		const pieces = request.textType === 'html' ? htmlPieces(text) : [plainBlock(text)];
		const done = await translateBlocks(
			pieces,
			async (sentences, needs) => {
				const remembered = sentences.map((sentence) =>
					knownSentence(sentence, system, route, source, target.language),
				);
				for (const known of remembered) if (known?.table) tables.add(known.table);
				const rest = sentences.filter((_, index) => remembered[index] === undefined);
				const made = await translateSentences(
					rest,
					route,
					needs,
					{
						priority: request.priority,
						owner: request.owner,
						...defined({ beams: request.beams }),
						...(request.alternatives ? { alternatives: request.alternatives } : {}),
					},
					{ batcher, cache },
					signal,
				);
				usesModel ||= rest.length > 0;
				let next = 0;
				return sentences.map((sentence, index) => {
					const known = remembered[index];
					if (known !== undefined) {
						others.push([]);
						return { text: known.text };
					}
					const result = made[next++] ?? { text: sentence };
					others.push([...(result.alternatives ?? [])]);
					return needs.links && hops.length === 0 && !route.postConvert
						? { text: sentence, links: identityLinks(sentence) }
						: result;
				});
			},
			options,
		);
		const transliteration =
			target.script === undefined || target.script === scriptOf(target.language)
				? undefined
				: await tools.transliterate(
						done.text,
						target.language,
						scriptOf(target.language),
						target.script,
					);
		return {
			language: target.language,
			text: done.text,
			...(transliteration === undefined
				? {}
				: { transliteration: { text: transliteration, script: target.script ?? '' } }),
			...(wantsAlignment ? { alignment: alignmentText(done.links) } : {}),
			sourceLengths: done.sourceLengths,
			targetLengths: done.targetLengths,
			// Alternatives are those of a text that is one sentence.
			alternatives: others.length === 1 && hops.length > 0 ? (others[0] ?? []) : [],
			models: tables.size > 0 && !usesModel ? [] : hops.map(({ model }) => model.id),
			tables: [...tables],
			custom: system !== undefined,
		};
	};

	const chain = async (
		source: string,
		target: string,
		system: CustomSystem | undefined,
		request: TranslateRequest,
	): Promise<TranslationPath> => {
		if (source === target) return { hops: [] };
		const { category } = request;
		if (
			system === undefined &&
			category !== undefined &&
			category !== 'general' &&
			!request.allowFallback
		)
			throw new AppError(
				'invalid_request',
				`The custom system requested for translation between from and to language does not exist: category '${category}', ${source} to ${target}, and allowFallback is false.`,
				{ param: 'category', data: { translatorCode: 400079 } },
			);
		if (!system?.halves) return step(system, source, target);
		const [first, second] = system.halves;
		const [there, onward] = await Promise.all([
			step(first, source, systemPivot),
			step(second, systemPivot, target),
		]);
		return {
			hops: [...there.hops, ...onward.hops],
			...(there.preConvert ? { preConvert: there.preConvert } : {}),
			...(onward.postConvert ? { postConvert: onward.postConvert } : {}),
		};
	};

	/** What a category brings: a custom system of that name, else the model of that name. */
	const systemOf = async (
		category: string | undefined,
		source: string,
		target: string,
	): Promise<CustomSystem | undefined> => {
		if (category === undefined || category === 'general') return undefined;
		return (await custom.find(category, source, target)) ?? models.named(category, source, target);
	};

	const step = (
		system: CustomSystem | undefined,
		source: string,
		target: string,
	): Promise<TranslationPath> =>
		system?.model === undefined
			? models.route(source, target)
			: models.viaModel(system.model, source, target);

	const chooseOnce = (): ChooseSystem => {
		const chosen = new Map<string, Promise<ChosenSystem>>();
		return (source, target, request) => {
			const { category = 'general', allowFallback } = request;
			const key = JSON.stringify([source, target, category, allowFallback]);
			const system = chosen.get(key) ?? choose(source, target, request);
			chosen.set(key, system);
			return system;
		};
	};

	const choose: ChooseSystem = async (source, target, request) => {
		const system = await systemOf(request.category, source, target);
		return { system, route: await chain(source, target, system, request) };
	};

	const engineOf = (request: TranslateRequest): TranslateEngine => request.engine ?? usualEngine();

	const remotely = (
		engine: 'team' | 'hosted',
		request: TranslateRequest,
		signal?: AbortSignal,
	): Promise<TranslateOutcome> => {
		if (!deps.remote)
			throw new AppError('not_supported', `The engine '${engine}' is not available here.`);
		return translateRemotely(deps.remote(engine), request, signal);
	};

	const check = async (request: TranslateRequest, chooseSystem: ChooseSystem): Promise<void> => {
		if (request.source === undefined || engineOf(request) !== 'local') return;
		for (const { language } of request.targets)
			await chooseSystem(request.source, language, request);
	};

	const translatable = async (): Promise<ReadonlySet<string>> => {
		const found = new Set<string>();
		for (const { languages } of await models.installed())
			for (const code of [...languages.sources.keys(), ...languages.targets.keys()])
				found.add(code);
		return found;
	};

	const translate = async (
		request: TranslateRequest,
		chooseSystem: ChooseSystem,
		signal?: AbortSignal,
	): Promise<TranslateOutcome> => {
		const engine = engineOf(request);
		if (engine !== 'local') return remotely(engine, request, signal);
		if (request.turn !== undefined) return locally(request, chooseSystem, signal);
		using _ = await queue.enter({ ...request, characters: charactersOf(request) }, signal);
		return await locally(request, chooseSystem, signal);
	};

	const locally = async (
		request: TranslateRequest,
		chooseSystem: ChooseSystem,
		signal?: AbortSignal,
	): Promise<TranslateOutcome> => {
		const customTargets = request.targets.map(() => request.texts.length > 0);
		const sources = await sourcesOf(request, chooseSystem);
		const items = await Promise.all(
			request.texts.map(async (text, place): Promise<TranslateItem> => {
				const { language, detected, isLeft } = sources[place] ?? { language: 'en' };
				if (isLeft) {
					customTargets.fill(false);
					const copies = request.targets.map((target) => copiedText(text, target.language));
					return { ...defined({ detected }), translations: copies };
				}
				const native = scriptOf(language);
				const foreign = request.sourceScript !== undefined && request.sourceScript !== native;
				const sourceText = foreign
					? await tools.transliterate(text, language, request.sourceScript ?? native, native)
					: undefined;
				const translations = await Promise.all(
					request.targets.map(async (target, index) => {
						const { custom: byCustom, ...done } = await translateText(
							sourceText ?? text,
							language,
							target,
							await chooseSystem(language, target.language, request),
							request,
							signal,
						);
						if (!byCustom) customTargets[index] = false;
						return done;
					}),
				);
				return {
					...(detected ? { detected } : {}),
					...defined({ sourceText }),
					translations,
				};
			}),
		);
		return {
			items,
			systems: customTargets.map((byCustom) => (byCustom ? 'Custom' : 'Team')),
			models: [
				...new Set(
					items.flatMap(({ translations }) =>
						translations.flatMap(({ models: chain, tables = [] }) => [
							...(chain.length > 0 ? [chain.join('+')] : []),
							...tables,
						]),
					),
				),
			],
			characters: charactersOf(request),
		};
	};

	const newRun = (): TranslateRun => {
		const chooseSystem = chooseOnce();
		return {
			check: (request) => check(request, chooseSystem),
			translate: (request, signal) => translate(request, chooseSystem, signal),
		};
	};

	return {
		...queue,
		newRun,
		translate: (request, signal) => newRun().translate(request, signal),
		translatable,
		models,
		cache,
		language: tools,
		custom,
	};
}
