/** The translation use-case: texts in, texts in other languages out. HTTP, CLI and editor call this. */

import { defined } from '../../protocol/defined.ts';
import { AppError, type TranslateEngine } from '../../protocol/index.ts';
import type { TranslationSystem } from '../../protocol/routes/translationSystems.ts';
import type { HostedTranslator } from '../../remote/hostedTranslator.ts';
import { alignmentSupported } from '../../translate/alignmentPairs.ts';
import type { DetectedLanguage } from '../../translate/detectedLanguage.ts';
import { htmlPieces } from '../../translate/htmlBlocks.ts';
import { scriptOf } from '../../translate/languageCodes.ts';
import type { LanguageTools } from '../../translate/languageTools.ts';
import { plainBlock, usesDictionary } from '../../translate/plainBlock.ts';
import { profanityEdit } from '../../translate/profanity.ts';
import { meanQuality } from '../../translate/qualityEstimate.ts';
import type { SentenceCache } from '../../translate/sentenceCache.ts';
import { type DocumentOptions, translateBlocks } from '../../translate/translateBlocks.ts';
import type { WorkBound } from '../../work/workBound.ts';
import { yieldToOthers } from '../../work/yieldToOthers.ts';
import type { ModelHost } from '../host.ts';
import { alignmentText, identityLinks } from './alignmentText.ts';
import {
	type ChatSentenceResult,
	type ChatText,
	chatRun,
	type TranslateByChat,
} from './chatRun.ts';
import { type ChatUpstreams, chatModelOf } from './chatSystems.ts';
import { type GenerateChat, unusableModel } from './chatTranslator.ts';
import { type ChooseSystem, type ChosenSystem, guidanceOf, systemChooser } from './chooseSystem.ts';
import { copiedText } from './copiedText.ts';
import { knownSentence } from './knownSentences.ts';
import { listSystems } from './listSystems.ts';
import { maxSentenceUnits } from './maxSentenceUnits.ts';
import { createSentenceClient, type SentenceClient } from './sentenceClient.ts';
import { termsOfText } from './termsOfText.ts';
import {
	charactersOf,
	createTranslateAdmission,
	type TranslateAdmission,
} from './translateAdmission.ts';
import { createTranslateModels, type TranslateModels } from './translateModels.ts';
import { translateRemotely } from './translateRemote.ts';
import type {
	TargetText,
	TranslateItem,
	TranslateOutcome,
	TranslateRequest,
	TranslateTarget,
} from './translateRequest.ts';
import { type SentenceResult, translateSentences } from './translateSentences.ts';
import { detectSources } from './translateSources.ts';
import type { CustomSystems } from './translateSystems.ts';

/** The translations of one call. What translates a pair of languages is chosen once for all of them. */
export interface TranslateRun {
	/** Refuses what no system here can do, before anything is charged or run. */
	check(request: TranslateRequest): Promise<void>;
	translate(request: TranslateRequest, signal?: AbortSignal): Promise<TranslateOutcome>;
}

export interface TranslateService extends TranslateAdmission {
	newRun(): TranslateRun;
	/** {@link TranslateRun.translate} of a run with one request. */
	translate(request: TranslateRequest, signal?: AbortSignal): Promise<TranslateOutcome>;
	/** Languages that some installed model reads or writes. */
	translatable(): Promise<ReadonlySet<string>>;
	/** What a request may name, and what translates where it names nothing. */
	systems(): Promise<{ readonly systems: TranslationSystem[]; readonly usual: string }>;
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
	readonly client?: SentenceClient;
	/** Of all texts that are let in, counted in characters. */
	readonly bound?: WorkBound;
	readonly models?: TranslateModels;
	/** The remote translator of an engine; says what is missing when it is not set up. */
	readonly remote?: (engine: 'team' | 'hosted') => HostedTranslator;
	/** Engine of requests that name none. */
	readonly engine?: () => TranslateEngine;
	/** How chat models are asked; without it they are no systems. */
	readonly generateChat?: GenerateChat;
	/** Engines elsewhere whose chat models may be named. */
	readonly upstreams?: ChatUpstreams;
	/** System of requests that name none. */
	readonly usualSystem?: () => string | undefined;
}

