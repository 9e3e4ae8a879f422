/** Models that come: found on the hub, downloaded, built of weights, copied in. */

import * as z from 'zod';
import { downloadProgressSchema, modelInfoSchema, precisionSchema } from './answers.ts';
import { smallBody } from './bodyLimits.ts';
import { boolean, object, oneOf, optional, string } from './fields.ts';
import { jsonBody, route } from './route.ts';

/** A name or a path that must be given. */
const textField = string({ minLength: 1, maxLength: 4096 });
const named = { model: textField };

/** How a model is built, where a repository or a path has no graphs. */
const building = {
	/** More bits where they tell. */
	quality: optional(boolean),
	/** Keeps the numbers of the source. */
	keep: optional(boolean),
	/** Tells what would be done, with sizes and licence, and ends with `[DONE]`. */
	plan: optional(boolean),
};

const downloadEvents = z.union([
	z.object({
		/** Licence and size, before the first byte; of a model that is built of fetched files once more, with `build`. */
		start: z.object({
			repository: z.string(),
			license: z.string().exactOptional(),
			totalBytes: z.number(),
			unverified: z.number().exactOptional(),
			/** What will be made of the files, where the model is built here. */
			build: z
				.object({
					/** Which files, and what that means for the answers. */
					reason: z.string(),
					architecture: z.string(),
					/** Numbers in all of its weights. */
					parameters: z.number(),
					/** How most of them are stored: `q4_k`, `bf16`. */
					storedAs: z.string(),
					/** Bytes of the model's folder. */
					sizeBytes: z.number(),
					/** About how much memory it takes while loaded. */
					memoryBytes: z.number(),
					/** An estimate, by what one thread reads of this machine's memory; of language models. */
					tokensPerSecond: z.number().exactOptional(),
				})
				.exactOptional(),
		}),
	}),
	z.object({ progress: downloadProgressSchema }),
	/** Process that is downloading it already. */
	z.object({ waitingFor: z.number().nullable() }),
	/** What the hub is waited for, in a sentence. */
	z.object({ notice: z.string() }),
	z.object({ model: modelInfoSchema }),
]);

export const searchHubModels = route({
	method: 'GET',
	path: '/nearglot/models/hub',
	also: ['studio'],
	summary:
		'repositories of the hub with the words of `q` whose models run here, exports first, and translation models of Firefox',
	query: object({
		/** Words; only those who name a task may leave them out. */
		q: optional(string({ minLength: 1, maxLength: 200 })),
		/** The list of models of this kind alone; the hub is not asked. */
		task: optional(oneOf('translation')),
		/** Address of another hub than the server's own; the owner's key alone may name one. Its token comes as `X-Hub-Token`. */
		hub: optional(textField),
	}),
	answer: z.object({
		models: z
			.array(
				z.object({
					repository: z.string(),
					/** What a model comes of, the best first: `gguf` and `safetensors` are built here. */
					formats: z.array(z.enum(['onnx', 'gguf', 'safetensors', 'marian'])).readonly(),
					/** What it does, for people: `English → German`. */
					title: z.string().exactOptional(),
					/** Of its files, where that is known. */
					sizeBytes: z.number().exactOptional(),
					license: z.string().exactOptional(),
					/** As the hub calls it. */
					task: z.string().exactOptional(),
					/** Of the last month. */
					downloads: z.number().exactOptional(),
					/** Its files are for those who have accepted its terms. */
					isGated: z.boolean(),
				}),
			)
			.readonly(),
	}),
	errors: ['upstream_failed'],
	section: 'models',
});

export const pullModel = route({
	method: 'POST',
	path: '/nearglot/models/download',
	also: ['studio'],
	summary: 'downloads a model: of the catalogue, or any repository of the hub',
	body: jsonBody(
		object({
			...named,
			precision: optional(precisionSchema),
			uri: optional(textField),
			path: optional(textField),
			revision: optional(textField),
			token: optional(textField),
			/** Address of another hub than the server's own; the owner's key alone may name one. */
			hub: optional(textField),
			...building,
			/** `false` refuses a model whose licence has conditions, or whose page names none, with that licence; whoever leaves it out accepts it. */
			acceptLicense: optional(boolean),
		}),
		smallBody,
	),
	events: downloadEvents,
	errors: ['model_not_found', 'forbidden', 'conflict', 'disk_full', 'upstream_failed'],
	section: 'models',
});

export const pauseDownload = route({
	method: 'POST',
	path: '/nearglot/models/pause',
	summary: 'pauses a download; what is on disk stays',
	body: jsonBody(object(named), smallBody),
	answer: z.object({ paused: z.boolean() }),
	section: 'models',
});

export const importModel = route({
	method: 'POST',
	path: '/nearglot/models/import',
	summary: 'copies a model from a folder or an archive',
	body: jsonBody(object({ path: textField, name: optional(textField) }), smallBody),
	answer: z.object({ model: modelInfoSchema }),
	errors: ['unsupported_model', 'conflict', 'disk_full'],
	section: 'models',
});

export const buildLocalModel = route({
	method: 'POST',
	path: '/nearglot/models/build',
	summary:
		'builds a model of a GGUF file, or of a folder with GGUF or safetensors files, or of a student of Firefox Translations',
	body: jsonBody(object({ path: textField, name: optional(textField), ...building }), smallBody),
	events: downloadEvents,
	errors: ['unsupported_model', 'conflict', 'disk_full'],
	section: 'models',
});

export const refreshCatalogue = route({
	method: 'POST',
	path: '/nearglot/models/refresh',
	summary: 'asks the hub for sizes, commits and licences; answers with what could not be asked',
	body: jsonBody(object({ hub: optional(textField), token: optional(textField) }), smallBody),
	answer: z.object({ failures: z.array(z.string()).readonly() }),
	section: 'models',
});

export const downloadRoutes = [
	searchHubModels,
	pullModel,
	pauseDownload,
	importModel,
	buildLocalModel,
	refreshCatalogue,
] as const;
