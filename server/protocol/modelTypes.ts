/** Models: what they are, where they are and what state they are in. */

import type { ModelInfo, ModelNotice, ModelState } from './routes/answers.ts';

export type {
	BuiltLoss,
	DownloadProgress,
	ExecutionProvider,
	ModelInfo,
	ModelNotice,
	ModelSource,
	ModelState,
	ModelTask,
	Precision,
} from './routes/answers.ts';

/** How the files of a model are laid out on disk and on the hub. */
export type ModelLayout = 'transformers.js' | 'genai';

/**
 * How a chat is written for a model: one text per role, in which `{Content}` stands for the message. `prompt`
 * is the last question up to where the answer begins.
 */
export type PromptTemplate = Readonly<Partial<Record<PromptRole, string>>>;

export const promptRoles = ['system', 'user', 'assistant', 'prompt'] as const;

export type PromptRole = (typeof promptRoles)[number];

/** The fault of this installation that the engine remarked, if it did: the same for every model in memory. */
export function fallbackOf(models: readonly ModelInfo[]): ModelNotice | undefined {
	return models.flatMap(({ notices = [] }) => notices).find(({ kind }) => kind === 'fallback');
}

/** States in which a model can answer without a download. */
const ranks: Partial<Record<ModelState, number>> = { cached: 1, loading: 2, loaded: 3 };

/**
 * The chat models that can answer now, best first: those of this computer before a team's; the built-in one
 * last among them, even when it is loaded, as it must not stand in the way of what a person downloaded; then
 * loaded before others, and pinned ones first.
 */
export function readyChatModels(models: readonly ModelInfo[]): ModelInfo[] {
	const rank = ({ state, pinned, origin }: ModelInfo) =>
		(origin === 'team' ? 0 : 32) +
		(origin === 'built-in' ? 0 : 16) +
		(ranks[state] ?? 0) * 4 +
		(pinned ? 2 : 0);
	return models
		.filter(({ task, state }) => task === 'chat-completion' && ranks[state] !== undefined)
		.sort((a, b) => rank(b) - rank(a));
}

/**
 * The chat models that a person may choose: those that can answer now, best first, then those of engines on other
 * machines, which nothing chooses but a person.
 */
export const choosableChatModels = (models: readonly ModelInfo[]): ModelInfo[] => [
	...readyChatModels(models),
	...models.filter(({ task, state }) => task === 'chat-completion' && state === 'remote'),
];

/** The model that answers where none was chosen: never one of an engine on another machine. */
export const usualChatModel = <M extends Pick<ModelInfo, 'origin'>>(
	models: readonly M[],
): M | undefined => models.find(({ origin }) => origin !== 'upstream');
