/** Transcripts, and the events that bring them. */

import * as z from 'zod';

const wordSchema = z.object({
	word: z.string(),
	/** Seconds from the start of the recording. */
	start: z.number(),
	end: z.number(),
	/** How sure the model is of it, 0…1: the mean of its tokens. Absent where an engine elsewhere does not say it. */
	probability: z.number().exactOptional(),
	/** As of segments. */
	speaker: z.string().exactOptional(),
});

const segmentSchema = z.object({
	id: z.number(),
	/** Offset of the window that produced the segment, in 10 ms frames. */
	seek: z.number(),
	/** Seconds from the start of the recording. */
	start: z.number(),
	end: z.number(),
	text: z.string(),
	tokens: z.array(z.number()).readonly(),
	temperature: z.number(),
	/** Mean natural-log probability of the segment's tokens. */
	avg_logprob: z.number(),
	/** zlib ratio of the text; above 2.4 it is probably a repetition loop. */
	compression_ratio: z.number(),
	no_speech_prob: z.number(),
	/** `A`, `B`, … in the order in which they begin to speak; where that was asked for and somebody was found. */
	speaker: z.string().exactOptional(),
});

/** One token of the text, in order. */
const transcriptLogprobSchema = z.object({
	token: z.string(),
	/** Natural logarithm. */
	logprob: z.number(),
	bytes: z.array(z.number()).readonly(),
});

/** How far a transcription is, in seconds of the recording. */
const transcriptProgressSchema = z.object({
	done: z.number(),
	/** Absent while only decoding tells. */
	total: z.number().exactOptional(),
});

const transcriptSchema = z.object({
	task: z.enum(['transcribe', 'translate']),
	/** English name of the language, as the interface has it. */
	language: z.string(),
	/** ISO 639-1 code. */
	language_code: z.string(),
	/** Seconds. */
	duration: z.number(),
	text: z.string(),
	segments: z.array(segmentSchema).readonly(),
	words: z.array(wordSchema).readonly().exactOptional(),
	logprobs: z.array(transcriptLogprobSchema).readonly().exactOptional(),
});

/** Events of `stream=true`; what the last one has beside the text, `response_format` decides. */
export const transcriptEvents = z.union([
	z.looseObject({ type: z.literal('transcript.text.delta'), delta: z.string() }),
	z.object({
		type: z.literal('transcript.text.segment'),
		...segmentSchema.shape,
		id: z.string(),
	}),
	z.object({ type: z.literal('transcript.progress'), ...transcriptProgressSchema.shape }),
	z.looseObject({ type: z.literal('transcript.text.done'), text: z.string() }),
]);

/** `data:` of the events of a microphone, in order; then `[DONE]`. */
export const recorderEventSchema = z.union([
	/** The first event. */
	z.object({
		type: z.literal('recorder.session'),
		id: z.string(),
		/** Opens the page, once: a second page with this link is refused. */
		url: z.string(),
		/** `X-Recorder-Token` for a program that brings the sound itself; opens no other route. */
		token: z.string(),
	}),
	z.object({
		type: z.literal('recorder.state'),
		state: z.enum(['waiting', 'ready', 'recording', 'paused', 'stopped']),
	}),
	/** A few times per second while sound comes. */
	z.object({
		type: z.literal('recorder.level'),
		/** Seconds recorded. */
		seconds: z.number(),
		/** Loudest sample of the last moment, 0…1. */
		level: z.number(),
	}),
	z.object({ type: z.literal('transcript.text.delta'), delta: z.string() }),
	z.object({ type: z.literal('transcript.text.segment'), ...segmentSchema.shape }),
	z.object({
		type: z.literal('transcript.text.done'),
		...transcriptSchema.omit({ task: true, logprobs: true }).shape,
	}),
]);

export type TranscriptWord = Readonly<z.output<typeof wordSchema>>;
export type TranscriptSegment = Readonly<z.output<typeof segmentSchema>>;
export type Transcript = Readonly<z.output<typeof transcriptSchema>>;
export type TranscriptLogprob = Readonly<z.output<typeof transcriptLogprobSchema>>;
export type TranscriptProgress = Readonly<z.output<typeof transcriptProgressSchema>>;
