/**
 * Bodies that are almost right, for every JSON route of the contract: made by its schema, then changed in one to
 * three places. Each has to be answered: below 500 or with a named refusal, in its interface's own shape of errors.
 */

import * as z from 'zod';
import { errorShapeOf } from '../../server/protocol/routes/errorShapes.ts';
import { requestSchema, type SchemaObject } from '../../server/protocol/routes/fields.ts';
import type { Route } from '../../server/protocol/routes/route.ts';
import { routes } from '../../server/protocol/routes/routes.ts';

/** Random numbers in [0, 1) that a seed decides. */
export function seeded(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

type Draw = () => number;

/** Milliseconds after which a body counts as not answered: a model may have to be loaded on a busy machine before. */
const answerMs = 240_000;
/** What ends the server, by its purpose. */
const left = new Set(['/nearglot/shutdown']);

/** The routes that take JSON; those that end the server are left out. */
export const jsonRoutes: readonly Route[] = routes.filter(
	({ path, body }) => body?.kind.startsWith('json') && !left.has(path),
);

export interface BodyReport {
	readonly sent: number;
	/** Answers by their status. */
	readonly statuses: Readonly<Record<number, number>>;
	readonly problems: readonly string[];
}

export interface BodyRun {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly seed: number;
	readonly count: number;
	/** A model that is there. */
	readonly model: string;
}

/** Sends so many bodies, one after the other, to routes that the seed decides. */
export async function sendMutatedBodies(run: BodyRun): Promise<BodyReport> {
	const draw = seeded(run.seed);
	const statuses = new Map<number, number>();
	const problems: string[] = [];
	for (let index = 0; index < run.count; index++) {
		// Each route has its turn: what is drawn is the body.
		const route = jsonRoutes[index % jsonRoutes.length] as Route;
		const path = pathOf(route, run.model);
		const sent = bodyOf(route, draw, run.model);
		const { status, problem } = await ask(run, route, path, sent);
		statuses.set(status, (statuses.get(status) ?? 0) + 1);
		if (problem !== undefined) problems.push(`${path} ${problem}: ${sent.slice(0, 400)}`);
	}
	return { sent: run.count, statuses: Object.fromEntries(statuses), problems };
}

async function ask(
	{ url, headers }: BodyRun,
	{ method }: Route,
	path: string,
	body: string,
): Promise<{ readonly status: number; readonly problem?: string }> {
	const signal = AbortSignal.timeout(answerMs);
	try {
		const response = await fetch(url + path, {
			method: method === 'ALL' ? 'POST' : method,
			headers: { 'content-type': 'application/json', ...headers },
			body,
			signal,
		});
		const { status } = response;
		const text = await beginning(response);
		const isRefused = status >= 400;
		if (status === 500) return { status, problem: `500 ${text.slice(0, 200)}` };
		if (!isRefused) return { status };
		const { name, schema } = path.startsWith('/libretranslate/')
			? { name: 'error of LibreTranslate', schema: z.object({ error: z.string() }) }
			: errorShapeOf(path);
		const read = z.safeParse(schema, parsed(text));
		return read.success
			? { status }
			: { status, problem: `${status}, which is no ${name}: ${text.slice(0, 200)}` };
	} catch (error) {
		return { status: 0, problem: `no answer (${String(error)})` };
	}
}

/** An answer; of one that goes on, what has come first. */
async function beginning(response: Response): Promise<string> {
	const isStream = /event-stream|ndjson/.test(response.headers.get('content-type') ?? '');
	if (!isStream) return response.text();
	const reader = response.body?.getReader();
	const first = await reader?.read();
	await reader?.cancel();
	return new TextDecoder().decode(first?.value);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

const pathOf = ({ path }: Route, model: string): string => {
	const named = path
		.replace(/:endpoint\{[^}]*\}/, 'cognitiveservices')
		.replace(/(?<=\/):\w+(?:\{[^}]*\})?/g, model);
	return /^\/(translate|detect|transliterate|breaksentence|dictionary)/.test(named)
		? `${named}?api-version=3.0&to=de&from=en&language=ja&fromScript=Jpan&toScript=Latn`
		: named;
};

function bodyOf(route: Route, draw: Draw, model: string): string {
	const { body } = route;
	if (body === undefined) return '{}';
	const schema = 'limits' in body ? requestSchema(body.schema) : (body.schema as SchemaObject);
	let value = sample(schema, draw, model, 0, schema);
	const changes = Math.floor(draw() * 4);
	for (let change = 0; change < changes; change++) value = mutated(value, draw, 0);
	const text = JSON.stringify(value) ?? '';
	// Now and then what is not even JSON, or ends too soon.
	if (draw() < 0.04) return text.slice(0, Math.floor(draw() * text.length));
	return text;
}

