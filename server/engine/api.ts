/** What an engine can be asked. All of it survives structured clone: the daemon has a proxy of the runner's. */

import type {
	BuiltLoss,
	ExecutionProvider,
	JsonSchema,
	ModelLayout,
	ModelTask,
	Precision,
	SimpleToolChoice,
	Timings,
	ToolDefinition,
} from '../protocol/index.ts';
import type {
	EmbedRequest,
	EmbedResult,
	PairPiece,
	RerankRequest,
	RerankResult,
} from './encoderCalls.ts';
import type { GeneratePrompt } from './prompt.ts';
import type {
	EmbedVoiceRequest,
	EmbedVoiceResult,
	SegmentSpeakersRequest,
	SegmentSpeakersResult,
	SpeechRequest,
	SpeechResult,
	VoiceRequest,
	VoiceResult,
} from './speechApi.ts';
import type { EngineStats } from './stats.ts';

export type * from './encoderCalls.ts';
export type { GeneratePrompt, PromptImage, PromptMessage } from './prompt.ts';
export type * from './speechApi.ts';

/** Everything known of a model folder by reading files only (no ONNX Runtime). */
export interface ModelDescription {
	readonly folder: string;
	readonly layout: ModelLayout;
	/** Value of `model_type`, e.g. `qwen2`, `marian`, `whisper`. */
	readonly family: string;
	readonly architecture: 'decoder' | 'encoder-decoder' | 'encoder' | 'audio';
	readonly task: ModelTask;
	/** The graph files of each precision that is present. */
	readonly variants: readonly ModelVariant[];
	/** Tokens; prompt plus answer for decoders, source length for encoder-decoders. */
	readonly contextLength: number;
	readonly vocabularySize: number;
	readonly layers: number;
	readonly kvHeads: number;
	readonly headSize: number;
	readonly eosTokenIds: readonly number[];
	/** Speech models: whether a chunk is conditioned on the text before it, if the publisher says so. */
	readonly conditionOnPrevious?: boolean;
	/** Chat models: earlier turns of a conversation the model reads, where the publisher says so. */
	readonly maxHistoryTurns?: number;
	/** Execution provider that the folder's own files name. */
	readonly executionProvider?: ExecutionProvider;
	readonly hasChatTemplate: boolean;
	readonly supportsTools: boolean;
	/** Chat models: it reads images. */
	readonly seesImages?: boolean;
	readonly loss?: BuiltLoss;
	/** Bytes of weights plus caches at the default context, for the CPU. */
	readonly memoryEstimateBytes: number;
	/** What is missing or cannot run here, each a full sentence; empty when the model is fine. */
	readonly problems: readonly string[];
	/** Remarks that do not prevent running (for example: batch size 1 because of dynamic int8). */
	readonly notes: readonly string[];
}

/** One precision of a model: role → path relative to the folder. */
export interface ModelVariant {
	readonly precision: Precision;
	readonly files: Readonly<Partial<Record<GraphRole, string>>>;
	/** Graph and external data together. */
	readonly sizeBytes: number;
	/** Set for files beside the plain ones, e.g. `attn` for a decoder that also gives cross-attention. */
	readonly label?: string;
}

/** `decoder-merged`: runs the first token and all others; the other two share that work. */
export type GraphRole =
	| 'vision-encoder'
	| 'embed-tokens'
	| 'model'
	| 'encoder'
	| 'decoder'
	| 'decoder-merged'
	| 'decoder-with-past';

export interface LoadOptions {
	readonly folder: string;
	readonly precision?: Precision;
	/** Label of a variant beside the plain ones; see {@link ModelVariant.label}. */
	readonly label?: string;
	readonly executionProvider?: ExecutionProvider;
	readonly deviceId?: number;
	/** Intra-op threads; default: physical cores. */
	readonly threads?: number;
	/** Upper limit of the context in tokens; default: the model's own. */
	readonly contextLength?: number;
	/** Bytes the KV caches may take together. */
	readonly cacheBytes?: number;
	/** Maximum requests waiting; more are refused with `overloaded`. */
	readonly maxWaiting?: number;
	/** Jinja chat template for a model that has none. */
	readonly chatTemplate?: string;
	/** Name of the model in messages; default: that of its folder. */
	readonly modelName?: string;
	/** Longest time one request may take in the template, the tokenizer or the grammar. */
	readonly textDeadlineMs?: number;
	/** Folder of a draft model for speculation. */
	readonly draftFolder?: string;
	/** Guess ahead from the text so far (default: where the graph allows it). */
	readonly speculation?: boolean;
	/** Keep caches of finished requests for the next ones (default: where the graph allows it). */
	readonly prefixCache?: boolean;
	/** Translate with the words a table beside the model allows (default: where there is one). */
	readonly vocabularyShortlist?: boolean;
	/** Forces the `session.run` path. */
	readonly plainRuntime?: boolean;
	/** Activations beside 4-bit weights in single precision, on the CPU: exact but for rounding, and slower. */
	readonly exact?: boolean;
	/** What earlier loads of this folder have found. */
	readonly verdicts?: readonly Verdict[];
}

