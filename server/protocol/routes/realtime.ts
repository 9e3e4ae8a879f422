/**
 * Live transcription over a WebSocket, in the events of the OpenAI realtime clients: a transcription session of
 * the published interface, and its form before that (`OpenAI-Beta: realtime=v1`).
 */

import * as z from 'zod';
import { Refused } from './check.ts';
import { array, integer, number, object, oneOf, optional, ruled, string } from './fields.ts';
import { route } from './route.ts';

/** A field that may be absent, and turns something off when it is `null`. */
const clearable = <S extends z.ZodType>(inner: S) =>
	z.optional(z.nullable(inner)).transform((value) => value);

const turnDetection = object({
	/** Silence ends what is said; `null` in the place of all this: the client commits. */
	type: oneOf('server_vad'),
	/** Probability from which a moment counts as speech. */
	threshold: optional(number({ min: 0, max: 1 })),
	/** Sound before the first speech that belongs to it. */
	prefix_padding_ms: optional(integer({ min: 0, max: 5000 })),
	/** Silence after which somebody has finished. */
	silence_duration_ms: optional(integer({ min: 100, max: 30_000 })),
});

const transcription = object({
	model: optional(string({ minLength: 1, maxLength: 256 })),
	/** ISO 639-1 code or English name; empty: detected. */
	language: optional(string({ maxLength: 64 })),
	/** Names and spellings that occur. */
	prompt: optional(string({ maxLength: 8192 })),
});

const formatNames = ['audio/pcm', 'audio/pcmu', 'audio/pcma'] as const;
const format = object({
	type: oneOf(...formatNames),
	/** Samples per second of `audio/pcm`; G.711 has 8000. */
	rate: optional(integer({ min: 8000, max: 96_000 })),
});

const include = optional(array(oneOf('item.input_audio_transcription.logprobs'), { max: 8 }));

const onlyTranscription = ruled({ type: 'string', enum: ['transcription'] }, (value) => {
	if (value === 'transcription') return value;
	throw new Refused(
		'',
		(name) =>
			`${name} must be 'transcription': this server transcribes what is said and does not answer in speech.`,
	);
});

/** `session` of `session.update`. */
export const realtimeSessionFields = object({
	type: onlyTranscription,
	audio: optional(
		object({
			input: optional(
				object({
					format: optional(format),
					transcription: optional(transcription),
					turn_detection: clearable(turnDetection),
				}),
			),
		}),
	),
	include,
});

const betaFormats = ['pcm16', 'g711_ulaw', 'g711_alaw'] as const;

/** `session` of `transcription_session.update`. */
export const betaSessionFields = object({
	input_audio_format: optional(oneOf(...betaFormats)),
	input_audio_transcription: optional(transcription),
	turn_detection: clearable(turnDetection),
	include,
});

const eventId = optional(string({ maxLength: 512 }));

/** Events of the client, by their type. */
export const realtimeClientEvents = {
	'session.update': object({ event_id: eventId, session: realtimeSessionFields }),
	'transcription_session.update': object({ event_id: eventId, session: betaSessionFields }),
	/** Base64 in the format of the session, at most 15 MiB of sound. */
	'input_audio_buffer.append': object({ event_id: eventId, audio: string() }),
	'input_audio_buffer.commit': object({ event_id: eventId }),
	'input_audio_buffer.clear': object({ event_id: eventId }),
};

export type RealtimeClientEventType = keyof typeof realtimeClientEvents;

const server = <const T extends string, const F extends z.ZodRawShape>(type: T, fields: F) =>
	z.object({ type: z.literal(type), event_id: z.string(), ...fields });

const wireError = z.object({
	type: z.string(),
	code: z.string(),
	message: z.string(),
	param: z.string().nullable(),
});
const item = z.object({
	id: z.string(),
	object: z.literal('realtime.item'),
	type: z.literal('message'),
	status: z.literal('completed'),
	role: z.literal('user'),
	content: z.array(z.object({ type: z.literal('input_audio'), transcript: z.null() })),
});
const itemPlace = { item_id: z.string(), content_index: z.literal(0) };
const follows = { previous_item_id: z.string().nullable() };
const logprobs = z
	.array(z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.number()) }))
	.exactOptional();
/** As it is in force, whole; fields that mean nothing here are named in `ignored_parameters`. */
const session = {
	session: z.looseObject({ id: z.string(), object: z.literal('realtime.transcription_session') }),
	ignored_parameters: z.array(z.string()).exactOptional(),
};

/** Events of the server. */
export const realtimeServerEvents = z.union([
	server('session.created', session),
	server('session.updated', session),
	server('transcription_session.created', session),
	server('transcription_session.updated', session),
	server('input_audio_buffer.speech_started', { item_id: z.string(), audio_start_ms: z.number() }),
	server('input_audio_buffer.speech_stopped', { item_id: z.string(), audio_end_ms: z.number() }),
	server('input_audio_buffer.committed', { item_id: z.string(), ...follows }),
	server('input_audio_buffer.cleared', {}),
	server('conversation.item.added', { item, ...follows }),
	server('conversation.item.done', { item, ...follows }),
	server('conversation.item.created', { item, ...follows }),
	server('conversation.item.input_audio_transcription.delta', {
		...itemPlace,
		delta: z.string(),
		logprobs,
	}),
	server('conversation.item.input_audio_transcription.completed', {
		...itemPlace,
		transcript: z.string(),
		logprobs,
		usage: z.object({ type: z.literal('duration'), seconds: z.number() }),
	}),
	server('conversation.item.input_audio_transcription.failed', { ...itemPlace, error: wireError }),
	server('error', { error: wireError.extend({ event_id: z.string().nullable() }) }),
]);

/** An event of the server before it has its id. */
export type RealtimeServerEvent =
	z.output<typeof realtimeServerEvents> extends infer E
		? E extends { readonly event_id: string }
			? Omit<E, 'event_id'>
			: never
		: never;

const modelName = optional(string({ maxLength: 256 }));

export const realtime = route({
	method: 'GET',
	path: '/v1/realtime',
	who: 'member',
	scope: 'speech',
	also: ['studio'],
	summary:
		'WebSocket: live transcription in the events of the OpenAI realtime clients; browsers may show the key as the subprotocol `openai-insecure-api-key.KEY`',
	query: object({
		/** Whatever is asked for, sessions transcribe. */
		intent: optional(oneOf('transcription')),
		model: modelName,
		/** The model, as Azure’s clients call it. */
		deployment: modelName,
	}),
	socket: {
		takes: z.union(
			Object.entries(realtimeClientEvents).map(([type, schema]) =>
				z.intersection(z.object({ type: z.literal(type) }), schema),
			),
		),
		sends: realtimeServerEvents,
	},
	errors: ['model_not_found', 'overloaded'],
	section: 'speech',
});

export const realtimeRoutes = [realtime] as const;