const pick = <T>(list: readonly T[], draw: Draw): T => list[Math.floor(draw() * list.length)] as T;

/** A value that a schema allows, more or less. */
function sample(
	schema: SchemaObject,
	draw: Draw,
	model: string,
	depth: number,
	root: SchemaObject,
	name = '',
): unknown {
	const next = (inner: unknown, key = name) =>
		sample(resolved(inner, root), draw, model, depth + 1, root, key);
	if ('const' in schema) return schema['const'];
	if (Array.isArray(schema['enum'])) return pick(schema['enum'], draw);
	for (const key of ['anyOf', 'oneOf', 'allOf'])
		if (Array.isArray(schema[key])) return next(pick(schema[key], draw));
	const { type } = schema;
	const kind = Array.isArray(type) ? pick(type, draw) : type;
	if (kind === 'object' || schema['properties'] !== undefined) {
		const properties = Object.entries((schema['properties'] ?? {}) as Record<string, unknown>);
		const required = new Set((schema['required'] as string[] | undefined) ?? []);
		return Object.fromEntries(
			properties
				.filter(([key]) => required.has(key) || draw() < (depth > 3 ? 0.1 : 0.4))
				.map(([key, inner]) => [key, next(inner, key)]),
		);
	}
	if (kind === 'array')
		return Array.from({ length: 1 + Math.floor(draw() * 2) }, () => next(schema['items'] ?? {}));
	if (kind === 'integer' || kind === 'number') {
		const low = Number(schema['minimum'] ?? 0);
		const high = Math.min(Number(schema['maximum'] ?? low + 5), low + 20);
		const value = low + draw() * (high - low);
		return kind === 'integer' ? Math.round(value) : value;
	}
	if (kind === 'boolean') return draw() < 0.5;
	if (kind === 'null') return null;
	if (kind === undefined) return pick(junk, draw);
	if (/model|name|alias/i.test(name)) return model;
	return pick(['hi', 'en', 'de', 'user', '{"type":"object"}', 'a b c', ''], draw);
}

function resolved(schema: unknown, root: SchemaObject): SchemaObject {
	const found = (typeof schema === 'object' && schema !== null ? schema : {}) as SchemaObject;
	const reference = found['$ref'];
	if (typeof reference !== 'string') return found;
	const at = reference
		.split('/')
		.slice(1)
		.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
	return (at ?? {}) as SchemaObject;
}

const junk: readonly unknown[] = [
	...[null, true, 0, -1, 1.5, 1e308, -0, Number.MAX_SAFE_INTEGER + 2],
	...[
		'',
		'text',
		'\u0000',
		'\ud800',
		'__proto__',
		'constructor',
		'../../etc/passwd',
		'x'.repeat(5000),
	],
	...[[], [[]], [null], {}, { a: { b: [] } }, ['a', 1], { type: 'function' }, { role: 'user' }],
	JSON.parse('{"__proto__":{"polluted":1}}'),
	Array.from({ length: 200 }, (_, index) => index),
];

/** The value with one place in it changed. */
function mutated(value: unknown, draw: Draw, depth: number): unknown {
	const isBranch = typeof value === 'object' && value !== null;
	if (!isBranch || depth > 6 || draw() < 0.15) return changed(value, draw);
	if (Array.isArray(value)) {
		if (value.length === 0) return [pick(junk, draw)];
		const at = Math.floor(draw() * value.length);
		return value.map((item, index) => (index === at ? mutated(item, draw, depth + 1) : item));
	}
	const entries = Object.entries(value);
	const how = draw();
	if (entries.length === 0 || how < 0.1)
		return {
			...value,
			[pick(['extra', 'model', 'stream', 'input', 'toString'], draw)]: pick(junk, draw),
		};
	const [key] = pick(entries, draw);
	if (how < 0.25) return Object.fromEntries(entries.filter(([name]) => name !== key));
	return Object.fromEntries(
		entries.map(([name, item]) => [name, name === key ? mutated(item, draw, depth + 1) : item]),
	);
}

function changed(value: unknown, draw: Draw): unknown {
	const how = draw();
	if (typeof value === 'string' && how < 0.4)
		return pick([value + value, `${value}\u0000`, value.slice(1)], draw);
	if (typeof value === 'number' && how < 0.4)
		return pick([-value, value * 1e9, value + 0.5, String(value)], draw);
	if (how < 0.5) return [value];
	if (how < 0.55) return nested(value, 100);
	return pick(junk, draw);
}

const nested = (value: unknown, depth: number): unknown =>
	Array.from({ length: depth }).reduce<unknown>((inner) => ({ a: [inner] }), value);
