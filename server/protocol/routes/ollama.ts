/** Models as an Ollama server lists, shows, downloads, copies and removes them. */

import * as z from 'zod';
import { smallBody } from './bodyLimits.ts';
import { missingField } from './check.ts';
import { boolean, type Fields, mapped, object, optional, string } from './fields.ts';
import { jsonBody, route } from './route.ts';

const details = z.object({
	parent_model: z.string(),
	format: z.string(),
	family: z.string(),
	families: z.array(z.string()),
	parameter_size: z.string(),
	quantization_level: z.string(),
});

const nameField = optional(string({ minLength: 1, maxLength: 300 }));

/** `model`, or the older `name`, and other fields. */
function namedWith<F extends Fields>(fields: F) {
	return mapped(object({ model: nameField, name: nameField, ...fields }), (found) => {
		const { model, name } = found as { readonly model?: string; readonly name?: string };
		const named = model ?? name;
		if (named === undefined) throw missingField('.model');
		return { ...found, model: named };
	});
}

export const ollamaVersion = route({
	method: 'GET',
	path: '/api/version',
	who: 'member',
	scope: 'any',
	summary: 'version of the Ollama dialect',
	answer: z.object({ version: z.string() }),
	section: 'ollama',
});

export const ollamaTags = route({
	method: 'GET',
	path: '/api/tags',
	who: 'member',
	scope: 'any',
	summary: 'models, as an Ollama server lists them',
	answer: z.object({
		models: z.array(
			z.object({
				name: z.string(),
				model: z.string(),
				modified_at: z.string(),
				size: z.number(),
				digest: z.string(),
				details,
			}),
		),
	}),
	section: 'ollama',
});

export const ollamaShow = route({
	method: 'POST',
	path: '/api/show',
	who: 'member',
	scope: 'any',
	summary: 'one model, as an Ollama server shows it',
	body: jsonBody(namedWith({ verbose: optional(boolean) }), smallBody),
	answer: z.object({
		license: z.string(),
		modelfile: z.string(),
		parameters: z.string(),
		template: z.string(),
		details,
		model_info: z.record(z.string(), z.unknown()),
		capabilities: z.array(z.string()),
		modified_at: z.string(),
	}),
	errors: ['model_not_found'],
	section: 'ollama',
});

export const ollamaLoaded = route({
	method: 'GET',
	path: '/api/ps',
	who: 'member',
	scope: 'any',
	summary: 'models in memory, as an Ollama server lists them',
	answer: z.object({
		models: z.array(
			z.object({
				name: z.string(),
				model: z.string(),
				/** Bytes of memory. */
				size: z.number(),
				/** Those of a graphics processor. */
				size_vram: z.number(),
				digest: z.string(),
				details,
				/** When it is unloaded if nobody asks. */
				expires_at: z.string(),
				context_length: z.number(),
			}),
		),
	}),
	section: 'ollama',
});

const pullLine = z.object({
	status: z.string(),
	digest: z.string().exactOptional(),
	total: z.number().exactOptional(),
	completed: z.number().exactOptional(),
});

export const ollamaPull = route({
	method: 'POST',
	path: '/api/pull',
	also: ['local'],
	summary:
		'downloads a model with progress; without the key models of the catalogue, with it any repository of the hub',
	body: jsonBody(namedWith({ stream: optional(boolean) }), smallBody),
	answer: pullLine,
	lines: pullLine,
	errors: ['model_not_found', 'conflict', 'disk_full', 'upstream_failed'],
	section: 'ollama',
});

export const ollamaDelete = route({
	method: 'DELETE',
	path: '/api/delete',
	summary: 'removes a model from the disk',
	body: jsonBody(namedWith({}), smallBody),
	errors: ['model_not_found', 'conflict'],
	section: 'ollama',
});

export const ollamaCopy = route({
	method: 'POST',
	path: '/api/copy',
	summary: 'copies a model under another name, `destination`',
	body: jsonBody(
		object({
			source: string({ minLength: 1, maxLength: 300 }),
			destination: string({ minLength: 1, maxLength: 128 }),
		}),
		smallBody,
	),
	errors: ['model_not_found', 'conflict', 'disk_full'],
	section: 'ollama',
});

const foreign = 'refused by name: models here are ONNX folders';

export const ollamaCreate = route({
	method: 'POST',
	path: '/api/create',
	who: 'member',
	scope: 'any',
	summary: foreign,
	errors: ['unsupported_parameter'],
	section: 'ollama',
});

export const ollamaPush = route({
	method: 'POST',
	path: '/api/push',
	who: 'member',
	scope: 'any',
	summary: foreign,
	errors: ['unsupported_parameter'],
	section: 'ollama',
});

export const ollamaBlob = route({
	method: 'POST',
	path: '/api/blobs/:digest',
	who: 'member',
	scope: 'any',
	summary: foreign,
	errors: ['unsupported_parameter'],
	section: 'ollama',
});

export const ollamaRoutes = [
	ollamaVersion,
	ollamaTags,
	ollamaShow,
	ollamaLoaded,
	ollamaPull,
	ollamaDelete,
	ollamaCopy,
	ollamaCreate,
	ollamaPush,
	ollamaBlob,
] as const;
