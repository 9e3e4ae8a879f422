/** Batches: files of requests whose work is done when nobody waits for anything else, in OpenAI's shapes. */

import * as z from 'zod';
import { smallBody } from './bodyLimits.ts';
import { integer, object, oneOf, optional, string } from './fields.ts';
import { numeric } from './numeric.ts';
import { metadataField } from './requestFields.ts';
import { jsonBody, route } from './route.ts';

const time = z.number().nullable();
const batch = z.object({
	id: z.string(),
	object: z.literal('batch'),
	endpoint: z.string(),
	errors: z
		.object({
			object: z.literal('list'),
			data: z.array(
				z.object({
					code: z.string(),
					message: z.string(),
					line: z.number().nullable(),
					param: z.string().nullable(),
				}),
			),
		})
		.nullable(),
	input_file_id: z.string(),
	completion_window: z.string(),
	status: z.enum([
		'validating',
		'failed',
		'in_progress',
		'finalizing',
		'completed',
		'expired',
		'cancelling',
		'cancelled',
	]),
	output_file_id: z.string().nullable(),
	error_file_id: z.string().nullable(),
	created_at: z.number(),
	in_progress_at: time,
	expires_at: z.number(),
	finalizing_at: time,
	completed_at: time,
	failed_at: time,
	expired_at: time,
	cancelling_at: time,
	cancelled_at: time,
	request_counts: z.object({ total: z.number(), completed: z.number(), failed: z.number() }),
	usage: z.object({
		input_tokens: z.number(),
		input_tokens_details: z.object({ cached_tokens: z.number() }),
		output_tokens: z.number(),
		output_tokens_details: z.object({ reasoning_tokens: z.number() }),
		total_tokens: z.number(),
	}),
	metadata: z.record(z.string(), z.string()).nullable(),
	/** Beside what the interface has: whether it rests, how far it is, and what stands in its way. */
	paused: z.boolean(),
	progress: z
		.object({
			items: z.number(),
			items_per_second: z.number().nullable(),
			seconds_left: z.number().nullable(),
		})
		.nullable(),
	problem: z
		.object({ code: z.string(), message: z.string(), until: z.number().optional() })
		.nullable(),
});
export type BatchAnswer = z.output<typeof batch>;

const members = { who: 'member', scope: 'any', also: ['studio'], section: 'batch' } as const;
const errors = ['not_found', 'store_unavailable'] as const;
const changing = ['conflict', ...errors] as const;

export const createBatch = route({
	...members,
	method: 'POST',
	path: '/v1/batches',
	summary:
		'begins a batch of an uploaded file; with the header `Idempotency-Key` once, however often it is sent',
	body: jsonBody(
		object({
			input_file_id: string({ minLength: 1, maxLength: 128 }),
			endpoint: oneOf(
				'/v1/chat/completions',
				'/v1/completions',
				'/v1/responses',
				'/v1/embeddings',
				'/v1/rerank',
				'/v1/audio/transcriptions',
				'/translate',
			),
			completion_window: string({ minLength: 1, maxLength: 8 }),
			metadata: optional(metadataField),
			output_expires_after: optional(
				object({
					anchor: oneOf('created_at'),
					seconds: integer({ min: 3600, max: 2_592_000 }),
				}),
			),
		}),
		smallBody,
	),
	answer: batch,
	errors: ['batch_queue_full', 'payload_too_large', 'disk_full', ...changing],
});

export const listBatches = route({
	...members,
	method: 'GET',
	path: '/v1/batches',
	summary: 'your batches, newest first',
	query: object({
		limit: optional(numeric(integer({ min: 1, max: 100 }))),
		after: optional(string({ minLength: 1, maxLength: 128 })),
	}),
	answer: z.object({
		object: z.literal('list'),
		data: z.array(batch),
		first_id: z.string().nullable(),
		last_id: z.string().nullable(),
		has_more: z.boolean(),
	}),
	errors,
});

export const showBatch = route({
	...members,
	method: 'GET',
	path: '/v1/batches/:id',
	summary: 'how a batch stands',
	answer: batch,
	errors,
});

export const followBatch = route({
	...members,
	method: 'GET',
	path: '/v1/batches/:id/events',
	summary: 'the same whenever it has changed, until the batch ends',
	events: batch,
	errors,
});

export const cancelBatch = route({
	...members,
	method: 'POST',
	path: '/v1/batches/:id/cancel',
	summary: 'ends a batch; what is done can be downloaded',
	answer: batch,
	errors: changing,
});

export const pauseBatch = route({
	...members,
	method: 'POST',
	path: '/v1/batches/:id/pause',
	summary: 'lets a batch rest',
	answer: batch,
	errors: changing,
});

export const resumeBatch = route({
	...members,
	method: 'POST',
	path: '/v1/batches/:id/resume',
	summary: 'lets a batch that rests go on',
	answer: batch,
	errors: changing,
});

export const retryBatch = route({
	...members,
	method: 'POST',
	path: '/v1/batches/:id/retry',
	summary:
		'a new batch of the requests of an ended one that have failed, or that a cancelled one did not come to',
	answer: batch,
	errors: ['batch_queue_full', 'payload_too_large', 'disk_full', ...changing],
});

export const batchRoutes = [
	createBatch,
	listBatches,
	showBatch,
	followBatch,
	cancelBatch,
	pauseBatch,
	resumeBatch,
	retryBatch,
] as const;
