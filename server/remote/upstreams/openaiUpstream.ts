/**
 * An engine elsewhere that speaks the OpenAI interface: its models, streams and answers. It is asked when it is named, and
 * nothing else is tried in its place.
 */

import { isRecord } from '../../protocol/errorBody.ts';
import { AppError, type ModelTask } from '../../protocol/index.ts';
import { taskSchema } from '../../protocol/routes/answers.ts';
import { readEvents } from '../../protocol/sse.ts';
import { wholeJson } from '../../protocol/wholeJson.ts';
import { detectForm } from './answerBytes.ts';
import { Dialect } from './dialect.ts';
import { EngineConnection } from './engineBreaker.ts';
import { failureOf, noList } from './upstreamErrors.ts';
import {
	createExchange,
	EndlessAnswer,
	maxSigns,
	type ReadAnswer,
	type UpstreamDeps,
} from './upstreamExchange.ts';
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
type OnObject = (object: JsonFields) => boolean;

export interface UpstreamEngine {
	readonly entry: UpstreamEntry;
	/**
	 * Its models, asked at most once a minute.
	 * @param withinMs how long they are waited for; 3 s where others wait for the list
	 * @throws AppError when it cannot be asked
	 */
	models(signal?: AbortSignal, withinMs?: number): Promise<readonly UpstreamModel[]>;
	/** What {@link models} found last. */
	readonly lastModels: readonly UpstreamModel[];
	/** Whether the last connection to it that was tried has failed. */
	readonly isAway: boolean;
	/**
	 * Asks for a stream. Every object of it is given as it comes; one whole answer, from engines that do not stream, is
	 * one object. Aborting closes the connection.
	 * @param onObject returns true when the answer is whole: what may follow is waited for a moment only
	 * @param conversation which one it is a turn of, for a balancer before the engine
	 * @throws AppError that names the engine; `cancelled`
	 */
	stream(
		path: '/chat/completions' | '/completions',
		body: JsonFields,
		onObject: OnObject,
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

/** Of a longer list the beginning counts; each of its models would stand in every list of this server. */
const maxListed = 5000;
/** How long a list is good for, and how long one is waited for. */
const listFreshMs = 60_000;
const listTimeoutMs = 3_000;
/** Less, so that a machine which answers no connection is known for one. */
const listConnectMs = 2_000;
/** Whoever tries an engine waits longer for it: it may just have started. */
export const testTimeoutMs = 15_000;
/** Lists are asked for all the time: an engine that does not give its own is left alone soon, and answers all the same. */
const maxListFailures = 2;
const maxEventLength = 16 << 20;
/** How long an answer that is whole waits for what follows: what it has used. */
const afterwordMs = 3_000;

export function createUpstream(entry: UpstreamEntry, deps: UpstreamDeps): UpstreamEngine {
	const connection = new EngineConnection(deps);
	const exchange = createExchange(entry, deps, connection.breaker());
	const { ask, wholeObject, objectOf, nonsense } = exchange;
	const lists = createExchange(entry, deps, connection.breaker({ maxFailures: maxListFailures }));
	const silenceMs = entry.timeoutS * 1000;
	const dialect = new Dialect();
	let listed: { readonly at: number; readonly models: readonly UpstreamModel[] } | undefined;
	const askForModels = async (
		silenceMs: number,
		signal?: AbortSignal,
	): Promise<readonly UpstreamModel[]> => {
		const isQuick = silenceMs <= listTimeoutMs;
		const question = {
			...{ path: '/models', silenceMs, isTotal: true },
			...(isQuick ? { connectMs: listConnectMs } : {}),
		};
		const data = await lists.ask(question, lists.wholeList, signal).catch((error: AppError) => {
			throw error.code === 'model_not_found' ? noList(entry, error) : error;
		});
		const models = new Map(
			data.slice(0, maxListed).flatMap((each): [string, UpstreamModel][] => {
				const model = modelOf(each);
				return model !== undefined && allowsModel(entry, model.id) ? [[model.id, model]] : [];
			}),
		);
		listed = { at: deps.now(), models: [...models.values()] };
		return listed.models;
	};
	/** The events of an answer; what is wrong with their form is the engine's fault. */
	async function* eventsOf(bytes: AsyncIterable<Uint8Array>) {
		try {
			yield* readEvents(bytes, maxEventLength);
		} catch (error) {
			const isForm = error instanceof AppError && !(error instanceof EndlessAnswer);
			throw isForm ? nonsense() : error;
		}
	}
	const readStream = async (answer: ReadAnswer, onObject: OnObject): Promise<void> => {
		let isWhole = false;
		const take = (object: Record<string, unknown>) => {
			if (object['error'] != null) throw failureOf(entry, object, answer.key);
			if (bringsMore(object)) answer.advanced();
			if (!onObject(object) || isWhole) return;
			isWhole = true;
			answer.endWithin(afterwordMs);
		};
		const { isEvents, bytes } = await detectForm(answer.bytes, answer.contentType);
		if (!isEvents) {
			take(await wholeObject({ ...answer, bytes }));
			return;
		}
		try {
			for await (const { data } of eventsOf(bytes)) {
				if (data === '[DONE]') return;
				if (data !== '') take(objectOf(data));
			}
		} catch (error) {
			// The answer is there; some engines keep the connection open, and some break it.
			if (!isWhole) throw error;
		}
	};
	return {
		entry,
		nonsense,
		get lastModels() {
			return listed?.models ?? [];
		},
		get isAway() {
			return connection.isAway;
		},
		models: async (signal, withinMs = listTimeoutMs) =>
			listed !== undefined && deps.now() - listed.at < listFreshMs
				? listed.models
				: askForModels(withinMs, signal),
		whole: (path, body, signal, moreS = 0) =>
			ask(
				{
					path,
					body: body instanceof FormData ? body : wholeJson(body),
					model: modelIn(body instanceof FormData ? body.get('model') : body['model']),
					silenceMs: silenceMs + moreS * 1000,
					emptyMs: silenceMs * maxSigns + moreS * 1000,
				},
				wholeObject,
				signal,
			),
		stream: (path, body, onObject, signal, conversation) =>
			dialect.say(body, (said) =>
				ask(
					{ path, body: wholeJson(said), model: modelIn(said['model']), silenceMs, conversation },
					(answer) => readStream(answer, onObject),
					signal,
				),
			),
	};
}

const modelIn = (value: unknown): string | undefined =>
	typeof value === 'string' ? value : undefined;

/** Whether an object of a stream brings a piece of the answer: some engines send empty ones to say that they live. */
const bringsMore = ({ choices }: JsonFields): boolean =>
	Array.isArray(choices) && choices.some(isFilled);

/** Whether there is any text in it; who speaks is none. */
function isFilled(value: unknown): boolean {
	if (typeof value === 'string') return value !== '';
	if (Array.isArray(value)) return value.some(isFilled);
	if (!isRecord(value)) return false;
	return Object.entries(value).some(([name, inner]) => name !== 'role' && isFilled(inner));
}

const maxIdLength = 200;

function modelOf(value: unknown): UpstreamModel | undefined {
	if (!isRecord(value) || typeof value['id'] !== 'string') return undefined;
	const { id, max_model_len: length, context_length: context } = value;
	// What a stranger named stands in lists and messages. Some engines call a model by the path of its file.
	if (!/^[\p{L}\p{N}._:/\\@+~=()-]+(?: [\p{L}\p{N}._:/\\@+~=()-]+)*$/u.test(id)) return undefined;
	if (id.length > maxIdLength) return undefined;
	const tokens = [length, context].find((each) => Number.isSafeInteger(each) && Number(each) > 0);
	const task = taskSchema.safeParse(value['task']);
	return {
		id,
		...(tokens === undefined ? {} : { contextLength: Number(tokens) }),
		...(task.success ? { task: task.data } : {}),
	};
}
