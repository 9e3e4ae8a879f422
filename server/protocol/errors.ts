/**
 * The one table of everything that can go wrong: what a caller sees over HTTP, over JSON-RPC and in
 * the editor. Nothing else in the project invents status codes.
 */

import { actionCommand, type ErrorAction, errorActionOf } from './errorAction.ts';

/** HTTP status, JSON-RPC code, OpenAI-style `type`, and whether the same call may succeed later. */
export interface ErrorKind {
	readonly httpStatus: number;
	readonly rpcCode: number;
	readonly type: string;
	readonly retryable: boolean;
	/** English sentence used when the thrower gives no message of its own. */
	readonly sentence: string;
}

const kind = <Code extends number>(
	httpStatus: number,
	rpcCode: Code,
	type: string,
	retryable: boolean,
	sentence: string,
): ErrorKind & { readonly rpcCode: Code } => ({ httpStatus, rpcCode, type, retryable, sentence });

/** The JSON-RPC numbers of all rows but one. */
type OtherNumbers<Rows extends Record<string, ErrorKind>, Own> = Rows[Exclude<
	keyof Rows,
	Own
>]['rpcCode'];

/** Rows whose JSON-RPC numbers all differ: a number that is there twice does not compile. */
type Distinct<Rows extends Record<string, ErrorKind>> = {
	readonly [Code in keyof Rows]: Rows[Code]['rpcCode'] extends OtherNumbers<Rows, Code>
		? { readonly rpcCode: 'another row has this number' }
		: unknown;
};

const table = <Rows extends Record<string, ErrorKind>>(rows: Rows & Distinct<Rows>): Rows => rows;

/** Closed set of error codes; the key is what appears as `error.code`. */
export const errorKinds = table({
	invalid_request: kind(400, -32602, 'invalid_request_error', false, 'The request is not valid.'),
	invalid_json: kind(400, -32700, 'invalid_request_error', false, 'The body is not valid JSON.'),
	context_length_exceeded: kind(
		400,
		-32001,
		'invalid_request_error',
		false,
		'The prompt is longer than the model can read.',
	),
	unsupported_parameter: kind(
		400,
		-32002,
		'invalid_request_error',
		false,
		'This model cannot honour that parameter.',
	),
	invalid_audio: kind(400, -32003, 'invalid_request_error', false, 'The audio cannot be read.'),
	unsupported_model: kind(
		400,
		-32004,
		'invalid_request_error',
		false,
		'The model folder is not one this version can run.',
	),
	too_expensive: kind(
		400,
		-32031,
		'invalid_request_error',
		false,
		'Answering this would take too much computing.',
	),
	invalid_api_key: kind(401, -32010, 'authentication_error', false, 'The key is missing or wrong.'),
	sign_in_required: kind(
		401,
		-32030,
		'authentication_error',
		false,
		'You have to sign in to the team server first.',
	),
	forbidden: kind(403, -32011, 'permission_error', false, 'This is not allowed.'),
	not_found: kind(404, -32012, 'invalid_request_error', false, 'There is nothing here.'),
	model_not_found: kind(404, -32013, 'invalid_request_error', false, 'There is no such model.'),
	request_timeout: kind(408, -32032, 'invalid_request_error', true, 'The body came too slowly.'),
	method_not_allowed: kind(405, -32014, 'invalid_request_error', false, 'Method not allowed.'),
	conflict: kind(409, -32015, 'conflict_error', false, 'Something else is already doing this.'),
	unsupported_media_type: kind(
		415,
		-32033,
		'invalid_request_error',
		false,
		'The body is of a kind that is not read here.',
	),
	payload_too_large: kind(413, -32016, 'invalid_request_error', false, 'The body is too large.'),
	rate_limited: kind(429, -32017, 'rate_limit_error', true, 'Too many requests.'),
	batch_queue_full: kind(429, -32034, 'rate_limit_error', true, 'Too many batches are under way.'),
	cancelled: kind(499, -32800, 'cancelled_error', false, 'The request was cancelled.'),
	internal: kind(500, -32603, 'server_error', false, 'Something went wrong inside Nearglot.'),
	not_supported: kind(501, -32018, 'server_error', false, 'This is not supported here.'),
	upstream_failed: kind(502, -32019, 'server_error', true, 'The remote service failed.'),
	runner_crashed: kind(503, -32020, 'server_error', true, 'The process running the model ended.'),
	overloaded: kind(503, -32021, 'server_error', true, 'The queue is full.'),
	out_of_memory: kind(503, -32022, 'server_error', true, 'There is not enough memory free.'),
	model_loading: kind(503, -32023, 'server_error', true, 'The model is still loading.'),
	store_unavailable: kind(503, -32024, 'server_error', true, 'The store cannot be reached.'),
	timeout: kind(504, -32025, 'server_error', true, 'It took too long.'),
	disk_full: kind(507, -32026, 'server_error', false, 'There is not enough disk space.'),
	download_failed: kind(502, -32027, 'server_error', true, 'The download failed.'),
	daemon_unavailable: kind(503, -32028, 'server_error', true, 'The model server is not running.'),
	port_in_use: kind(500, -32029, 'server_error', false, 'The port is already in use.'),
});

