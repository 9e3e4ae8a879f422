/** Which system translates a pair of languages for a request: general models, a custom system, a chat model. */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { ChatGuidance } from './chatPrompt.ts';
import { isChatName } from './chatSystems.ts';
import type { ChatModel } from './chatTranslator.ts';
import type { TranslateModels, TranslationPath } from './translateModels.ts';
import type { TranslateRequest } from './translateRequest.ts';
import { type CustomSystem, type CustomSystems, systemPivot } from './translateSystems.ts';

/** What translates from one language to another. */
export interface ChosenSystem {
	readonly system: CustomSystem | undefined;
	/** No models for equal languages, and where a chat model translates. */
	readonly route: TranslationPath;
	readonly chat?: ChatModel;
}

/** Chooses what translates; the same question has the same answer for as long as it is kept. */
export type ChooseSystem = (
	source: string,
	target: string,
	request: TranslateRequest,
) => Promise<ChosenSystem>;

export interface SystemDeps {
	/** The chat model of a name; `undefined` when none is called so. */
	readonly chatModel: (name: string) => Promise<ChatModel | undefined>;
	readonly models: TranslateModels;
	readonly custom: CustomSystems;
	/** System of requests that name none. */
	readonly usualSystem: () => string | undefined;
}

/** Makes choosers, each of which remembers what it chose. */
export function systemChooser({
	chatModel,
	models,
	custom,
	usualSystem,
}: SystemDeps): () => ChooseSystem {
	/** What a category brings: a custom system of that name, else the model of that name. */
	const systemOf = async (
		category: string | undefined,
		source: string,
		target: string,
	): Promise<{ system: CustomSystem | undefined; chat?: ChatModel }> => {
		if (category === undefined || category === 'general') return { system: undefined };
		const own = await custom.find(category, source, target);
		if (own) return { system: own, ...defined({ chat: await ownChat(own, source, target) }) };
		const named = await models.named(category, source, target);
		if (named) return { system: named };
		const chat = await chatModel(category);
		return chat ? { system: { category }, chat } : { system: undefined };
	};

	/** The chat model of a custom system, which knows the pair however the system came by it. */
	const ownChat = async (
		{ model, halves }: CustomSystem,
		source: string,
		target: string,
	): Promise<ChatModel | undefined> => {
		for (const name of [model, halves?.[0].model, halves?.[1].model]) {
			if (name === undefined) continue;
			if (!isChatName(name) && (await models.named(name, source, target))) continue;
			const chat = await chatModel(name);
			if (chat) return chat;
		}
		return undefined;
	};

	const route = async (
		source: string,
		target: string,
		system: CustomSystem | undefined,
	): Promise<TranslationPath> => {
		if (!system?.halves) return step(system, source, target);
		const [first, second] = system.halves;
		const [there, onward] = await Promise.all([
			step(first, source, systemPivot),
			step(second, systemPivot, target),
		]);
		return {
			hops: [...there.hops, ...onward.hops],
			...defined({ preConvert: there.preConvert, postConvert: onward.postConvert }),
		};
	};

	const step = (
		system: CustomSystem | undefined,
		source: string,
		target: string,
	): Promise<TranslationPath> =>
		system?.model === undefined
			? models.route(source, target)
			: models.viaModel(system.model, source, target);

	const choose: ChooseSystem = async (source, target, request) => {
		const category = request.category ?? usualSystem();
		const { system, chat } = await systemOf(category, source, target);
		if (source === target) return { system, route: { hops: [] } };
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
		if (chat) return { system, route: { hops: [] }, chat };
		refuseGuidance(request);
		return { system, route: await route(source, target, system) };
	};

	return () => {
		const chosen = new Map<string, Promise<ChosenSystem>>();
		return (source, target, request) => {
			const { category = 'general', allowFallback, tone, gender } = request;
			const key = JSON.stringify([source, target, category, allowFallback, tone, gender]);
			const system = chosen.get(key) ?? choose(source, target, request);
			chosen.set(key, system);
			return system;
		};
	};
}

/** What only a chat model can do is refused elsewhere, never ignored. */
function refuseGuidance({ tone, gender, examples }: TranslateRequest): void {
	const option =
		tone !== undefined && tone !== 'neutral'
			? (['tone', tone] as const)
			: gender !== undefined && gender !== 'neutral'
				? (['gender', gender] as const)
				: examples?.length
					? (['referenceTextPairs', 'given'] as const)
					: undefined;
	if (option === undefined) return;
	const [name, value] = option;
	throw new AppError(
		'invalid_request',
		`${name} '${value}' takes a chat model as the system: name one, such as 'chat' (nearglot systems list).`,
		{ param: name, data: { translatorCode: 400042 } },
	);
}

/** What a chat model is told of a request: what it says itself, else what its system says. */
export function guidanceOf(
	source: string,
	target: string,
	{ tone, gender, description }: TranslateRequest,
	system: CustomSystem | undefined,
): ChatGuidance {
	return { source, target, ...system?.guidance, ...defined({ tone, gender, description }) };
}
