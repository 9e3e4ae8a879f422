/**
 * One route of the server: method, path, who may call it, what it takes, answers and streams. From these objects
 * come the checks of requests (http/register.ts), the roles (http/roles.ts), openapi.json (http/openapi.ts), the
 * tables of docs/api.md (scripts/apiTables.mjs) and the typed client (protocol/routeClient.ts).
 *
 * To add a route: write its object into the file of its family, put it into `routes.ts`, and register a handler
 * with `register(app, theRoute, handler)`.
 */

import type * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { KeyScope } from '../limitTypes.ts';
import type { BodyLimits } from './bodyLimits.ts';
import type { SchemaObject } from './fields.ts';

/** Least role that may call a route; the owner may call all. */
export type Role = 'anyone' | 'member' | 'owner';
/** Who may besides: `stranger` for pages and for what checks a ticket or a credential of its own. */
export type Besides = 'studio' | 'local' | 'stranger';

/** A JSON body, read and checked before the handler runs. */
export interface JsonBody<S extends z.ZodType = z.ZodType> {
	readonly kind: 'json';
	readonly schema: S;
	readonly limits: BodyLimits;
	/** Fields that nobody reads are refused: what they were meant to forbid would be allowed. */
	readonly strict?: true;
	/** Most bytes of a body of another type, which the handler gets as it is; absent: none is taken. */
	readonly orBytes?: number;
}

/** A form with one file, which goes to disk while it comes; its handler reads the other fields by the schema. */
export interface FormBody<S extends z.ZodType = z.ZodType> {
	readonly kind: 'form';
	readonly schema: S;
	/** Field with the file. */
	readonly file: { readonly name: string; readonly description: string };
}

/** A body that its handler reads itself: described here, not checked. */
export interface OwnBody {
	readonly kind: 'bytes' | 'json-by-hand';
	readonly schema: SchemaObject;
}

export type RouteBody = JsonBody | FormBody | OwnBody;

export interface Route {
	/** `ALL` for interfaces that answer a wrong method in a shape of their own. */
	readonly method: 'GET' | 'POST' | 'DELETE' | 'ALL';
	/** As hono reads it; `:name{pattern}`. */
	readonly path: string;
	/** Default `owner`. */
	readonly who?: Role;
	readonly also?: readonly Besides[];
	/**
	 * What a key has to be for, of those that people were given; `any`: every key will do. A route for members that does
	 * not say it takes no such key.
	 */
	readonly scope?: KeyScope | 'any';
	/** Changes something though it is a GET: other web pages can cause those. */
	readonly changes?: true;
	/** A page a link elsewhere may lead to: it shows itself and does nothing before somebody acts on it. */
	readonly linked?: true;
	/** One sentence, or a part of one. */
	readonly summary: string;
	/** Query parameters; each value is a text, or absent. */
	readonly query?: z.ZodType;
	/** Query parameters that the handler reads itself: described here, not checked. */
	readonly parameters?: readonly Parameter[];
	readonly body?: RouteBody;
	/** The JSON answer. */
	readonly answer?: z.ZodType;
	/** Content types of other answers, among them those beside JSON. */
	readonly answers?: readonly string[];
	/** The `data:` of each server-sent event; before `[DONE]`, where the interface has that. */
	readonly events?: z.ZodType;
	/** The connection becomes a WebSocket; each message either way is a text with one event as JSON. */
	readonly socket?: { readonly takes: z.ZodType; readonly sends: z.ZodType };
	/** Each line of an answer that comes line by line, as JSON. */
	readonly lines?: z.ZodType;
	/** Codes of errors that have to do with what this route does, beside those of every route. */
	readonly errors?: readonly ErrorCode[];
	/** Takes the keys of the translate interface, too. */
	readonly translatorKeys?: true;
	/** How openapi.json shows methods of an `ALL` route. */
	readonly shown?: readonly ('GET' | 'POST')[];
	/** Section of docs/api.md that lists it. */
	readonly section?: Section;
}

export type Section =
	| 'chat'
	| 'anthropic'
	| 'ollama'
	| 'batch'
	| 'speech'
	| 'recorder'
	| 'translation'
	| 'models'
	| 'people'
	| 'server';

/** A query parameter of a route that reads its parameters by hand. */
export interface Parameter {
	readonly name: string;
	readonly required?: boolean;
	/** May be repeated. */
	readonly many?: boolean;
	readonly values?: readonly string[];
	readonly description: string;
}

/** Declares a route; its schemas keep their types. */
export const route = <const R extends Route>(declared: R): R => declared;

/** A JSON body of at most what {@link BodyLimits} say. */
export const jsonBody = <S extends z.ZodType>(schema: S, limits: BodyLimits): JsonBody<S> => ({
	kind: 'json',
	schema,
	limits,
});

/** A JSON body in which every field has to be one that is read. */
export const strictBody = <S extends z.ZodType>(
	schema: S,
	limits: BodyLimits,
): JsonBody<S> & { readonly strict: true } => ({ ...jsonBody(schema, limits), strict: true });

/** A JSON body, or the bytes of a file. */
export const jsonOrBytes = <S extends z.ZodType>(
	schema: S,
	limits: BodyLimits,
	orBytes: number,
): JsonBody<S> & { readonly orBytes: number } => ({ ...jsonBody(schema, limits), orBytes });

/** What the handler of a route gets as its body. */
export type BodyOf<R extends Route> = R extends { readonly body: JsonBody<infer S> }
	? z.output<S> | (R['body'] extends { readonly orBytes: number } ? Bytes : never)
	: undefined;
type Bytes = Uint8Array<ArrayBuffer>;
/** What a client sends as the body. */
export type RequestOf<R extends Route> = R extends { readonly body: infer B extends RouteBody }
	? B extends JsonBody<infer S>
		? z.input<S> | (B extends { readonly orBytes: number } ? Uint8Array : never)
		: B['kind'] extends 'form'
			? FormData
			: B['kind'] extends 'bytes'
				? Uint8Array
				: unknown
	: undefined;
export type QueryOf<R extends Route> = R extends { readonly query: infer S extends z.ZodType }
	? z.output<S>
	: undefined;
export type AnswerOf<R extends Route> = R extends { readonly answer: infer S extends z.ZodType }
	? z.output<S>
	: undefined;
export type EventOf<R extends Route> = R extends { readonly events: infer S extends z.ZodType }
	? z.output<S>
	: never;

/** `METHOD /path`, as roles and errors name a route. */
export const routeName = ({ method, path }: { readonly method: string; readonly path: string }) =>
	`${method} ${path}`;

/** The path as people and openapi.json write it: `:id{.+}` is `{id}`. */
export const shownPath = (path: string): string =>
	path.replace(/(?<=\/):(\w+)(?:\{.+?\}(?=\/|$))?/g, '{$1}');
