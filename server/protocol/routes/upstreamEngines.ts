/** Engines on other machines: what the owner adds, removes and tries. */

import * as z from 'zod';
import { upstreamUses } from '../upstreamUses.ts';
import { modelInfoSchema } from './answers.ts';
import { smallBody } from './bodyLimits.ts';
import { array, boolean, integer, object, oneOf, optional, string } from './fields.ts';
import { jsonBody, route } from './route.ts';

const engine = z.object({
	/** What stands before the names of its models: `lab` of `lab/qwen3-32b`. */
	name: z.string(),
	/** Base address. */
	url: z.string(),
	/** Patterns of the models that may be used; empty: all. */
	models: z.array(z.string()).readonly(),
	/** What it may be used for; empty: everything. */
	uses: z.array(z.enum(upstreamUses)).readonly(),
	/** Seconds without a sign of life after which an answer is given up. */
	timeoutS: z.number(),
	/** Where its key is: in a file, with an editor, or nowhere. */
	key: z.enum(['file', 'editor', 'none']),
	/** Whether the setting `nearglot.engines` of an editor lists it. */
	inSetting: z.boolean(),
});

/** An engine as lists show it; no key is ever in it. */
export type UpstreamInfo = Readonly<z.output<typeof engine>>;

const engineName = string({ minLength: 1, maxLength: 64 });

export const listUpstreams = route({
	method: 'GET',
	path: '/nearglot/upstreams',
	summary: 'engines on other machines, and the models that they list',
	answer: z.object({
		upstreams: z.array(engine).readonly(),
		/** Of an engine that cannot be asked within three seconds, those that it told of last. */
		models: z.array(modelInfoSchema).readonly(),
	}),
	section: 'models',
});

const addedEngine = object({
	name: engineName,
	url: string({ minLength: 1, maxLength: 2000 }),
	models: optional(array(string({ minLength: 1, maxLength: 200 }), { max: 100 })),
	uses: optional(array(oneOf(...upstreamUses), { max: upstreamUses.length })),
	/** 1 to 86,400. */
	timeoutS: optional(integer({ min: 1, max: 86_400 })),
	/** An editor hands its key over (`engineKeys` of the secrets). */
	keyInEditor: optional(boolean),
	/** Take an address that is not encrypted and not on this machine. */
	allowHttp: optional(boolean),
});

export const addUpstream = route({
	method: 'POST',
	path: '/nearglot/upstreams',
	summary: 'adds an engine, in place of one of the same name',
	body: jsonBody(addedEngine, smallBody),
	answer: engine,
	section: 'models',
});

export const setUpstreams = route({
	method: 'POST',
	path: '/nearglot/upstreams/setting',
	summary:
		'the engines that an editor’s setting lists: those that it listed before and no longer does are removed',
	body: jsonBody(
		object({
			/** Which editor: all windows with the same settings say the same. */
			editor: string({ minLength: 1, maxLength: 64 }),
			engines: array(addedEngine, { max: 100 }),
		}),
		smallBody,
	),
	answer: z.object({ upstreams: z.array(engine).readonly() }),
	section: 'models',
});

export const removeUpstream = route({
	method: 'DELETE',
	path: '/nearglot/upstreams/:name',
	summary: 'removes an engine',
	answer: z.object({}),
	errors: ['not_found'],
	section: 'models',
});

export const testUpstream = route({
	method: 'POST',
	path: '/nearglot/upstreams/:name/test',
	summary: 'asks an engine for its models, and says what is wrong',
	answer: z.object({
		name: z.string(),
		/** As they are called here: `lab/qwen3-32b`. */
		models: z.array(z.string()).readonly(),
		problem: z.string().exactOptional(),
	}),
	errors: ['not_found'],
	section: 'models',
});

export const upstreamRoutes = [
	listUpstreams,
	addUpstream,
	setUpstreams,
	removeUpstream,
	testUpstream,
] as const;
