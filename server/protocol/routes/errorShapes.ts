/** What errors look like: interfaces of other servers have shapes of their own, and their clients read no other. */

import * as z from 'zod';
import { type AppError, errorBody } from '../errors.ts';

/** The error body of Ollama's interface. */
export const ollamaError = (error: AppError) => ({ error: error.message });

/** Types of errors in Anthropic's interface, by status. */
const anthropicTypes: Readonly<Record<number, string>> = {
	401: 'authentication_error',
	403: 'permission_error',
	404: 'not_found_error',
	413: 'request_too_large',
	429: 'rate_limit_error',
	504: 'timeout_error',
	529: 'overloaded_error',
};

const anthropicStatus = ({ code, kind }: AppError): number =>
	code === 'overloaded' ? 529 : kind.httpStatus;

/** Where a message says which thread goes on. */
export const threadId = 'thread.previous_message_id';

/** The error body of Anthropic's interface; also an event of its streams. */
export function anthropicError(error: AppError) {
	const status = anthropicStatus(error);
	const type = anthropicTypes[status] ?? (status < 499 ? 'invalid_request_error' : 'api_error');
	// Agents look for these words to know that they have to make their conversation shorter.
	const long = error.code === 'context_length_exceeded' ? 'prompt is too long: ' : '';
	// Newer clients keep threads, and read only here that theirs is not there and all is to be sent again.
	const lost = error.code === 'not_found' && error.param === threadId;
	const details = lost ? { details: { error_code: 'thread_not_found' } } : {};
	return {
		type: 'error' as const,
		error: { type, message: `${long}${error.message}`, ...details },
	};
}

/** The shape of the errors of a family of routes. */
export interface ErrorShape {
	/** Its name in openapi.json. */
	readonly name: string;
	readonly schema: z.ZodType;
	body(error: AppError): object;
	status(error: AppError): number;
	/** Header of every answer that names the request. */
	readonly requestHeader: string;
}

/** A model that would help. */
const offer = {
	model: z.string(),
	name: z.string(),
	bytes: z.number().optional(),
	licence: z.string(),
};

const plain: ErrorShape = {
	name: 'Error',
	schema: z.object({
		error: z.object({
			message: z.string(),
			type: z.string().optional(),
			param: z.string().nullable().optional(),
			// The translator's are numbers.
			code: z.union([z.string(), z.int()]),
			action: z
				.union([
					z.object({ kind: z.literal('search'), words: z.string(), command: z.string() }),
					z.object({
						kind: z.literal('download'),
						...offer,
						also: z.array(z.object(offer)).optional(),
						alternatives: z.array(z.object(offer)).optional(),
						command: z.string(),
					}),
				])
				.optional(),
		}),
	}),
	body: errorBody,
	status: ({ kind }) => kind.httpStatus,
	requestHeader: 'x-request-id',
};

const ollama: ErrorShape = {
	name: 'OllamaError',
	schema: z.object({ error: z.string() }),
	body: ollamaError,
	status: ({ kind }) => kind.httpStatus,
	requestHeader: 'x-request-id',
};

const anthropic: ErrorShape = {
	name: 'AnthropicError',
	schema: z.object({
		type: z.literal('error'),
		error: z.object({
			type: z.string(),
			message: z.string(),
			details: z.object({ error_code: z.string() }).optional(),
		}),
	}),
	body: anthropicError,
	status: anthropicStatus,
	requestHeader: 'request-id',
};

/** Every shape there is. */
export const errorShapes: readonly ErrorShape[] = [plain, ollama, anthropic];

/** The shape of errors at a path, whether or not there is a route. */
export function errorShapeOf(path: string): ErrorShape {
	if (path.startsWith('/api/')) return ollama;
	return /^\/v1\/messages(?:\/|$)/.test(path) ? anthropic : plain;
}
