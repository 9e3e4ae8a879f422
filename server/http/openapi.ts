/** `GET /openapi.json`: made from the routes that exist and the parsers that read their bodies. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { Parser, SchemaObject } from '../protocol/parser.ts';
import { chatRequestParser } from '../services/chat/request.ts';
import { responsesParser } from '../services/responses/request.ts';
import { speechForm } from '../services/speechForm.ts';
import { completionParser } from '../services/text/completionRequest.ts';
import { embeddingParser } from '../services/text/embeddingService.ts';
import { documentParser } from './documentRoutes.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';
import { showParser } from './ollamaRoutes.ts';
import {
	pieceParser,
	recorderClaimParser,
	recorderParser,
	recorderStateParser,
} from './recorderRoutes.ts';
import { detokenizeParser, tokenizeParser } from './tokenRoutes.ts';
import { translatorPaths, translatorSecurity } from './translateOpenApi.ts';

export interface RouteDoc {
	readonly summary: string;
	readonly body?: Parser<unknown>;
	/** A multipart form with a file. */
	readonly form?: SchemaObject;
	/** Query parameters. */
	readonly query?: Readonly<Record<string, SchemaObject>>;
	/** A body of plain bytes. */
	readonly bytes?: boolean;
	/** Content types of the answer beside JSON. */
	readonly answers?: readonly string[];
	/** The answer may be a stream of server-sent events. */
	readonly streams?: boolean;
	/** The key is needed even when other routes need none. */
	readonly needsKey?: boolean;
}

/** `METHOD path` → what to say of it. Routes of other families may be added here. */
export const routeDocs: Readonly<Record<string, RouteDoc>> = {
	'GET /health': { summary: 'Whether the server answers.' },
	'GET /ready': { summary: 'Whether new requests should be sent here: 503 once the server ends.' },
	'GET /metrics': { summary: 'Counters in Prometheus text format.', needsKey: true },
	'GET /openai/status': { summary: 'Addresses and folders of the service.' },
	'GET /v1/models': { summary: 'Models, with their true context length.' },
	'GET /v1/models/{id}': { summary: 'One model.' },
	'POST /v1/chat/completions': {
		summary: 'Chat. Oldest turns that were left out are counted in X-Omitted-Turns.',
		body: chatRequestParser,
		streams: true,
	},
	'POST /v1/chat/completions/tokenizer/encode/count': {
		summary: 'Tokens of a chat prompt, without inference.',
		body: chatRequestParser,
	},
	'POST /v1/completions': { summary: 'Raw completion.', body: completionParser, streams: true },
	'POST /v1/embeddings': { summary: 'Vectors of texts.', body: embeddingParser },
	'POST /v1/responses': {
		summary:
			'Responses, stateless. Oldest turns that were left out are counted in X-Omitted-Turns.',
		body: responsesParser,
		streams: true,
	},
	'POST /v1/audio/transcriptions': {
		summary: 'A recording to text, subtitles or words with times.',
		form: speechForm,
		streams: true,
		answers: ['text/plain', 'text/vtt'],
	},
	'POST /v1/audio/translations': {
		summary: 'A recording to English text.',
		form: speechForm,
		streams: true,
		answers: ['text/plain', 'text/vtt'],
	},
	'POST /documents/translate': {
		summary: 'A whole document in another language; only its words change.',
		body: documentParser,
	},
	'POST /nearglot/recorder': {
		summary: 'Opens a recording of the microphone; its events until the text is complete.',
		body: recorderParser,
		streams: true,
		needsKey: true,
	},
	'POST /recorder/claim': { summary: 'Ticket to token, once.', body: recorderClaimParser },
	'POST /recorder/audio': {
		summary: 'Signed 16-bit little-endian mono samples of a recording.',
		query: pieceParser.schema['properties'] as Record<string, SchemaObject>,
		bytes: true,
	},
	'POST /recorder/state': { summary: 'Starts, pauses or ends.', body: recorderStateParser },
	'GET /recorder/events': { summary: 'The events of a recording.', streams: true },
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
		answerJson(context, openApi(app.routes, backend.settings.version)),
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
		paths: { ...paths, ...translatorPaths },
		components: {
			schemas: { Error: errorSchema },
			securitySchemes: { key: { type: 'http', scheme: 'bearer' }, ...translatorSecurity },
		},
	};
}

function operation(path: string, doc: RouteDoc | undefined): object {
	const json = { 'application/json': { schema: {} } };
	const text = Object.fromEntries(
		[...(doc?.answers ?? []), ...(doc?.streams ? ['text/event-stream'] : [])].map((type) => [
			type,
			{ schema: { type: 'string' } },
		]),
	);
	const parameters = [
		...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
			name,
			in: 'path',
			required: true,
			schema: { type: 'string' },
		})),
		...Object.entries(doc?.query ?? {}).map(([name, schema]) => ({
			name,
			in: 'query',
			required: true,
			schema,
		})),
	];
	const body = bodyOf(doc);
	return {
		...(doc ? { summary: doc.summary } : {}),
		...(parameters.length === 0 ? {} : { parameters }),
		...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
		...(doc?.needsKey ? { security: [{ key: [] }] } : {}),
		responses: {
			'200': { description: 'The answer.', content: { ...json, ...text } },
			default: {
				description: 'What went wrong.',
				content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
			},
		},
	};
}

function bodyOf(doc: RouteDoc | undefined): object | undefined {
	if (doc?.body) return { 'application/json': { schema: doc.body.schema } };
	if (doc?.form) return { 'multipart/form-data': { schema: doc.form } };
	if (doc?.bytes)
		return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
	return undefined;
}
