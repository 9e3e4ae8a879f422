/** Responses: what is asked becomes a chat with what came before it, and the answer is kept for who asked. */

import type { Prioritized } from '../../engine/api.ts';
import { AppError, asAppError } from '../../protocol/index.ts';
import type { ResponsesRequest } from '../../protocol/routes/responses.ts';
import type { ChatEvent, ChatOutcome, ChatService } from '../chat/chatService.ts';
import { namingField } from '../fieldNames.ts';
import type { Charged } from '../limits/account.ts';
import type { HeldWork } from '../limits/liveWork.ts';
import type { Logger } from '../logger.ts';
import { notKept } from './answerLimits.ts';
import type { AnswerStatus, AnswerStore, ItemRange, ItemSlice, KeptItem } from './answerStore.ts';
import { BackgroundAnswers } from './backgroundAnswers.ts';
import {
	type KeptFacts,
	ResponseBuilder,
	type ResponseEvent,
	type ResponseObject,
} from './builder.ts';
import { keptItem, type NamedItem } from './keptItems.ts';
import { OpenConversations, type OtherReplicas } from './openConversations.ts';
import { chatOf } from './request.ts';
import { itemsOf } from './requestItems.ts';

/** Whose a request is; `undefined` = nobody who could be told apart: nothing is kept. */
export type Person = string | undefined;

export interface ResponsesDeps {
	readonly chat: ChatService;
	readonly store: AnswerStore;
	/** Replicas that keep in the same store. */
	readonly others?: OtherReplicas | undefined;
	readonly keeps: boolean;
	readonly activity: { begin(): void; end(): void };
	readonly randomId: () => string;
	/** Seconds since 1970. */
	readonly now: () => number;
	readonly log: Logger;
}

/** What happens while a response is made, for whoever waits for it. */
export interface ResponseHooks extends Charged, Prioritized {
	/** Holds the person who asked, for work that goes on after the request. */
	readonly hold?: (() => HeldWork | undefined) | undefined;
	readonly onEvent: (event: ResponseEvent) => void;
	readonly onChat: (event: ChatEvent) => void;
	/** It is answered, but not kept, though it could have been. */
	readonly onNotKept: (reason: AppError) => void;
	/** Once, at the end. */
	readonly onEnd: (outcome: ChatOutcome | undefined, error?: unknown) => void;
}

/** A response that is about to be made. */
export interface ReadyResponse {
	readonly builder: ResponseBuilder;
	readonly id: string;
	readonly isBackground: boolean;
	/** Makes it; resolves to the whole. Not for one in the background. */
	run(signal: AbortSignal): Promise<ResponseObject>;
	/** Makes it in the background; what it is now. */
	start(): ResponseObject;
}

/** After the store has failed, callers who did not ask for it are spared for so long. */
const spareMs = 5000;
/** The log is told that responses are not kept no more often than this, in milliseconds. */
const notedMs = 60_000;

export class ResponsesService {
	readonly #deps: ResponsesDeps;
	readonly #background: BackgroundAnswers;
	readonly #conversations: OpenConversations;
	/** Why the store did not keep something, and when. */
	#failure: { readonly ms: number; readonly reason: AppError } | undefined;
	#noted = Number.NEGATIVE_INFINITY;

