/** Recording a microphone into text; what its events mean says protocol/recorder.ts. */

import * as z from 'zod';
import { smallBody } from './bodyLimits.ts';
import { boolean, integer, object, oneOf, optional, string } from './fields.ts';
import { numeric } from './numeric.ts';
import { jsonBody, type Route, route } from './route.ts';
import { recorderEventSchema } from './transcripts.ts';

/** A ticket, or the token of one page, stands for the key. */
const ticket = {
	also: ['local', 'stranger'],
	section: 'recorder',
} as const satisfies Partial<Route>;

const received = z.object({
	/** Samples that have come. */
	received: z.number(),
});

export const openRecorder = route({
	method: 'POST',
	path: '/nearglot/recorder',
	summary:
		'opens a recording; server-sent events until the text is complete. Closing the request ends the recording and frees the model',
	body: jsonBody(
		object({
			model: optional(string({ maxLength: 256 })),
			language: optional(string({ maxLength: 64 })),
			prompt: optional(string({ maxLength: 8192 })),
			translate: optional(boolean),
			words: optional(boolean),
		}),
		smallBody,
	),
	events: recorderEventSchema,
	errors: ['model_not_found'],
	section: 'recorder',
});

export const recorderPage = route({
	...ticket,
	method: 'GET',
	path: '/recorder',
	linked: true,
	summary: 'the page; its link carries a ticket that opens one page, once, within ten minutes',
	answers: ['text/html'],
});

export const claimRecorder = route({
	...ticket,
	method: 'POST',
	path: '/recorder/claim',
	summary: 'ticket to token, once',
	body: jsonBody(object({ ticket: string({ minLength: 1, maxLength: 200 }) }), smallBody),
	answer: z.object({ id: z.string(), token: z.string(), language: z.string().exactOptional() }),
});

export const sendSamples = route({
	...ticket,
	method: 'POST',
	path: '/recorder/audio',
	summary:
		'signed 16-bit little-endian mono samples, at most 4 MB; `from` is the number of samples sent before, so a repeated piece counts once',
	query: object({
		rate: numeric(integer({ min: 1000, max: 768_000 })),
		from: numeric(integer({ min: 0 })),
	}),
	body: { kind: 'bytes', schema: { type: 'string', format: 'binary' } },
	answer: received,
	errors: ['invalid_audio'],
});

const commands = ['ready', 'recording', 'paused', 'stopped', 'cancelled'] as const;

export const setRecorderState = route({
	...ticket,
	method: 'POST',
	path: '/recorder/state',
	summary:
		'`ready`, `recording`, `paused`, `stopped` (transcribe the rest) or `cancelled`, with a reason',
	body: jsonBody(
		object({ state: oneOf(...commands), reason: optional(string({ maxLength: 500 })) }),
		smallBody,
	),
	answer: received,
});

export const recorderEvents = route({
	...ticket,
	method: 'GET',
	path: '/recorder/events',
	summary: 'what `POST /nearglot/recorder` gets too, for the page',
	events: recorderEventSchema,
});

export const recorderRoutes = [
	openRecorder,
	recorderPage,
	claimRecorder,
	sendSamples,
	setRecorderState,
	recorderEvents,
] as const;
