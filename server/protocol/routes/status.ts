/** What the server says of itself, and ending it. */

import * as z from 'zod';
import { object, oneOf, optional, string } from './fields.ts';
import { type Route, route } from './route.ts';

/** Holds nothing, and says nothing of the machine. */
const page = { method: 'GET', who: 'anyone', also: ['stranger'] } as const satisfies Partial<Route>;

export const health = route({
	...page,
	path: '/health',
	summary: 'whether it lives',
	answer: z.object({
		status: z.literal('ok'),
		/** The rest is told to the owner. */
		pid: z.number().exactOptional(),
		version: z.string().exactOptional(),
		idle: z.boolean().exactOptional(),
		persistent: z.boolean().exactOptional(),
		/** It has been told to end: another one is to be started. */
		ending: z.boolean().exactOptional(),
		/** Its program was replaced or removed since it started. */
		replaced: z.boolean().exactOptional(),
	}),
	section: 'server',
});

export const proof = route({
	...page,
	path: '/nearglot/proof',
	summary:
		'proves that this is the server of `endpoint.json`: HMAC-SHA-256 of `server`, a line end and the challenge by `secret`, in base64url',
	query: object({ challenge: string({ minLength: 1, maxLength: 128 }) }),
	answer: z.object({ proof: z.string() }),
	section: 'server',
});

export const ready = route({
	...page,
	path: '/ready',
	summary: 'whether requests should be sent here: 503 from the moment it is told to end',
	answer: z.object({ status: z.enum(['ready', 'ending']) }),
	section: 'server',
});

export const openApiRoute = route({
	method: 'GET',
	path: '/openapi.json',
	who: 'anyone',
	summary: 'this interface, readable by machines',
	answer: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
	section: 'server',
});

export const serviceStatus = route({
	method: 'GET',
	path: '/openai/status',
	also: ['local'],
	summary: 'addresses, model folder, named pipe, in both casings',
	answer: z.object({
		Endpoints: z.array(z.string()),
		ModelDirPath: z.string(),
		PipeName: z.string(),
		endpoints: z.array(z.string()),
		modelDirPath: z.string(),
		pipeName: z.string(),
		version: z.string(),
		pid: z.number(),
	}),
	section: 'models',
});

export const serverStatus = route({
	method: 'GET',
	path: '/status',
	also: ['local'],
	summary: 'addresses and model folder',
	answer: z.object({
		modelCachePath: z.string(),
		endpoints: z.array(z.string()),
		pid: z.number(),
	}),
	section: 'models',
});

export const metrics = route({
	method: 'GET',
	path: '/metrics',
	summary: 'counters in Prometheus text format',
	answers: ['text/plain'],
	section: 'server',
});

export const runners = route({
	method: 'GET',
	path: '/nearglot/runners',
	summary: 'processes of the loaded models',
	answer: z.object({
		runners: z
			.array(
				z.object({
					model: z.string(),
					pid: z.number(),
					/** Until it ends if nobody asks for the model; absent: it stays. */
					idleLeftMs: z.number().exactOptional(),
				}),
			)
			.readonly(),
	}),
	section: 'server',
});

/** Each hears everything once. */
export const noticeReaders = ['terminal', 'editor'] as const;

export const notices = route({
	method: 'GET',
	path: '/nearglot/notices',
	changes: true,
	summary: 'what a reader has not been told yet of files and locks',
	query: object({ reader: optional(oneOf(...noticeReaders)) }),
	answer: z.object({ notices: z.array(z.string()).readonly() }),
	section: 'server',
});

export const shutdown = route({
	method: 'POST',
	path: '/nearglot/shutdown',
	summary: 'ends the server; with `if=idle` only where nobody uses it',
	query: object({ if: optional(oneOf('idle')) }),
	answer: z.object({ stopping: z.boolean() }),
	section: 'server',
});

export const mcp = route({
	method: 'POST',
	path: '/mcp',
	summary: 'the Model Context Protocol, see below',
	body: { kind: 'json-by-hand', schema: { type: 'object' } },
	answer: z.looseObject({}),
	section: 'server',
});

export const statusRoutes = [
	health,
	proof,
	ready,
	openApiRoute,
	serviceStatus,
	serverStatus,
	metrics,
	runners,
	notices,
	shutdown,
	mcp,
] as const;