/** A change of a graph that is not used. */
export interface Refusal {
	/** Its name for people. */
	readonly change: string;
	readonly reason: string;
}

/** What comparing a rewritten graph with the published one has found. */
export interface Verdict {
	/** The graphs, the change and what runs them, for people; a later verdict takes the place of this one. */
	readonly of: string;
	/** Changes with the graphs, their weights and the runtime: only while it is the same is this valid. */
	readonly key: string;
	/** Absent: they say the same. */
	readonly refusal?: Refusal;
}

export interface SamplingOptions {
	/** 0 = greedy. */
	readonly temperature: number;
	readonly topP: number;
	/** 0 = off. */
	readonly topK: number;
	readonly minP: number;
	readonly presencePenalty: number;
	readonly frequencyPenalty: number;
	/** 1 = off. */
	readonly repetitionPenalty: number;
	/** Token id → added to the logit; −100 bans, +100 forces. */
	readonly logitBias: Readonly<Record<number, number>>;
	/** Unsigned 32-bit. */
	readonly seed: number;
	/** Equal seed and request: equal text, whatever else is computed or kept. Costs some speed. */
	readonly reproducible?: boolean;
}

/** What the answer must look like; compiled to a grammar in the runner. */
export type Constraint =
	| { readonly kind: 'json-object' }
	| { readonly kind: 'json-schema'; readonly schema: JsonSchema }
	| { readonly kind: 'ebnf'; readonly grammar: string }
	/** Forces or allows tool calls in the model's own format. */
	| {
			readonly kind: 'tools';
			readonly tools: readonly ToolDefinition[];
			readonly choice: SimpleToolChoice;
			readonly parallel: boolean;
			/** Arguments that the call is to have. */
			readonly bound?: Readonly<Record<string, unknown>>;
	  };

/**
 * Whose a request is. What the engine keeps of it (prompts, grammars) serves requests of the same owner alone,
 * so counts and times tell nothing of others. Required, so that no way to the engine forgets it.
 */
export interface Owned {
	/** Opaque id; `undefined` = nobody who could be told apart: nothing is kept and nothing kept is used. */
	readonly owner: string | undefined;
}

/** How urgent it is: `batch` gives way to people who wait. */
export interface Prioritized {
	readonly priority?: 'interactive' | 'batch';
}

export interface GenerateRequest extends Owned {
	readonly prompt: GeneratePrompt;
	readonly sampling: SamplingOptions;
	/** Upper limit of generated tokens per choice; default: what the context leaves. */
	readonly maxTokens?: number;
	readonly stop: readonly string[];
	/** Number of choices; they share the prompt. */
	readonly n: number;
	readonly constraint?: Constraint;
	/** Alternatives per position to report; `undefined` = no log-probabilities. */
	readonly topLogprobs?: number;
	/** Also report the prompt's own log-probabilities (completions with `echo`). */
	readonly echoLogprobs?: boolean;
	/** Notify first how the prompt ends: the template may have begun the answer. */
	readonly notifyPromptEnd?: boolean;
	readonly priority: 'interactive' | 'batch';
}

export interface TokenLogprob {
	readonly token: string;
	readonly tokenId: number;
	readonly bytes: readonly number[];
	/** Natural logarithm. */
	readonly logprob: number;
	readonly top: readonly {
		readonly token: string;
		readonly tokenId: number;
		readonly bytes: readonly number[];
		readonly logprob: number;
	}[];
}

export type GenerateEvent =
	/** Text of the prompt's last tokens. */
	| { readonly type: 'promptEnd'; readonly text: string }
	| { readonly type: 'queued'; readonly queuePosition: number }
	| { readonly type: 'prompt'; readonly done: number; readonly total: number }
	| {
			readonly type: 'text';
			readonly choice: number;
			/** Complete UTF-8 text since the last event; never part of a stop string. */
			readonly text: string;
			readonly tokenIds: readonly number[];
			readonly logprobs?: readonly TokenLogprob[];
	  }
	| {
			readonly type: 'finish';
			readonly choice: number;
			readonly reason: 'stop' | 'length';
			/** The stop string or end token that ended it. */
			readonly stoppedBy?: string;
	  };

export interface GenerateResult {
	readonly promptTokens: number;
	readonly cachedTokens: number;
	/** Of all choices together. */
	readonly completionTokens: number;
	readonly choices: readonly {
		readonly text: string;
		readonly tokenIds: readonly number[];
		readonly reason: 'stop' | 'length';
		readonly logprobs?: readonly TokenLogprob[];
	}[];
	/** Of every prompt token but the first, when `echoLogprobs` was asked for. */
	readonly promptLogprobs?: readonly TokenLogprob[];
	readonly timings: Timings;
}

export type GenerateSummary = Omit<GenerateResult, 'choices'>;

/** One sentence (or segment) for an encoder-decoder. */
export interface Seq2SeqItem {
	readonly text: string;
	/** Whose text it is; equal texts of different owners are computed apart. */
	readonly owner?: string | undefined;
	/** The model's own code of the source and target language, where it needs one. */
	readonly sourceLanguage?: string;
	readonly targetLanguage?: string;
	/** As that of the request, which it takes the place of. */
	readonly maxTokens?: number;
}

