/** Models: the lists, and what only the owner does with them. */

import * as z from 'zod';
import { secretNames } from '../secretNames.ts';
import {
	downloadProgressSchema,
	modelInfoSchema,
	originSchema,
	precisionSchema,
	providerSchema,
	stateSchema,
	taskSchema,
} from './answers.ts';
import { smallBody } from './bodyLimits.ts';
import { Refused } from './check.ts';
import { boolean, integer, mapped, object, oneOf, optional, string } from './fields.ts';
import { numeric } from './numeric.ts';
import { jsonBody, route } from './route.ts';

const listedModel = z.object({
	id: z.string(),
	object: z.literal('model'),
	/** These three are read by Anthropic's clients. */
	type: z.literal('model'),
	display_name: z.string(),
	created_at: z.string(),
	created: z.number(),
	owned_by: z.string(),
	name: z.string(),
	alias: z.string(),
	task: taskSchema,
	state: stateSchema,
	/** Where it comes from: the built-in one answers only where no other is here. */
	origin: originSchema,
	pinned: z.literal(true).exactOptional(),
	supports_tool_calling: z.boolean(),
	/** Reads images in chats; absent: it does not, or nobody knows. */
	supports_image_input: z.literal(true).exactOptional(),
	context_length: z.number().exactOptional(),
	max_model_len: z.number().exactOptional(),
	max_history_turns: z.number().exactOptional(),
	size_bytes: z.number().exactOptional(),
	languages: z.array(z.string()).readonly().exactOptional(),
	/** Why it cannot be used. */
	problem: z.string().exactOptional(),
});

export const listModels = route({
	method: 'GET',
	path: '/v1/models',
	who: 'member',
	scope: 'any',
	also: ['studio'],
	summary:
		'models, with the true context length, and `max_history_turns` where a model reads only some earlier turns',
	query: object({
		limit: optional(numeric(integer({ min: 1, max: 1000 }))),
		after_id: optional(string({ maxLength: 256 })),
		before_id: optional(string({ maxLength: 256 })),
	}),
	answer: z.object({
		object: z.literal('list'),
		data: z.array(listedModel),
		/** Of a part of the list, as Anthropic's clients ask for it. */
		has_more: z.boolean(),
		first_id: z.string().nullable(),
		last_id: z.string().nullable(),
	}),
	errors: ['not_found'],
	section: 'chat',
});

export const showModel = route({
	method: 'GET',
	path: '/v1/models/:id{.+}',
	who: 'member',
	scope: 'any',
	summary: 'one model',
	answer: listedModel,
	errors: ['model_not_found'],
	section: 'chat',
});

/** A name or a path that must be given. */
const textField = string({ minLength: 1, maxLength: 4096 });
const named = { model: textField };

const count = z.number();
/** Counters of a model in memory. */
const engineStats = z.object({
	task: taskSchema,
	runtime: z.enum(['c-api', 'session.run']),
	executionProvider: providerSchema,
	precision: precisionSchema,
	running: count,
	waiting: count,
	/** Requests that had their turn since the model was loaded, and that were refused. */
	admittedTotal: count,
	refusedTotal: count,
	/** How long the former waited, altogether. */
	waitedMsTotal: count,
	openSequences: count,
	cachedPrefixes: count,
	kvBytes: count,
	kvLimitBytes: count,
	residentBytes: count,
	promptTokensTotal: count,
	cachedTokensTotal: count,
	generatedTokensTotal: count,
	draftedTotal: count,
	acceptedTotal: count,
	notices: modelInfoSchema.shape.notices,
});

const unfinishedModel = z.object({
	/** Of its folder. */
	name: z.string(),
	/** On the disk. */
	sizeBytes: z.number(),
	/** Milliseconds since 1970. */
	changedAt: z.number(),
});

export const listOwnModels = route({
	method: 'GET',
	path: '/nearglot/models/list',
	also: ['studio'],
	summary:
		'every model of this machine and of the catalogue, downloads, counters of what is in memory',
	answer: z.object({
		models: z.array(modelInfoSchema).readonly(),
		downloads: z.array(
			z.object({
				model: z.string(),
				order: z.object({
					model: z.object({ id: z.string(), name: z.string(), alias: z.string() }),
					from: z.string(),
					details: z.string(),
				}),
				/** Last known progress. */
				progress: downloadProgressSchema.optional(),
				paused: z.boolean(),
			}),
		),
		stats: z.array(z.object({ model: z.string(), stats: engineStats })).readonly(),
		unfinished: z.array(unfinishedModel).readonly(),
	}),
	section: 'models',
});

export const listGpusRoute = route({
	method: 'GET',
	path: '/nearglot/models/gpus',
	summary: 'graphics processors, and which one is chosen',
	answer: z.object({
		gpus: z.array(
			z.object({
				id: z.number(),
				name: z.string(),
				vendor: z.enum(['nvidia', 'amd', 'intel', 'apple', 'qualcomm', 'other']),
				memoryBytes: z.number().exactOptional(),
				freeBytes: z.number().exactOptional(),
			}),
		),
		chosen: z.number(),
	}),
	section: 'models',
});