/** One of the closed set of error codes. */
export type ErrorCode = keyof typeof errorKinds;

/** Extra facts an {@link AppError} may carry. */
export interface AppErrorOptions {
	/** Name of the request field at fault, as the caller spelled it. */
	readonly param?: string;
	/** Seconds after which the caller may try again (becomes `Retry-After`). */
	readonly retryAfterS?: number;
	/** Machine-readable facts, for JSON-RPC `data`. */
	readonly data?: Readonly<Record<string, unknown>>;
	readonly cause?: unknown;
}

/** What every {@link AppError} has, whichever bundle it comes from. */
export const appErrorMark: unique symbol = Symbol.for('nearglot.AppError');

/**
 * The only error type that crosses a boundary. The message says what happened, what was tried and
 * what to do; it never holds a stack, a key or the user's text.
 *
 * @example throw new AppError('model_not_found', "There is no model 'x'. Known: a, b.", { param: 'model' })
 */
export class AppError extends Error {
	/** Bundles that are loaded later have a class of their own; what it makes is the same. */
	static override [Symbol.hasInstance](value: unknown): boolean {
		if (this !== AppError) return Function.prototype[Symbol.hasInstance].call(this, value);
		return typeof value === 'object' && value !== null && appErrorMark in value;
	}

	readonly [appErrorMark] = true;
	readonly code: ErrorCode;
	readonly param: string | null;
	readonly retryAfterS: number | undefined;
	readonly data: Readonly<Record<string, unknown>> | undefined;

	constructor(code: ErrorCode, message?: string, options: AppErrorOptions = {}) {
		super(message ?? errorKinds[code].sentence, { cause: options.cause });
		this.name = 'AppError';
		this.code = code;
		this.param = options.param ?? null;
		this.retryAfterS = options.retryAfterS;
		this.data = options.data;
	}

	get kind(): ErrorKind {
		return errorKinds[this.code];
	}
}

/** The field `action` of a body, of either family. */
export function actionField(error: AppError): { action?: ErrorAction & { command: string } } {
	const action = errorActionOf(error);
	return action ? { action: { ...action, command: actionCommand(action) } } : {};
}

/** The error body of every route outside the translator's own family. */
export interface ErrorBody {
	readonly error: {
		readonly message: string;
		readonly type: string;
		readonly param: string | null;
		readonly code: string;
		/** What can be done about it. */
		readonly action?: ErrorAction & { readonly command: string };
	};
}

/** Turns an {@link AppError} into the body clients of the chat interface expect. */
export function errorBody(error: AppError): ErrorBody {
	return {
		error: {
			message: error.message,
			type: error.kind.type,
			param: error.param,
			code: error.code,
			...actionField(error),
		},
	};
}