	constructor(deps: ResponsesDeps) {
		this.#deps = deps;
		this.#background = new BackgroundAnswers(deps.activity, deps.others?.events);
		this.#conversations = new OpenConversations(deps.others);
		deps.others?.onStop((person, id) => void this.#background.cancel(id, person));
	}

	/** Checks a request, reads what it continues, and makes room for what is kept. */
	async prepare(
		request: ResponsesRequest,
		person: Person,
		hooks: ResponseHooks,
		signal: AbortSignal,
	): Promise<ReadyResponse> {
		this.#check(request, person);
		const {
			conversation,
			previous_response_id: previous,
			background: isBackground = false,
		} = request;
		const owner = person ?? '';
		const free =
			conversation === undefined ? () => {} : await this.#conversations.hold(owner, conversation);
		let leave = () => {};
		const release = () => {
			free();
			leave();
		};
		try {
			const { before, input } = await itemsOf(this.#deps, owner, request);
			const chat = {
				...chatOf(request, [...before, ...input]),
				...{ owner: person, account: hooks.account, priority: hooks.priority ?? 'interactive' },
			};
			if (isBackground) {
				leave = this.#background.reserve(owner);
				// What is wrong with the request is said at once.
				await namingField('messages', 'input', () => this.#deps.chat.check(chat, signal));
			}
			const id = `resp_${this.#deps.randomId()}`;
			const status = isBackground ? 'queued' : 'in_progress';
			const builderOf = (kept: KeptFacts) =>
				new ResponseBuilder(request, {
					...{ id, kept, created: this.#deps.now(), newId: this.#deps.randomId },
					emit: (event) => emit(event),
				});
			let emit: (event: ResponseEvent) => void = hooks.onEvent;
			const facts: KeptFacts = {
				...{ store: true, background: isBackground },
				...(previous === undefined ? {} : { previous }),
				...(conversation === undefined ? {} : { conversation }),
			};
			const kept = await this.#begin(request, person, hooks, {
				...{ id, status },
				json: JSON.stringify(builderOf(facts).snapshot(status)),
				input: input.map(keptItem),
				...(previous === undefined ? {} : { previous }),
			});
			const builder = builderOf({ ...facts, store: kept });
			const run = async (signal: AbortSignal): Promise<ResponseObject> => {
				try {
					const outcome = await namingField('messages', 'input', () =>
						this.#deps.chat.run(
							chat,
							(event) => {
								hooks.onChat(event);
								if (event.type === 'start' && isBackground)
									void this.#save(owner, builder, 'in_progress');
								builder.take(event);
							},
							signal,
						),
					);
					const response = await this.#finish(owner, builder.finish(outcome), kept, {
						...{ conversation, input, hooks },
					});
					builder.announce(response);
					hooks.onEnd(outcome);
					return response;
				} catch (error) {
					const wasCancelled = signal.aborted && !(signal.reason instanceof AppError);
					const known = wasCancelled
						? undefined
						: asAppError(signal.aborted ? signal.reason : error);
					if (kept) await this.#save(owner, builder, wasCancelled ? 'cancelled' : 'failed', known);
					if (isBackground && known !== undefined) emit(builder.failure(known));
					hooks.onEnd(undefined, error);
					throw error;
				} finally {
					release();
				}
			};
			return {
				...{ builder, id, isBackground, run },
				start: () => {
					const streams = request.stream === true;
					let isRunning = false;
					this.#background.start(
						id,
						owner,
						{
							streams,
							snapshot: () => builder.snapshot(isRunning ? 'in_progress' : 'queued'),
							held: hooks.hold?.(),
						},
						async (hand, signal) => {
							emit = (event) => {
								isRunning = true;
								hand(event);
							};
							await run(signal);
						},
					);
					return builder.snapshot('queued');
				},
			};
		} catch (error) {
			release();
			throw error;
		}
	}

	/** Tokens of the prompt that a request would be, and oldest turns left out of it; no model is loaded. */
	async countTokens(
		request: ResponsesRequest,
		person: Person,
		signal: AbortSignal,
	): Promise<{ readonly tokens: number; readonly omittedTurns: number }> {
		this.#check(request, person);
		const { before, input } = await itemsOf(this.#deps, person ?? '', request);
		const chat = chatOf(request, [...before, ...input]);
		return await namingField('messages', 'input', () => this.#deps.chat.countTokens(chat, signal));
	}

	/** A kept response, or one under way in the background. */
	async read(person: Person, id: string): Promise<ResponseObject> {
		const owner = this.#owner(person);
		const running = this.#background.running(id, owner);
		return running ?? (JSON.parse(await this.#deps.store.answer(owner, id)) as ResponseObject);
	}

	/** Hands on the events of a response that was asked for in the background, from after a number. */
	follow(
		person: Person,
		id: string,
		after: number,
		onEvent: (event: ResponseEvent) => void,
		signal: AbortSignal,
	): Promise<void> {
		return this.#background.follow(id, this.#owner(person), after, onEvent, signal);
	}

	async delete(person: Person, id: string): Promise<void> {
		const owner = this.#owner(person);
		await this.#background.cancel(id, owner);
		await this.#deps.store.deleteAnswer(owner, id);
		this.#background.forget(id, owner);
	}

	/** @throws AppError `invalid_request` for one that was not asked for in the background */
	async cancel(person: Person, id: string): Promise<ResponseObject> {
		const owner = this.#owner(person);
		const wasHere = await this.#background.cancel(id, owner);
		const response = await this.read(person, id);
		if (response['background'] === true) {
			if (wasHere || this.#deps.others === undefined) return response;
			await this.#deps.others.stop(owner, id);
			return await this.read(person, id);
		}
		throw new AppError(
			'invalid_request',
			`The response '${id}' was not asked for with 'background': it ends when its connection is closed.`,
		);
	}

	inputItems(person: Person, id: string, range: ItemRange): Promise<ItemSlice> {
		return this.#deps.store.inputItems(this.#owner(person), id, range);
	}

	/** Ends what goes on in the background, of everybody or of one person; resolves to how much that was. */
	end(person?: string): Promise<number> {
		return this.#background.end(person);
	}

	#owner(person: Person): string {
		if (person !== undefined && this.#deps.keeps) return person;
		throw new AppError('not_found', notKept(person));
	}

	#check(request: ResponsesRequest, person: Person): void {
		const { store, background, conversation, previous_response_id: previous } = request;
		if (conversation !== undefined && previous !== undefined)
			throw new AppError(
				'invalid_request',
				"Send 'previous_response_id' or 'conversation', not both.",
				{ param: 'conversation' },
			);
		if (background === true && store === false)
			throw new AppError(
				'invalid_request',
				"'background' needs 'store': a response that nobody waits for is kept until it is read.",
				{ param: 'background' },
			);
		if (person !== undefined && this.#deps.keeps) return;
		const asked = { store, background, conversation, previous_response_id: previous };
		for (const [param, value] of Object.entries(asked))
			if (value !== undefined && value !== false)
				throw new AppError('unsupported_parameter', `'${param}': ${notKept(person)}`, { param });
	}

	/** Makes room for a response; whether it is kept. */
	async #begin(
		request: ResponsesRequest,
		person: Person,
		hooks: ResponseHooks,
		begun: {
			readonly id: string;
			readonly status: AnswerStatus;
			readonly json: string;
			readonly input: readonly KeptItem[];
			readonly previous?: string;
		},
	): Promise<boolean> {
		if (request.store === false || person === undefined || !this.#deps.keeps) return false;
		const isAsked = request.store === true || request.background === true;
		const last = this.#failure;
		if (!isAsked && last !== undefined && performance.now() - last.ms < spareMs) {
			hooks.onNotKept(last.reason);
			return false;
		}
		try {
			await this.#deps.store.begin({ person, ...begun });
			return true;
		} catch (error) {
			if (isAsked) throw error;
			this.#notKept(asAppError(error), hooks);
			return false;
		}
	}

	async #finish(
		person: string,
		response: ResponseObject,
		kept: boolean,
		{
			conversation,
			input,
			hooks,
		}: {
			readonly conversation: string | undefined;
			readonly input: readonly NamedItem[];
			readonly hooks: ResponseHooks;
		},
	): Promise<ResponseObject> {
		const output = response.output.map((item) => keptItem(item as NamedItem));
		const { store } = this.#deps;
		const { id } = response;
		if (conversation !== undefined)
			await store.addItems(person, conversation, [...input.map(keptItem), ...output]);
		if (!kept) return response;
		try {
			const status = response.status as AnswerStatus;
			await store.end({ person, id, status, json: JSON.stringify(response), output });
			return response;
		} catch (error) {
			// The answer is there, and worth more than its being kept.
			this.#notKept(asAppError(error), hooks);
			return { ...response, store: false };
		}
	}

	/** Writes how a response stands that has no answer, or none yet. */
	async #save(
		person: string,
		builder: ResponseBuilder,
		status: AnswerStatus,
		error?: AppError,
	): Promise<void> {
		const snapshot = builder.snapshot(status);
		const facts =
			error === undefined ? {} : { error: { code: error.code, message: error.message } };
		const json = JSON.stringify({ ...snapshot, ...facts });
		await this.#deps.store
			.end({ person, id: snapshot.id, status, json, output: [] })
			.catch((reason) => this.#note(asAppError(reason)));
	}

	#notKept(reason: AppError, hooks: ResponseHooks): void {
		this.#note(reason);
		hooks.onNotKept(reason);
	}

	#note(reason: AppError): void {
		const ms = performance.now();
		this.#failure = { ms, reason };
		// A store that is away is told of once, and not with every response.
		if (ms - this.#noted < notedMs) return;
		this.#noted = ms;
		this.#deps.log.warn('a response is not kept', { code: reason.code, reason: reason.message });
	}
}
