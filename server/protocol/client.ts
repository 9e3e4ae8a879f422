/**
 * The typed client of the server: what a route takes and answers is in the types, from the route object itself.
 * It sends; who finds the server, shows the key and reads errors is given. Answers are not checked again: they
 * come from a server of the same product, and tests hold them against their schemas.
 *
 * Programs that must not carry the schemas (pages) name a route by {@link address} and import its type alone.
 */

import { errorOfBody, errorOfResponse } from './errorBody.ts';
import { AppError } from './errors.ts';
import type { AnswerOf, EventOf, RequestOf, Route } from './routes/route.ts';
import { readEvents } from './sse.ts';

/** Sends a request to a path of the server. Rejects with the server's own error when the answer is not 2xx. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

export interface SenderOptions {
	readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
	/** `http://HOST:PORT` */
	readonly url: string;
	readonly key: string;
	/** What a failed connection means to people. */
	readonly unreachable: (cause: unknown) => AppError;
	/** The error that an answer outside 2xx stands for. */
	readonly errorOf?: (response: Response) => Promise<AppError>;
}

/** Requests with a key, errors as AppError. */
export function sender({
	fetch: send,
	url,
	key,
	unreachable,
	errorOf = errorOfResponse,
}: SenderOptions): Send {
	return async (path, init) => {
		const headers = new Headers(init.headers);
		headers.set('authorization', `Bearer ${key}`);
		let response: Response;
		try {
			response = await send(new URL(path, url), { ...init, headers });
		} catch (error) {
			if (init.signal?.aborted) throw new AppError('cancelled');
			// Whoever sent it may know what is wrong.
			throw error instanceof AppError ? error : unreachable(error);
		}
		if (!response.ok) throw await errorOf(response);
		return response;
	};
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
		/** Texts; `undefined` is left out. */
		readonly query?: Readonly<Record<string, string | undefined>>;
		readonly headers?: Readonly<Record<string, string>>;
	};

/** The parts of any {@link Input}. */
interface Parts {
	readonly params?: Readonly<Record<string, string>> | undefined;
	readonly query?: Readonly<Record<string, string | undefined>>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
}

export interface CallOptions {
	readonly signal?: AbortSignal;
}

export interface StreamOptions extends CallOptions {
	/** What a stream means that broke off. */
	readonly cut: (cause: unknown) => AppError;
}

/**
 * @example
 * const client = new Client(send);
 * const { data } = await client.call(listModels, {}, { signal });
 * for await (const event of client.stream(pullModel, { body: { model } }, { signal, cut: downloadCut })) …
 */
export class Client {
	readonly #send: Send;

	constructor(send: Send) {
		this.#send = send;
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

	/** The events of a route that streams; an event that is an error is thrown. */
	async *stream<R extends Route>(
		route: R,
		input: Input<R>,
		{ cut, ...options }: StreamOptions,
	): AsyncGenerator<EventOf<R>, void, undefined> {
		const response = await this.open(route, input, options);
		yield* eventsOf(response, cut) as AsyncGenerator<EventOf<R>, void, undefined>;
	}

	/** The answer before it is read. */
	open<R extends Route>(
		route: R,
		input: Input<R>,
		{ signal }: CallOptions = {},
	): Promise<Response> {
		const { params, query, headers = {}, body }: Parts = input;
		const request = body === undefined ? { method: route.method, headers: {} } : jsonRequest(body);
		return this.#send(`${pathOf(route.path, params)}${searchOf(query)}`, {
			...request,
			headers: { ...request.headers, ...headers },
			...(signal ? { signal } : {}),
		});
	}
}

/** A POST of JSON. */
export const jsonRequest = (body: unknown, signal?: AbortSignal) => ({
	method: 'POST',
	headers: { 'content-type': 'application/json' },
	body: JSON.stringify(body),
	...(signal ? { signal } : {}),
});

function pathOf(path: string, params: Readonly<Record<string, string>> = {}): string {
	return path.replace(/:(\w+)(?:\{.+?\}(?=\/|$))?/g, (_, name: string) =>
		encodeURIComponent(params[name] ?? ''),
	);
}

function searchOf(query: Readonly<Record<string, string | undefined>> = {}): string {
	const given = Object.entries(query).filter(
		(pair): pair is [string, string] => pair[1] !== undefined,
	);
	return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/**
 * The JSON of every server-sent event of an answer; an error event is thrown as what it says, a connection that
 * broke as what `cut` makes of it. Whether a stream that ends has said everything, its reader knows.
 */
export async function* eventsOf(
	response: Response,
	cut: (cause: unknown) => AppError,
): AsyncGenerator<Record<string, unknown>, void, undefined> {
	const events = readEvents(response.body ?? new Blob([]).stream());
	for (;;) {
		let value: Record<string, unknown>;
		try {
			const next = await events.next();
			if (next.done) return;
			if (next.value.data === '[DONE]') continue;
			value = JSON.parse(next.value.data) as Record<string, unknown>;
		} catch (error) {
			throw error instanceof AppError ? error : cut(error);
		}
		if (value['error'] !== undefined)
			throw (
				errorOfBody(value, 500) ??
				new AppError('internal', 'The server reported a failure in a form that is not understood.')
			);
		yield value;
	}
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
