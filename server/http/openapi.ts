/** `GET /openapi.json`: made from the routes that exist and the parsers that read their bodies. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { Parser } from '../protocol/parser.ts';
import { chatRequestParser } from '../services/chat/request.ts';
import { responsesParser } from '../services/responses/request.ts';
import { completionParser } from '../services/text/completionRequest.ts';
import { embeddingParser } from '../services/text/embeddingService.ts';
import type { AppEnv } from './env.ts';
import { showParser } from './ollamaRoutes.ts';
import { detokenizeParser, tokenizeParser } from './tokenRoutes.ts';

export interface RouteDoc {
	readonly summary: string;
	readonly body?: Parser<unknown>;
	/** The answer may be a stream of server-sent events. */
	readonly streams?: boolean;
	/** The key is needed even when other routes need none. */
	readonly needsKey?: boolean;
}

/** `METHOD path` → what to say of it. Routes of other families may be added here. */
export const routeDocs: Readonly<Record<string, RouteDoc>> = {
	'GET /health': { summary: 'Whether the server answers.' },
	'GET /metrics': { summary: 'Counters in Prometheus text format.' },
	'GET /openai/status': { summary: 'Addresses and folders of the service.' },
	'GET /v1/models': { summary: 'Models, with their true context length.' },
	'GET /v1/models/{id}': { summary: 'One model.' },
	'POST /v1/chat/completions': { summary: 'Chat.', body: chatRequestParser, streams: true },
	'POST /v1/chat/completions/tokenizer/encode/count': {
		summary: 'Tokens of a chat prompt, without inference.',
		body: chatRequestParser,
	},
	'POST /v1/completions': { summary: 'Raw completion.', body: completionParser, streams: true },
	'POST /v1/embeddings': { summary: 'Vectors of texts.', body: embeddingParser },
	'POST /v1/responses': { summary: 'Responses, stateless.', body: responsesParser, streams: true },
	'POST /tokenize': { summary: 'Text to token ids.', body: tokenizeParser },
	'POST /detokenize': { summary: 'Token ids to text.', body: detokenizeParser },
	'POST /api/show': { summary: 'One model, in the dialect of Ollama.', body: showParser },
	'POST /nearglot/shutdown': { summary: 'Ends the server.', needsKey: true },
	'GET /nearglot/runners': { summary: 'Processes of the loaded models.', needsKey: true },
};

const errorSchema = {
	type: 'object',
	required: ['error'],
	properties: {
		error: {
			type: 'object',
			required: ['message', 'type', 'param', 'code'],
			properties: {
				message: { type: 'string' },
				type: { type: 'string' },
				param: { type: ['string', 'null'] },
				code: { type: 'string' },
			},
		},
	},
};

export function registerOpenApi(app: Hono<AppEnv>, backend: Backend): void {
	app.get('/openapi.json', (context) =>
		context.json(openApi(app.routes, backend.settings.version)),
	);
}

/** The document for a list of routes; hono's `:name{pattern}` becomes `{name}`. */
export function openApi(
	routes: readonly { readonly method: string; readonly path: string }[],
	version: string,
): object {
	const paths: Record<string, Record<string, object>> = {};
	for (const { method, path } of routes) {
		if (method === 'ALL' || path.includes('*')) continue;
		const shown = path.replace(/:(\w+)(\{[^/]*\})?\??/g, '{$1}');
		const doc = routeDocs[`${method} ${shown}`];
		const entry = paths[shown] ?? {};
		entry[method.toLowerCase()] = operation(shown, doc);
		paths[shown] = entry;
	}
	return {
		openapi: '3.1.0',
		info: {
			title: 'Nearglot',
			version,
			description: 'Chat, transcribe and translate on this machine.',
		},
		paths,
		components: {
			schemas: { Error: errorSchema },
			securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
		},
	};
}

function operation(path: string, doc: RouteDoc | undefined): object {
	const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
	const json = { 'application/json': { schema: {} } };
	return {
		...(doc ? { summary: doc.summary } : {}),
		...(names.length === 0
			? {}
			: {
					parameters: names.map((name) => ({
						name,
						in: 'path',
						required: true,
						schema: { type: 'string' },
					})),
				}),
		...(doc?.body
			? {
					requestBody: {
						required: true,
						content: { 'application/json': { schema: doc.body.schema } },
					},
				}
			: {}),
		...(doc?.needsKey ? { security: [{ key: [] }] } : {}),
		responses: {
			'200': {
				description: 'The answer.',
				content: doc?.streams
					? { ...json, 'text/event-stream': { schema: { type: 'string' } } }
					: json,
			},
			default: {
				description: 'What went wrong.',
				content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
			},
		},
	};
}