export interface Seq2SeqRequest {
	readonly items: readonly Seq2SeqItem[];
	/** 1 = greedy; default: the model's generation config. */
	readonly beams?: number;
	readonly maxTokens?: number;
	readonly lengthPenalty?: number;
	/** End when enough hypotheses are finished (true) or when none can improve (false). */
	readonly earlyStopping?: boolean;
	readonly noRepeatNgram?: number;
	/** Also give word alignment from cross-attention. */
	readonly alignment?: boolean;
	readonly alternatives?: number;
	readonly priority: 'interactive' | 'batch';
	/** It was let in before it came here: it waits for its turn, but is never refused. */
	readonly isAdmitted?: boolean;
}

export interface Seq2SeqOutput {
	readonly text: string;
	readonly tokenIds: readonly number[];
	/** Mean natural-log probability per token. */
	readonly score: number;
	readonly reason: 'stop' | 'length';
	/** Source pieces with UTF-16 offsets `[start, end)` into the item's text. */
	readonly sourceSpans?: readonly (readonly [number, number])[];
	/** Target pieces with UTF-16 offsets `[start, end)` into `text`. */
	readonly targetSpans?: readonly (readonly [number, number])[];
	/** Attention [target piece][source piece], rows sum to 1; row-major Float32. */
	readonly attention?: Float32Array;
	readonly alternatives?: readonly { readonly text: string; readonly score: number }[];
}

export interface Seq2SeqResult {
	readonly outputs: readonly Seq2SeqOutput[];
}

/**
 * A loaded model. One request is one call; the engine batches calls that arrive together. Aborting the signal ends
 * the call within one step with `cancelled`. What the model's task does not support rejects with `unsupported_model`.
 */
export interface EngineModel {
	readonly description: ModelDescription;
	generate(
		request: GenerateRequest,
		onEvent: (event: GenerateEvent) => void,
		signal?: AbortSignal,
	): Promise<GenerateResult>;
	seq2seq(request: Seq2SeqRequest, signal?: AbortSignal): Promise<Seq2SeqResult>;
	/**
	 * Transcribes one window. Calls in flight together share decoder runs: a caller with several windows
	 * that do not wait for each other's text (segments of a file without conditioning, several files)
	 * issues them at once, as `batch`; they are taken in waves of as many as memory allows, the wave
	 * is decoded in lockstep, and each result is the one a call alone gives. `interactive` calls start at
	 * once. Aborting one call leaves the others alone. Dynamic int8 models whose graphs cannot be
	 * quantized per token take one call at a time.
	 */
	transcribe(
		request: SpeechRequest,
		onText: (text: string) => void,
		signal?: AbortSignal,
	): Promise<SpeechResult>;
	/** Rejects with `not_supported` when no detector model lies beside the speech model. */
	voiceActivity?(request: VoiceRequest, signal?: AbortSignal): Promise<VoiceResult>;
	/** Who of up to three speaks when in ten seconds; models for that only. */
	segmentSpeakers?(
		request: SegmentSpeakersRequest,
		signal?: AbortSignal,
	): Promise<SegmentSpeakersResult>;
	/** The vector of a voice; models for that only. */
	embedVoice?(request: EmbedVoiceRequest, signal?: AbortSignal): Promise<EmbedVoiceResult>;
	embed(request: EmbedRequest, signal?: AbortSignal): Promise<EmbedResult>;
	/** Judges how well documents answer a query; documents are computed together. */
	rerank(request: RerankRequest, signal?: AbortSignal): Promise<RerankResult>;
	/** Somebody's request is on its way: until that is disposed, background work makes room for it. */
	expect?(): Disposable;
	stats(): Promise<EngineStats>;
	close(): Promise<void>;
}

/** The text side of a model: needs no ONNX Runtime, so the daemon counts tokens without a load. */
export interface TextModel {
	encode(text: string, options?: { readonly addSpecial?: boolean }): number[];
	/** As {@link encode}, with the UTF-16 `[start, end)` of every token in the text. */
	encodeWithOffsets(text: string): { ids: number[]; offsets: [number, number][] };
	decode(ids: readonly number[], options?: { readonly skipSpecial?: boolean }): string;
	/** Raw bytes of one token, for streaming and log-probabilities. */
	tokenBytes(id: number): Uint8Array;
	tokenToId(token: string): number | undefined;
	readonly specialIds: ReadonlySet<number>;
	readonly vocabularySize: number;
	/** How two texts are read together, in their order; empty where the tokenizer does not say. */
	readonly pairTemplate: readonly PairPiece[];
	/** Encoding takes time in proportion to the text, whoever made the files: see {@link TextReader}. */
	readonly isBounded: boolean;
	/** Renders the chat template; rejects with `invalid_request` what the template refuses. */
	renderChat(
		prompt: Extract<GeneratePrompt, { kind: 'chat' }>,
		addGenerationPrompt?: boolean,
	): string;
	/** Token ids of any prompt, exactly as generation will feed them. */
	promptTokens(prompt: GeneratePrompt): number[];
}