export function createTranslateService(deps: TranslateDeps): TranslateService {
	const { language: tools, cache, custom } = deps;
	const models = deps.models ?? createTranslateModels(deps.host, tools.transliterate);
	const client = deps.client ?? createSentenceClient(deps.host);
	const usualEngine = (): TranslateEngine => deps.engine?.() ?? 'local';
	const admission = createTranslateAdmission(usualEngine, deps.bound);
	const chooseOnce = systemChooser({
		...{ models, custom },
		chatModel: async (name) => deps.generateChat && chatModelOf(deps.host, name, deps.upstreams),
		usualSystem: () => deps.usualSystem?.(),
	});

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
		const supported = [...(await translatable())];
		const found = await detectSources(
			texts,
			suggestedSource,
			tools.detect,
			supported,
			canTranslate,
		);
		return found.map(({ isLeft = false, ...detected }) => ({
			...{ language: detected.language, detected, isLeft },
		}));
	};

	const translateText = async (
		text: string,
		source: string,
		target: TranslateTarget,
		{ system, route, chat }: ChosenSystem,
		request: TranslateRequest,
		byChat: ((text: ChatText) => Promise<readonly ChatSentenceResult[]>) | undefined,
		signal?: AbortSignal,
	): Promise<TargetText & { custom: boolean }> => {
		await yieldToOthers(request.priority === 'interactive');
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
		const options: DocumentOptions = {
			source,
			target: target.language,
			links: wantsAlignment,
			maxSentence: maxSentenceUnits(source, hops, chat),
			...(edit ? { edit } : {}),
			...defined({ terms: await termsOfText(source, request, system, route) }),
		};
		const others: string[][] = [];
		const qualities: { quality: number; length: number }[] = [];
		const refused: string[] = [];
		const tables = new Set<string>();
		let usesModel = false;
		const pieces = request.textType === 'html' ? htmlPieces(text) : [plainBlock(text)];
		const done = await translateBlocks(
			pieces,
			async (sentences, needs) => {
				const remembered = sentences.map((sentence, at) =>
					knownSentence(sentence, needs.units?.[at], system, route, source, target.language),
				);
				for (const known of remembered) if (known?.table) tables.add(known.table);
				const isOpen = (_: unknown, index: number) => remembered[index] === undefined;
				const rest = sentences.filter(isOpen);
				usesModel ||= rest.length > 0;
				const made = byChat
					? await byChat({
							...{ sentences: rest, links: needs.links },
							...defined({ units: needs.units?.filter(isOpen) }),
							examples: (sentence) => system?.neighbours?.(sentence) ?? [],
						})
					: await translateSentences(
							rest,
							route,
							needs,
							{
								priority: request.priority,
								owner: request.owner,
								...defined({ beams: request.beams, minQuality: request.minQuality }),
								...(request.alternatives ? { alternatives: request.alternatives } : {}),
							},
							{ client, cache },
							signal,
						);
				let next = 0;
				return sentences.map((sentence, index) => {
					const known = remembered[index];
					const { length } = sentence;
					if (known !== undefined) {
						qualities.push({ quality: 1, length });
						others.push([]);
						return { text: known.text };
					}
					const result: SentenceResult | ChatSentenceResult = made[next++] ?? { text: sentence };
					if ('isRefused' in result && result.isRefused) refused.push(sentence);
					others.push('alternatives' in result ? [...(result.alternatives ?? [])] : []);
					if ('quality' in result && result.quality !== undefined)
						qualities.push({ quality: result.quality, length });
					return needs.links && hops.length === 0 && !route.postConvert && !byChat
						? { text: sentence, links: identityLinks(sentence) }
						: result;
				});
			},
			options,
		);
		// Of several texts the others count; one alone that stays as it was would look translated.
		const isAllRefused = refused.length > 0 && refused.length >= done.sourceLengths.length;
		if (chat && request.texts.length === 1 && isAllRefused)
			throw unusableModel(chat, { source, target: target.language }, refused.length);
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
			...defined({ quality: byChat ? undefined : meanQuality(qualities) }),
			models:
				tables.size > 0 && !usesModel
					? []
					: byChat && chat
						? [chat.id]
						: hops.map(({ model }) => model.id),
			tables: [...tables],
			refused,
			custom: system !== undefined,
		};
	};

	const engineOf = (request: TranslateRequest): TranslateEngine => request.engine ?? usualEngine();

	const remotely = (
		engine: 'team' | 'hosted',
		request: TranslateRequest,
		signal?: AbortSignal,
	): Promise<TranslateOutcome> => {
		if (!deps.remote)
			throw new AppError('not_supported', `The engine '${engine}' is not available here.`);
		if (request.termsFrom !== undefined)
			throw new AppError('not_supported', `The engine '${engine}' takes no glossary of a request.`);
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
		using _ = admission.enter({ ...request, characters: charactersOf(request) }, signal);
		return await locally(request, chooseSystem, signal);
	};

	const locally = async (
		request: TranslateRequest,
		chooseSystem: ChooseSystem,
		signal?: AbortSignal,
	): Promise<TranslateOutcome> => {
		const customTargets = request.targets.map(() => request.texts.length > 0);
		const sources = await sourcesOf(request, chooseSystem);
		const askedOfChat = new Map<string, TranslateByChat>();
		/** The texts of one language go to a chat model together. */
		const byChatFrom = (source: string, target: string, { system, chat }: ChosenSystem) => {
			if (!chat || !deps.generateChat || source === target) return undefined;
			const key = JSON.stringify([source, target]);
			const places = sources.filter(({ language }) => language === source).length;
			const run =
				askedOfChat.get(key) ??
				chatRun(
					chat,
					guidanceOf(source, target, request, system),
					places,
					request,
					{ ask: deps.generateChat, cache },
					signal,
				);
			askedOfChat.set(key, run);
			return run;
		};
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
						const chosen = await chooseSystem(language, target.language, request);
						const byChat = byChatFrom(language, target.language, chosen);
						const { custom: byCustom, ...done } = await translateText(
							sourceText ?? text,
							language,
							target,
							chosen,
							request,
							byChat && ((given) => byChat(place, given)),
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
			refused: items
				.flatMap(({ translations }) => translations)
				.reduce((sum, { refused }) => sum + refused.length, 0),
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
		...admission,
		newRun,
		translate: (request, signal) => newRun().translate(request, signal),
		translatable,
		systems: async () => ({
			systems: await listSystems(custom, models.installed, deps.generateChat && deps),
			usual: deps.usualSystem?.() ?? 'general',
		}),
		models,
		cache,
		language: tools,
		custom,
	};
}
