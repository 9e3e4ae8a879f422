/** Reranking: how well documents answer a query; and moderations, which are refused by name. */

import * as z from 'zod';
import { fallbackSchema } from './answers.ts';
import { chatBody } from './bodyLimits.ts';
import { array, boolean, either, integer, mapped, object, optional, string } from './fields.ts';
import { loadFields } from './loadFields.ts';
import { callerFields, modelField } from './requestFields.ts';
import { jsonBody, route } from './route.ts';

/** A text, also as `{text}`. */
const textField = either(
	string(),
	mapped(object({ text: string() }), ({ text }) => text),
	"a string or an object with a 'text'",
);

const rerankRequest = object({
	model: modelField,
	query: textField,
	documents: array(textField, { min: 1, max: 1000 }),
	/** As many of the best are answered; absent: all. */
	top_n: optional(integer({ min: 1 })),
	return_documents: optional(boolean),
	/** Cut documents that are too long; default true. */
	truncate: optional(boolean),
	...callerFields,
	...loadFields,
});

export type RerankQuestion = z.output<typeof rerankRequest>;

const answer = z.object({
	id: z.string(),
	model: z.string(),
	/** Best first. */
	results: z.array(
		z.object({
			index: z.int(),
			/** 0 to 1 by models of this server; an engine elsewhere may have numbers of its own. */
			relevance_score: z.number(),
			document: z.object({ text: z.string() }).exactOptional(),
		}),
	),
	usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
	meta: z.object({ tokens: z.object({ input_tokens: z.int() }) }),
	execution_provider: fallbackSchema.exactOptional(),
});

const errors = ['model_not_found', 'context_length_exceeded', 'overloaded'] as const;
const body = jsonBody(rerankRequest, chatBody);
const reranks = {
	method: 'POST',
	who: 'member',
	scope: 'rerank',
	...{ body, answer, errors },
	section: 'chat',
} as const;

export const rerank = route({
	...reranks,
	path: '/v1/rerank',
	summary:
		'documents by how well they answer a query, in Jina’s and Cohere’s form; those that were cut to what the model reads are named in `X-Truncated-Inputs`',
});

export const rerankPlain = route({ ...reranks, path: '/rerank', summary: 'the same' });
export const rerankSecond = route({ ...reranks, path: '/v2/rerank', summary: 'the same' });

export const moderations = route({
	method: 'POST',
	path: '/v1/moderations',
	who: 'member',
	scope: 'any',
	summary: 'refused by name: no model here judges what may be said',
	errors: ['unsupported_parameter'],
	section: 'chat',
});

export const rerankRoutes = [rerank, rerankPlain, rerankSecond, moderations] as const;
