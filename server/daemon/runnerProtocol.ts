/** Messages between the daemon and a runner, over Node's IPC with structured clone. */

import type {
	EmbedRequest,
	EmbedResult,
	EmbedVoiceRequest,
	EmbedVoiceResult,
	GenerateEvent,
	GenerateRequest,
	GenerateSummary,
	LoadOptions,
	ModelDescription,
	RerankRequest,
	RerankResult,
	SegmentSpeakersRequest,
	SegmentSpeakersResult,
	Seq2SeqRequest,
	Seq2SeqResult,
	SpeechRequest,
	SpeechResult,
	Verdict,
	VoiceRequest,
	VoiceResult,
} from '../engine/api.ts';
import type { EngineStats } from '../engine/stats.ts';
import { isRecord } from '../protocol/errorBody.ts';
import type { ErrorWire } from '../protocol/index.ts';

/** Method → what goes in, what comes back, what is told on the way. */
export interface RunnerCalls {
	load: { request: LoadOptions; result: ModelDescription; event: Verdict };
	generate: { request: GenerateRequest; result: GenerateSummary; event: GenerateEvent };
	seq2seq: { request: Seq2SeqRequest; result: Seq2SeqResult; event: never };
	transcribe: { request: SpeechRequest; result: SpeechResult; event: string };
	voiceActivity: { request: VoiceRequest; result: VoiceResult; event: never };
	segmentSpeakers: {
		request: SegmentSpeakersRequest;
		result: SegmentSpeakersResult;
		event: never;
	};
	embedVoice: { request: EmbedVoiceRequest; result: EmbedVoiceResult; event: never };
	embed: { request: EmbedRequest; result: EmbedResult; event: never };
	rerank: { request: RerankRequest; result: RerankResult; event: never };
	stats: { request: undefined; result: EngineStats; event: never };
	/** Answered by the runner's own loop, which proves that it turns, with the steps made so far. */
	ping: { request: undefined; result: number; event: never };
	close: { request: undefined; result: undefined; event: never };
}

export type RunnerMethod = keyof RunnerCalls;

export type ToRunner =
	| {
			readonly type: 'call';
			readonly id: number;
			readonly method: RunnerMethod;
			readonly request: unknown;
	  }
	| { readonly type: 'cancel'; readonly id: number }
	/** Somebody's request is on its way, perhaps to this model: background work waits for it a little. */
	| { readonly type: 'expect' };

/** Whether a request gives way to people. */
export const hasBatchPriority = (request: unknown): boolean =>
	isRecord(request) && request['priority'] === 'batch';

/** A runner sends lists of these. */
export type FromRunner =
	| { readonly type: 'event'; readonly id: number; readonly event: unknown }
	| { readonly type: 'result'; readonly id: number; readonly value: unknown }
	| {
			readonly type: 'error';
			readonly id: number;
			readonly error: ErrorWire;
			/** Where an unexpected one came from, for the log. */
			readonly stack?: string;
	  };