export const suggestModelsRoute = route({
	method: 'GET',
	path: '/nearglot/models/suggest',
	also: ['studio'],
	summary: 'models that fit this machine, best first',
	query: object({
		task: optional(oneOf('chat-completion', 'automatic-speech-recognition', 'translation')),
	}),
	answer: z.object({
		machine: z.object({
			/** Bytes of memory in all. */
			memoryBytes: z.number(),
			/** Bytes that can still be written where models are kept; absent when the system does not say. */
			diskFreeBytes: z.number().exactOptional(),
			gpus: z.array(z.string()).readonly(),
			/** Bytes a second one thread copies: what bounds the speed of a language model. */
			bytesPerSecond: z.number(),
		}),
		models: z
			.array(
				z.object({
					model: modelInfoSchema,
					/** Bytes of the download: known from the hub, else worked out from the number of weights. */
					sizeBytes: z.number(),
					sizeIsEstimate: z.boolean(),
					/** About how much memory it takes while loaded. */
					memoryBytes: z.number(),
					/** About how many tokens a second on the processor; only for chat models. */
					tokensPerSecond: z.number().exactOptional(),
				}),
			)
			.readonly(),
	}),
	section: 'models',
});

export const removeModel = route({
	method: 'POST',
	path: '/nearglot/models/remove',
	also: ['studio'],
	summary: 'removes a model from the disk',
	body: jsonBody(object(named), smallBody),
	answer: z.object({ removed: modelInfoSchema }),
	errors: ['model_not_found', 'conflict'],
	section: 'models',
});

export const removeUnfinishedModel = route({
	method: 'POST',
	path: '/nearglot/models/unfinished/remove',
	summary: 'removes what a download or build left behind that was not finished',
	body: jsonBody(object(named), smallBody),
	answer: z.object({ removed: unfinishedModel }),
	errors: ['not_found', 'conflict'],
	section: 'models',
});

export const pinModel = route({
	method: 'POST',
	path: '/nearglot/models/pin',
	summary: 'keeps a model in memory, or no longer',
	body: jsonBody(object({ ...named, pinned: boolean }), smallBody),
	answer: z.object({ pinned: z.boolean() }),
	errors: ['model_not_found'],
	section: 'models',
});

export const draftModel = route({
	method: 'POST',
	path: '/nearglot/models/draft',
	summary: 'names the model that drafts for another; none without `draft_model`',
	body: jsonBody(object({ ...named, draft_model: optional(textField) }), smallBody),
	answer: z.object({ draft_model: z.string().nullable() }),
	errors: ['model_not_found'],
	section: 'models',
});

const folderBody = jsonBody(object({ folder: textField }), smallBody);

export const registerFolder = route({
	method: 'POST',
	path: '/nearglot/models/register',
	summary: 'adds models where they lie',
	body: folderBody,
	answer: z.object({ models: z.array(modelInfoSchema).readonly() }),
	section: 'models',
});

export const unregisterFolder = route({
	method: 'POST',
	path: '/nearglot/models/unregister',
	summary: 'takes a folder off the list; its files stay',
	body: folderBody,
	answer: z.object({}),
	section: 'models',
});

export const moveModels = route({
	method: 'POST',
	path: '/nearglot/models/move',
	summary: 'moves the folder of models',
	body: folderBody,
	answer: z.object({ location: z.string() }),
	errors: ['conflict', 'disk_full'],
	section: 'models',
});

const knownSecret = (name: string) => secretNames.find((each) => each === name);

export const listSecrets = route({
	method: 'GET',
	path: '/nearglot/secrets/names',
	summary: 'names of the secrets that were handed over',
	answer: z.object({ names: z.array(z.enum(secretNames)).readonly() }),
	section: 'models',
});

export const setSecrets = route({
	method: 'POST',
	path: '/nearglot/secrets/set',
	summary: 'hands secrets over, kept in memory; `null` forgets one',
	query: object({
		/** Who hands them over; an editor takes nothing from the command line. */
		source: optional(string().regex(/^[\w:.-]{1,80}$/, 'a short name without blanks')),
	}),
	body: jsonBody(
		mapped(z.record(z.string(), z.nullable(string({ maxLength: 8192 })), 'an object'), (given) =>
			Object.entries(given).map(([name, value]) => {
				const known = knownSecret(name);
				if (known === undefined)
					throw new Refused(
						`.${name}`,
						(field) => `${field} is not one of ${secretNames.join(', ')}.`,
					);
				return { name: known, value: value ?? undefined };
			}),
		),
		smallBody,
	),
	answer: z.object({ names: z.array(z.enum(secretNames)).readonly() }),
	section: 'models',
});

export const modelRoutes = [
	listModels,
	showModel,
	listOwnModels,
	listGpusRoute,
	suggestModelsRoute,
	removeModel,
	removeUnfinishedModel,
	pinModel,
	draftModel,
	registerFolder,
	unregisterFolder,
	moveModels,
	listSecrets,
	setSecrets,
] as const;
