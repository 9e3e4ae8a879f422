/** The last requests to chat models with their texts, for the owner: off until somebody switches it on. */

import * as z from 'zod';
import { timingsSchema, usageSchema } from './answers.ts';
import { smallBody } from './bodyLimits.ts';
import { boolean, object } from './fields.ts';
import { jsonBody, route } from './route.ts';

const facts = {
	id: z.string(),
	/** Path that was asked. */
	route: z.string(),
	/** Milliseconds since 1970. */
	startedAt: z.number(),
	model: z.string(),
	state: z.enum(['running', 'done', 'failed']),
	/** Why it ended: a finish reason, or the code of an error. */
	reason: z.string().exactOptional(),
	usage: usageSchema.exactOptional(),
	timings: timingsSchema.exactOptional(),
	/** From the request on. */
	firstTokenMs: z.number().exactOptional(),
	ms: z.number().exactOptional(),
	omittedTurns: z.number(),
};

const recorded = z.object({
	isRecording: z.boolean(),
	requests: z.array(z.object(facts).readonly()).readonly(),
});

export const listRequests = route({
	method: 'GET',
	path: '/nearglot/requests',
	also: ['studio'],
	summary: 'the last 50 requests to chat models since recording was switched on, without texts',
	answer: recorded,
	section: 'server',
});

export const recordRequests = route({
	method: 'POST',
	path: '/nearglot/requests',
	also: ['studio'],
	summary:
		'switches the recording of requests with their texts on or off; they stay in memory, and are forgotten when it is off',
	body: jsonBody(object({ recording: boolean }), smallBody),
	answer: recorded,
	section: 'server',
});

export const readRequest = route({
	method: 'GET',
	path: '/nearglot/requests/:id',
	also: ['studio'],
	summary: 'a recorded request, its rendered prompt and its answer',
	answer: z.object({
		...facts,
		/** As a request to chat completions. */
		request: z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) }),
		answer: z.string(),
		reasoning: z.string(),
		calls: z.array(z.object({ name: z.string(), arguments: z.string() })).readonly(),
		message: z.string().exactOptional(),
		/** As the model got it; absent when the model is gone. */
		prompt: z.string().exactOptional(),
	}),
	errors: ['not_found'],
	section: 'server',
});

export const requestRoutes = [listRequests, recordRequests, readRequest] as const;
