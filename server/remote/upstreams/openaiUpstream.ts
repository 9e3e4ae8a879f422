/**
 * An engine elsewhere that speaks the OpenAI interface: its models, streams and answers. It is asked when it is named, and
 * nothing else is tried in its place.
 */

import { isRecord } from '../../protocol/errorBody.ts';
import type { AppError, ModelTask } from '../../protocol/index.ts';
import { taskSchema } from '../../protocol/routes/answers.ts';
import { bytesOf, readEvents } from '../../protocol/sse.ts';
import { wholeJson } from '../../protocol/wholeJson.ts';
import { failureOf } from './upstreamErrors.ts';
import { createExchange, type ReadAnswer, type UpstreamDeps } from './upstreamExchange.ts';
import { allowsModel, type UpstreamEntry } from './upstreamFile.ts';

/** A model as the engine lists it. */
export interface UpstreamModel {
	readonly id: string;
	/** Tokens, where the engine says. */
	readonly contextLength?: number;
	/** What it is for, where the engine says. */
	readonly task?: ModelTask;
}

type JsonFields = Readonly<Record<string, unknown>>;

export interface UpstreamEngine {
	readonly entry: UpstreamEntry;
	/** Its models, asked at most once a minute. @throws AppError when it cannot be asked */
	models(signal?: AbortSignal): Promise<readonly UpstreamModel[]>;
	/** What {@link models} found last. */
	readonly lastModels: readonly UpstreamModel[];
	/**
	 * Asks for a stream. Every object of it is given as it comes; one whole answer, from engines that do not stream, is
	 * one object. Aborting closes the connection.
	 * @param conversation which one it is a turn of, for a balancer before the engine
	 * @throws AppError that names the engine; `cancelled`
	 */
	stream(
		path: '/chat/completions' | '/completions',
		body: JsonFields,
		onObject: (object: JsonFields) => void,
		signal?: AbortSignal,
		conversation?: string,
	): Promise<void>;
	/**
	 * Asks for one answer.
	 * @param moreS seconds it may take beside the engine's time limit: nothing comes before it is ready
	 * @throws AppError that names the engine; `cancelled`
	 */
	whole(
		path: '/embeddings' | '/rerank' | `/audio/${string}`,
		body: JsonFields | FormData,
		signal?: AbortSignal,
		moreS?: number,
	): Promise<JsonFields>;
	/** The error for an answer without what was asked for. */
	nonsense(): AppError;
}

/** Seconds that a list is good for, and that a list is waited for. */
const listFreshMs = 60_000;
const listTimeoutMs = 3_000;
const maxEventLength = 16 << 20;

export function createUpstream(entry: UpstreamEntry, deps: UpstreamDeps): UpstreamEngine {
	const { ask, wholeObject, objectOf, nonsense } = createExchange(entry, deps);
	const silenceMs = entry.timeoutS * 1000;
	let listed: { readonly at: number; readonly models: readonly UpstreamModel[] } | undefined;
	return {
		entry,
		nonsense,
		get lastModels() {
			return listed?.models ?? [];
		},
		models: async (signal) => {
			if (listed !== undefined && deps.now() - listed.at < listFreshMs) return listed.models;
			const { data } = await ask('/models', undefined, listTimeoutMs, signal, wholeObject);
			if (!Array.isArray(data)) throw nonsense();
			const models = data
				.flatMap((each) => modelOf(each) ?? [])
				.filter(({ id }) => allowsModel(entry, id));
			listed = { at: deps.now(), models };
			return models;
		},
		whole: (path, body, signal, moreS = 0) =>
			ask(
				path,
				body instanceof FormData ? body : wholeJson(body),
				silenceMs + moreS * 1000,
				signal,
				wholeObject,
			),
		stream: (path, body, onObject, signal, conversation) => {
			const read = async (answer: ReadAnswer) => {
				const { response, alive, key } = answer;
				const take = (object: Record<string, unknown>) => {
					if (object['error'] != null) throw failureOf(entry, object, key);
					onObject(object);
				};
				if (!/event-stream/i.test(response.headers.get('content-type') ?? '')) {
					take(await wholeObject(answer));
					return;
				}
				for await (const { data } of readEvents(watched(response, alive), maxEventLength)) {
					if (data === '[DONE]') return;
					take(objectOf(data));
				}
			};
			return ask(path, wholeJson(body), silenceMs, signal, read, conversation);
		},
	};
}

async function* watched(response: Response, alive: () => void) {
	for await (const chunk of bytesOf(response)) {
		alive();
		yield chunk;
	}
}

const maxIdLength = 200;

function modelOf(value: unknown): UpstreamModel | undefined {
	if (!isRecord(value) || typeof value['id'] !== 'string') return undefined;
	const { id, max_model_len: length, context_length: context } = value;
	// What a stranger named stands in lists and messages.
	if (!/^[\p{L}\p{N}._:/@+-]+$/u.test(id) || id.length > maxIdLength) return undefined;
	const tokens = [length, context].find((each) => Number.isSafeInteger(each) && Number(each) > 0);
	const task = taskSchema.safeParse(value['task']);
	return {
		id,
		...(tokens === undefined ? {} : { contextLength: Number(tokens) }),
		...(task.success ? { task: task.data } : {}),
	};
}
