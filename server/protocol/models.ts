/** Models: what they are, where they are and what state they are in. */

/** What a model is for; decides which routes accept it. */
export type ModelTask =
	| 'chat-completion'
	| 'text-generation'
	| 'translation'
	| 'automatic-speech-recognition'
	| 'embeddings'
	| 'voice-activity-detection';

/** How the files of a model are laid out on disk and on the hub. */
export type ModelLayout = 'transformers.js' | 'genai';

export type ExecutionProvider = 'cpu' | 'cuda' | 'dml' | 'webgpu' | 'coreml' | 'qnn';

export type ModelState = 'not-downloaded' | 'downloading' | 'cached' | 'loading' | 'loaded';

export type Precision = 'fp32' | 'fp16' | 'q8' | 'q4' | 'q4f16' | 'bnb4' | 'uint8' | 'int8';

/** What the engine remarks about a model that it has loaded. */
export interface ModelNotice {
	/**
	 * `fallback`: the engine's fast runtime does not work here, which is a fault of the installation, and the
	 * same for every model. `note`: why something slower than possible is used for this model.
	 */
	readonly kind: 'fallback' | 'note';
	/** Full sentences in English: what it means and, for a fault, what to do. */
	readonly message: string;
	/** What the fault is, as a clause. */
	readonly reason?: string;
}

/**
 * How a chat is written for a model: one text per role, in which `{Content}` stands for the message. `prompt`
 * is the last question up to where the answer begins.
 */
export type PromptTemplate = Readonly<Partial<Record<PromptRole, string>>>;

export const promptRoles = ['system', 'user', 'assistant', 'prompt'] as const;

export type PromptRole = (typeof promptRoles)[number];

/** Where a downloaded model came from. */
export interface ModelSource {
	/** Base address of the hub. */
	readonly hub: string;
	/** `organisation/name`. */
	readonly repository: string;
	/** Branch, tag or commit that was asked for; absent: the main branch. */
	readonly revision?: string;
	/** Folder inside the repository; `''` for its root, absent when it was not noted. */
	readonly path?: string;
	readonly precision?: Precision;
}

/** One row of the list of models, for people and for clients. */
export interface ModelInfo {
	/** `name:version`, unique. */
	readonly id: string;
	readonly name: string;
	readonly version: string;
	readonly alias: string;
	readonly displayName: string;
	readonly task: ModelTask;
	readonly state: ModelState;
	readonly origin: 'built-in' | 'catalogue' | 'local' | 'team' | 'upstream';
	readonly publisher: string;
	readonly license: string;
	/** Where it was downloaded from. */
	readonly source?: ModelSource;
	/** Kind of its source, as the one who asked for the download named it. */
	readonly providerType?: string;
	/** Template that came with the request of its download. */
	readonly promptTemplate?: PromptTemplate;
	/** Hub id of the model it was made from. */
	readonly parentModelUri?: string;
	/** Folder of the files, when they are on this machine. */
	readonly folder?: string;
	/** `undefined` while unknown: never invented. */
	readonly sizeBytes?: number;
	/** Longest prompt plus answer in tokens. */
	readonly contextLength?: number;
	readonly maxOutputTokens?: number;
	/** Earlier turns of a conversation that are read; absent: all that fit. */
	readonly maxHistoryTurns?: number;
	readonly supportsToolCalling: boolean;
	/** Resident memory of the runner while loaded. */
	readonly memoryBytes?: number;
	/** What the engine remarks about it, while loaded. */
	readonly notices?: readonly ModelNotice[];
	readonly pinned?: boolean;
	/** Languages, for translation and speech (BCP 47). */
	readonly languages?: readonly string[];
}

/** Progress of a download, in bytes over all files of the model. */
export interface DownloadProgress {
	readonly model: string;
	readonly file: string;
	/** 0…1 of the file. */
	readonly fileFraction: number;
	readonly doneBytes: number;
	readonly totalBytes: number;
	readonly bytesPerSecond: number;
}

/** The fault of this installation that the engine remarked, if it did: the same for every model in memory. */
export function fallbackOf(models: readonly ModelInfo[]): ModelNotice | undefined {
	return models.flatMap(({ notices = [] }) => notices).find(({ kind }) => kind === 'fallback');
}

/** States in which a model can answer without a download. */
const ranks: Partial<Record<ModelState, number>> = { cached: 1, loading: 2, loaded: 3 };

/**
 * The chat models that can answer now, best first: those of this computer before a team's, loaded
 * before others, then pinned ones, then downloaded ones before the built-in one.
 */
export function readyChatModels(models: readonly ModelInfo[]): ModelInfo[] {
	const rank = ({ state, pinned, origin }: ModelInfo) =>
		(origin === 'team' ? 0 : 16) +
		(ranks[state] ?? 0) * 4 +
		(pinned ? 2 : 0) +
		(origin === 'built-in' ? 0 : 1);
	return models
		.filter(({ task, state }) => task === 'chat-completion' && ranks[state] !== undefined)
		.sort((a, b) => rank(b) - rank(a));
}
