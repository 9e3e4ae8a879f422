/** The model service as its published clients of both generations call it. */

import * as z from 'zod';
import { fallbackSchema, promptTemplateSchema } from './answers.ts';
import { smallBody } from './bodyLimits.ts';
import { downloadRequest, loadQuery, unloadQuery } from './modelFields.ts';
import { jsonBody, type Route, route } from './route.ts';

const catalogueEntry = z.object({
	name: z.string(),
	displayName: z.string(),
	providerType: z.string(),
	uri: z.string(),
	version: z.string(),
	modelType: z.literal('ONNX'),
	promptTemplate: promptTemplateSchema.nullable(),
	publisher: z.string(),
	task: z.string(),
	runtime: z.object({ deviceType: z.enum(['CPU', 'GPU', 'NPU']), executionProvider: z.string() }),
	/** Whole number; 0 while unknown. */
	fileSizeMb: z.int(),
	modelSettings: z.object({
		parameters: z.array(z.object({ name: z.string(), value: z.string() })).readonly(),
	}),
	alias: z.string(),
	supportsToolCalling: z.boolean(),
	license: z.string(),
	licenseDescription: z.string(),
	parentModelUri: z.string(),
	maxOutputTokens: z.number().nullable(),
});

const section = 'models';
const names = z.array(z.string()).readonly();

const list = {
	method: 'GET',
	who: 'member',
	scope: 'any',
	section,
} as const satisfies Partial<Route>;
/** What the published model server gives to programs of this machine without a key. */
const local = { method: 'GET', also: ['local'], section } as const satisfies Partial<Route>;
const change = { ...local, changes: true } as const satisfies Partial<Route>;
const studioChange = { ...change, also: ['local', 'studio'] } as const satisfies Partial<Route>;

export const catalogueObject = route({
	...list,
	path: '/svc/list',
	summary: 'the catalogue, as `{models:[…]}`',
	answer: z.object({ models: z.array(catalogueEntry) }),
});
export const catalogueList = route({
	...list,
	path: '/foundry/list',
	summary: 'the catalogue, as a bare list',
	answer: z.array(catalogueEntry),
});
export const modelsLocation = route({
	...local,
	path: '/foundry/cache',
	summary: 'folder of the models',
	answer: z.object({ location: z.string() }),
});
export const localIds = route({
	...list,
	path: '/openai/models',
	summary: 'ids on this machine',
	answer: names,
});
export const loadedIds = route({
	...list,
	path: '/openai/loadedmodels',
	summary: 'ids in memory',
	answer: names,
});
export const loadedIdsToo = route({
	...list,
	path: '/models/loaded',
	summary: 'ids in memory',
	answer: names,
});

/** What may be downloaded without the key, its handler says: models of the catalogue. */
export const downloadModel = route({
	method: 'POST',
	path: '/openai/download',
	also: ['local'],
	summary:
		'see below; without the key models of the catalogue, to the folder of models; progress lines `("file", 0.5)`, `("", 1)`, then one flat JSON object with `Success` and `ErrorMessage`',
	body: jsonBody(downloadRequest, smallBody),
	answers: ['text/plain'],
	errors: ['model_not_found', 'conflict', 'disk_full', 'upstream_failed'],
	section,
});

export const loadModelQuietly = route({
	...studioChange,
	path: '/openai/load/:name{.+}',
	summary:
		'loads a model: `unload` default true; `ttl` above 0 overrides it; idle time counts from the end of the last request',
	query: loadQuery,
	errors: ['model_not_found', 'out_of_memory'],
});
export const loadModel = route({
	...change,
	path: '/models/load/:name{.+}',
	summary: 'the same, answered with a status',
	query: loadQuery,
	answer: z.object({
		status: z.enum(['already_loaded', 'loaded']),
		execution_provider: fallbackSchema.exactOptional(),
	}),
	errors: ['model_not_found', 'out_of_memory'],
});
export const unloadModelQuietly = route({
	...studioChange,
	path: '/openai/unload/:name{.+}',
	summary: 'unloads a model; `force=true` is immediate',
	query: unloadQuery,
	errors: ['model_not_found'],
});
export const unloadModel = route({
	...change,
	path: '/models/unload/:name{.+}',
	summary: 'the same, answered with a status',
	query: unloadQuery,
	answer: z.object({ status: z.enum(['unloaded', 'not_loaded']) }),
	errors: ['model_not_found'],
});
export const unloadAllModels = route({
	...change,
	path: '/openai/unloadall',
	summary: 'unloads all models; `force=true` is immediate',
	query: unloadQuery,
});
export const chosenGpu = route({
	...local,
	path: '/openai/getgpudevice',
	summary: 'id of the graphics processor that is used',
	answer: z.number(),
});
export const chooseGpu = route({
	...change,
	path: '/openai/setgpudevice/:id',
	summary: 'chooses the graphics processor',
	errors: ['invalid_request'],
});

export const foundryRoutes = [
	catalogueObject,
	catalogueList,
	modelsLocation,
	localIds,
	loadedIds,
	loadedIdsToo,
	downloadModel,
	loadModelQuietly,
	loadModel,
	unloadModelQuietly,
	unloadModel,
	unloadAllModels,
	chosenGpu,
	chooseGpu,
] as const;
