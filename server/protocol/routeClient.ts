/**
 * The typed client of the server: what a route takes and answers is in the types, from the route object itself.
 * It sends; who finds the server, shows the key and reads errors is given. Answers are not checked again: they
 * come from a server of the same product, and tests hold them against their schemas.
 *
 * Programs that must not carry the schemas (pages) name a route by {@link address} and import its type alone.
 */

import { defined } from './defined.ts';
import { errorOfResponse } from './errorBody.ts';
import { AppError } from './errors.ts';
import { type StreamedWork, streamCut, streamEvents } from './eventStream.ts';
import { type OverloadRetry, retryWhenOverloaded } from './retryWhenOverloaded.ts';
import type { AnswerOf, EventOf, RequestOf, Route } from './routes/route.ts';
import { wholeJson } from './wholeJson.ts';

/** Sends a request to a path of the server. Rejects with the server's own error when the answer is not 2xx. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

export interface SenderOptions {
	readonly fetch: Send;
	/** Absent: the request shows none. */
	readonly key?: string;
	/** What a failed connection means to people. */
	readonly unreachable?: (cause: unknown) => AppError;
	/** The error that an answer outside 2xx stands for. */
	readonly errorOf?: (response: Response) => AppError | Promise<AppError>;
	/** How long what an overloaded server refuses is asked again; absent: not at all. */
	readonly room?: OverloadRetry;
}

const unanswered = (cause: unknown) =>
	new AppError('daemon_unavailable', 'The model server does not answer.', { cause });

/** Requests with a key, errors as AppError. */
export function sender({
	fetch: send,
	key = '',
	unreachable = unanswered,
	errorOf = errorOfResponse,
	room,
}: SenderOptions): Send {
	const once: Send = async (path, init) => {
		const headers = new Headers(init.headers);
		if (key !== '') headers.set('authorization', `Bearer ${key}`);
		let response: Response;
		try {
			response = await send(path, { ...init, headers });
		} catch (error) {
			if (init.signal?.aborted) throw new AppError('cancelled', undefined, { cause: error });
			// The sender may know what is wrong.
			throw error instanceof AppError ? error : unreachable(error);
		}
		if (!response.ok) throw await errorOf(response);
		return response;
	};
	if (room === undefined) return once;
	return (path, init) => retryWhenOverloaded(() => once(path, init), init, room);
}

/** Names of a path's parameters: `:id{.+}` is `id`. */
type ParamsOf<Path extends string> = Path extends `${string}:${infer After}`
	? After extends `${infer Name}{${string}}${infer Rest}`
		? Name | ParamsOf<Rest>
		: After extends `${infer Name}/${infer Rest}`
			? Name | ParamsOf<Rest>
			: After
	: never;

/** What a request to a route consists of. */
export type Input<R extends Route> = ([ParamsOf<R['path']>] extends [never]
	? { readonly params?: undefined }
	: { readonly params: Readonly<Record<ParamsOf<R['path']>, string>> }) &
	([RequestOf<R>] extends [undefined]
		? { readonly body?: undefined }
		: { readonly body: RequestOf<R> }) & {
		readonly query?: Query;
		readonly headers?: Readonly<Record<string, string>>;
	};

/** Texts; one that is repeated is a list, and `undefined` is left out. */
type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The parts of any {@link Input}. */
interface Parts {
	readonly params?: Readonly<Record<string, string>> | undefined;
	readonly query?: Query;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
}

export interface CallOptions {
	readonly signal?: AbortSignal;
}

export interface StreamOptions extends CallOptions {
	/** What breaks off with the stream. */
	readonly of: StreamedWork;
}

/**
 * @example
 * const client = new Client(send);
 * const { data } = await client.call(listModels, {}, { signal });
 * for await (const event of client.stream(pullModel, { body: { model } }, { signal, of: 'download' })) …
 */
export class Client {
	/** A request to a path, for what no route object describes. Rejects as a call does. */
	readonly request: Send;
	/** The error for a stream that stops before its end. */
	readonly cut: typeof streamCut;

	constructor(request: Send, cut = streamCut) {
		this.request = request;
		this.cut = cut;
	}

	/** The JSON answer of a route; `undefined` of one that declares none. */
	async call<R extends Route>(
		route: R,
		input: Input<R>,
		options: CallOptions = {},
	): Promise<AnswerOf<R>> {
		const response = await this.open(route, input, options);
		const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
		if (isJson) return (await response.json()) as AnswerOf<R>;
		await response.body?.cancel();
		return undefined as AnswerOf<R>;
	}

	/** The events of a route that streams, see {@link streamEvents}. */
	async *stream<R extends Route>(
		route: R,
		input: Input<R>,
		{ of, ...options }: StreamOptions,
	): AsyncGenerator<EventOf<R>, void, undefined> {
		const response = await this.open(route, input, options);
		yield* streamEvents<EventOf<R>>(response, { ...options, cut: (cause) => this.cut(of, cause) });
	}

	/** The answer before it is read. */
	open<R extends Route>(
		route: R,
		input: Input<R>,
		{ signal }: CallOptions = {},
	): Promise<Response> {
		const { params, query, headers = {}, body }: Parts = input;
		const type = contentTypeOf(body);
		return this.request(`${pathOf(route.path, params)}${searchOf(query)}`, {
			method: route.method,
			headers: { ...defined({ 'content-type': type }), ...headers },
			...(body === undefined ? {} : { body: type === json ? wholeJson(body) : (body as BodyInit) }),
			...(signal ? { signal } : {}),
		});
	}
}

const json = 'application/json';

/** Of a form the sender finds out, because the border between its parts belongs to it. */
function contentTypeOf(body: unknown): string | undefined {
	if (body === undefined || body instanceof FormData) return undefined;
	return body instanceof Uint8Array ? 'application/octet-stream' : json;
}

function pathOf(path: string, params: Readonly<Record<string, string>> = {}): string {
	return path.replace(/(?<=\/):(\w+)(?:\{.+?\}(?=\/|$))?/g, (_, name: string) =>
		encodeURIComponent(params[name] ?? ''),
	);
}

function searchOf(query: Query = {}): string {
	const given = Object.entries(query).flatMap(([name, value = []]) =>
		[value].flat().map((each) => [name, each]),
	);
	return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/**
 * A route by method and path, for programs that take the type of its object alone.
 *
 * @example
 * import type { listModels } from '../server/protocol/routes/models.ts';
 * const list = address<typeof listModels>('GET', '/v1/models');
 */
export function address<R extends Route>(method: R['method'], path: R['path']): R {
	// The client reads nothing else of a route.
	return { method, path, summary: '' } satisfies Route as Route as R;
}
