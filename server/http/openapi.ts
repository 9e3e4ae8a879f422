/** `GET /openapi.json`: a walk over the routes of the contract. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError, type ErrorCode, errorKinds } from '../protocol/index.ts';
import { errorShapeOf, errorShapes } from '../protocol/routes/errorShapes.ts';
import { answerSchema, requestSchema, type SchemaObject } from '../protocol/routes/fields.ts';
import { type FormBody, type Route, type RouteBody, shownPath } from '../protocol/routes/route.ts';
import { routes } from '../protocol/routes/routes.ts';
import { openApiRoute } from '../protocol/routes/status.ts';
import { translatorSecurity } from '../protocol/routes/translatorApi.ts';
import type { AppEnv } from './env.ts';
import { jsonBytes } from './jsonAnswer.ts';
import { register } from './register.ts';

export function registerOpenApi(app: Hono<AppEnv>, backend: Backend): void {
	let made: Promise<Uint8Array<ArrayBuffer>> | undefined;
	register(app, openApiRoute, async ({ context }) => {
		made ??= jsonBytes(openApi(routes, backend.settings.version));
		return context.body(await made, 200, { 'content-type': 'application/json' });
	});
}

/** The document for a list of routes. */
export function openApi(described: readonly Route[], version: string): object {
	const paths: Record<string, Record<string, object>> = {};
	for (const route of described) {
		const shown = shownPath(route.path);
		const methods = route.shown ?? [route.method];
		for (const method of methods)
			paths[shown] = { ...paths[shown], [method.toLowerCase()]: operation(shown, route) };
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
			schemas: Object.fromEntries(
				errorShapes.map(({ name, schema }) => [name, answerSchema(schema)]),
			),
			securitySchemes: { key: { type: 'http', scheme: 'bearer' }, ...translatorSecurity },
		},
	};
}

function operation(path: string, route: Route): object {
	const parameters = [
		...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
			name,
			in: 'path',
			required: true,
			schema: { type: 'string' },
		})),
		...queryParameters(route),
	];
	return {
		summary: route.summary,
		...(parameters.length === 0 ? {} : { parameters }),
		...(route.body === undefined
			? {}
			: { requestBody: { required: true, content: bodyContent(route.body) } }),
		security: securityOf(route),
		// What a key that somebody was given has to be for.
		...(route.scope === undefined ? {} : { 'x-key-scope': route.scope }),
		responses: {
			...(route.socket === undefined
				? { '200': { description: 'The answer.', ...answerContent(route) } }
				: { '101': socketAnswer(route.socket) }),
			...failures(path, route.errors ?? []),
			default: failure(path, 'What went wrong.'),
		},
	};
}

function queryParameters({ query, parameters = [] }: Route): object[] {
	const { properties = {}, required = [] } = (query ? requestSchema(query) : {}) as {
		readonly properties?: Readonly<Record<string, SchemaObject>>;
		readonly required?: readonly string[];
	};
	return [
		...Object.entries(properties).map(([name, schema]) => ({
			name,
			in: 'query',
			required: required.includes(name),
			schema,
		})),
		...parameters.map(({ name, required: needed = false, many = false, values, description }) => {
			const one = values ? { enum: values } : { type: 'string' };
			return {
				name,
				in: 'query',
				required: needed,
				description,
				schema: many ? { type: 'array', items: one } : one,
			};
		}),
	];
}

const contentTypes: Readonly<Record<RouteBody['kind'], string>> = {
	json: 'application/json',
	'json-by-hand': 'application/json',
	form: 'multipart/form-data',
	bytes: 'application/octet-stream',
};

function bodyContent(body: RouteBody): object {
	return {
		[contentTypes[body.kind]]: { schema: bodySchema(body) },
		...(body.kind === 'json' && body.orBytes !== undefined
			? { [contentTypes.bytes]: { schema: { type: 'string', format: 'binary' } } }
			: {}),
	};
}

function bodySchema(body: RouteBody): SchemaObject {
	if (body.kind === 'json') return requestSchema(body.schema);
	return body.kind === 'form' ? formSchema(body) : body.schema;
}

/** Lists are sent with `[]` behind the name, once per value. */
function formSchema({ schema, file: { name, description } }: FormBody): SchemaObject {
	const { properties, required = [] } = requestSchema(schema) as {
		readonly properties: Readonly<Record<string, SchemaObject>>;
		readonly required?: readonly string[];
	};
	const fields = Object.entries(properties).map(([field, described]) => [
		described['type'] === 'array' ? `${field}[]` : field,
		described,
	]);
	return {
		type: 'object',
		required: [name, ...required],
		properties: {
			[name]: { type: 'string', format: 'binary', description },
			...Object.fromEntries(fields),
		},
	};
}

function answerContent({ answer, answers = [], events, lines }: Route): { content?: object } {
	const content = {
		...(answer === undefined ? {} : { 'application/json': { schema: answerSchema(answer) } }),
		...Object.fromEntries(answers.map((type) => [type, { schema: { type: 'string' } }])),
		// The schema is that of the data of each event.
		...(events === undefined ? {} : { 'text/event-stream': { schema: answerSchema(events) } }),
		...(lines === undefined ? {} : { 'application/x-ndjson': { schema: answerSchema(lines) } }),
	};
	return Object.keys(content).length === 0 ? {} : { content };
}

/** OpenAPI has no word for the messages of a WebSocket, so they stand in a field of their own. */
const socketAnswer = ({ takes, sends }: NonNullable<Route['socket']>) => ({
	description: 'The connection is a WebSocket; each message is one event as JSON.',
	'x-websocket': { client: requestSchema(takes), server: answerSchema(sends) },
});

/** None, the key, or a key of the translate interface; `{}` is for callers that need none. */
function securityOf({ who = 'owner', also = [], translatorKeys }: Route): object[] {
	if (translatorKeys) return [{ subscriptionKey: [] }, { key: [] }, {}];
	return who === 'owner' && also.length === 0 ? [{ key: [] }] : [{ key: [] }, {}];
}

const failure = (path: string, description: string) => ({
	description,
	content: {
		'application/json': { schema: { $ref: `#/components/schemas/${errorShapeOf(path).name}` } },
	},
});

/** Errors by status, since codes share them. */
function failures(path: string, codes: readonly ErrorCode[]): Record<string, object> {
	const { status: statusOf } = errorShapeOf(path);
	const byStatus = Map.groupBy(codes, (code) => statusOf(new AppError(code)));
	return Object.fromEntries(
		[...byStatus].map(([status, group]) => [
			String(status),
			failure(path, group.map((code) => `\`${code}\`: ${errorKinds[code].sentence}`).join(' ')),
		]),
	);
}
