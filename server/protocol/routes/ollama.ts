/** The three calls by which editors list the models of an Ollama server; they chat over `/v1` then. */

import * as z from 'zod';
import { smallBody } from './bodyLimits.ts';
import { boolean, object, optional, string } from './fields.ts';
import { jsonBody, route } from './route.ts';

const details = z.object({
	parent_model: z.string(),
	format: z.string(),
	family: z.string(),
	families: z.array(z.string()),
	parameter_size: z.string(),
	quantization_level: z.string(),
});

export const ollamaVersion = route({
	method: 'GET',
	path: '/api/version',
	who: 'member',
	summary: 'version of the Ollama dialect',
	answer: z.object({ version: z.string() }),
	section: 'chat',
});

export const ollamaTags = route({
	method: 'GET',
	path: '/api/tags',
	who: 'member',
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
	section: 'chat',
});

export const ollamaShow = route({
	method: 'POST',
	path: '/api/show',
	who: 'member',
	summary: 'one model, as an Ollama server shows it',
	body: jsonBody(
		object({
			model: optional(string({ maxLength: 300 })),
			/** Older word for `model`. */
			name: optional(string({ maxLength: 300 })),
			verbose: optional(boolean),
		}),
		smallBody,
	),
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
	section: 'chat',
});

export const ollamaRoutes = [ollamaVersion, ollamaTags, ollamaShow] as const;
