/** `/v1/responses`: made whole, as typed events and in the background; kept ones read, listed, cancelled and deleted. */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError } from '../protocol/index.ts';
import {
	cancelResponse,
	countResponseTokens,
	deleteKeptResponses,
	deleteResponse,
	keptResponses,
	listInputItems,
	readResponse,
	responses,
} from '../protocol/routes/responses.ts';
import type { ItemRange, ItemSlice } from '../services/responses/answerStore.ts';
import { itemOfKept } from '../services/responses/keptItems.ts';
import type { ReadyResponse, ResponseHooks } from '../services/responses/responsesService.ts';
import type { AppEnv } from './env.ts';
import { noteFallback } from './fallbackHeader.ts';
import { answerJson } from './jsonAnswer.ts';
import { noteOmittedTurns } from './omittedTurns.ts';
import { ownerOf } from './owner.ts';
import { requestedPriority } from './priority.ts';
import { register } from './register.ts';
import { type RequestRecord, recordRequest } from './requestMetrics.ts';
import { personOf } from './requestPerson.ts';
import { type SseWriter, sse } from './sseResponse.ts';
import { withHeaders } from './streamedAnswer.ts';
import { nameIgnored } from './unknownFields.ts';

/** Says why an answer that could have been kept was not. */
const notKeptHeader = 'x-not-stored';

/** What an answer's headers and its record say of how it was made. */
function hooksOf(
	context: Context<AppEnv>,
	{ people }: Pick<Backend, 'people'>,
	record: RequestRecord,
	isBackground: boolean,
	onEvent: ResponseHooks['onEvent'],
): ResponseHooks {
	const key = context.get('personKey');
	const isMember = context.get('caller') === 'member';
	return {
		account: context.get('account'),
		hold: () => (isMember ? people.live.hold(personOf(context), key) : undefined),
		priority: requestedPriority(context),
		onEvent,
		onNotKept: ({ code }) => {
			if (!isBackground) context.header(notKeptHeader, code);
		},
		onEnd: (outcome, error) => {
			if (outcome !== undefined) {
				record.model = outcome.model;
				record.usage = outcome.usage;
			}
			record.done(error);
		},
		onChat: (event) => {
			if (event.type === 'piece') record.firstToken();
			// Who asked for it in the background has been answered.
			if (isBackground) return;
			if (event.type === 'omitted') noteOmittedTurns(context, event.turns);
			if (event.type === 'ignored')
				nameIgnored(
					context,
					event.fields.map((name) => name.replace('reasoning_effort', 'reasoning.effort')),
				);
			if (event.type === 'fallback') noteFallback(context, event.fallback);
		},
	};
}

/** As a list on the wire. */
export const pageOf = ({ items, hasMore }: ItemSlice) => ({
	object: 'list' as const,
	data: items.map(itemOfKept),
	first_id: items[0]?.id ?? null,
	last_id: items.at(-1)?.id ?? null,
	has_more: hasMore,
});

/** Where a list that is asked for begins and ends. */
export const itemRange = ({
	limit = 20,
	order = 'desc',
	after,
}: {
	readonly limit?: number;
	readonly order?: 'asc' | 'desc';
	readonly after?: string;
}): ItemRange => ({ limit, order, ...(after === undefined ? {} : { after }) });

export function registerResponsesRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { responses: service } = backend;
	register(app, responses, async ({ context, body: request, signal }) => {
		const record = recordRequest(context, backend, request.model, request);
		const person = ownerOf(context);
		const isBackground = request.background === true;
		const prepared = async (onEvent: ResponseHooks['onEvent']): Promise<ReadyResponse> => {
			try {
				const hooks = hooksOf(context, backend, record, isBackground, onEvent);
				return await service.prepare(request, person, hooks, signal);
			} catch (error) {
				record.done(error);
				throw error;
			}
		};
		if (isBackground) {
			const ready = await prepared(() => {});
			const queued = ready.start();
			if (request.stream !== true) return answerJson(context, queued);
			return streamed(context, (writer, over) =>
				service.follow(person, ready.id, -1, (event) => writer.data(event, event.type), over),
			);
		}
		if (request.stream !== true) {
			const ready = await prepared(() => {});
			return answerJson(context, await ready.run(signal));
		}
		let write: ResponseHooks['onEvent'] = () => {};
		const ready = await prepared((event) => write(event));
		return streamed(
			context,
			async (writer, over) => {
				write = (event) => writer.data(event, event.type);
				await ready.run(over);
			},
			ready,
		);
	});

	register(app, countResponseTokens, async ({ context, body, signal, answer }) => {
		const { tokens, omittedTurns } = await service.countTokens(body, ownerOf(context), signal);
		noteOmittedTurns(context, omittedTurns);
		await context.get('account')?.look('tokens');
		return answer({ object: 'response.input_tokens', input_tokens: tokens });
	});

	register(app, readResponse, async ({ context, query }) => {
		const id = context.req.param('id');
		const { stream, starting_after: after } = query;
		if (stream !== 'true') {
			if (after !== undefined)
				throw new AppError(
					'invalid_request',
					"'starting_after' is for streams: send stream=true.",
					{
						param: 'starting_after',
					},
				);
			return answerJson(context, await service.read(ownerOf(context), id));
		}
		return streamed(context, (writer, signal) =>
			service.follow(
				ownerOf(context),
				id,
				after ?? -1,
				(event) => writer.data(event, event.type),
				signal,
			),
		);
	});

	register(app, deleteResponse, async ({ context, answer }) => {
		const id = context.req.param('id');
		await service.delete(ownerOf(context), id);
		return answer({ id, object: 'response', deleted: true });
	});

	register(app, cancelResponse, async ({ context }) =>
		answerJson(context, await service.cancel(ownerOf(context), context.req.param('id'))),
	);

	register(app, listInputItems, async ({ context, query, answer }) => {
		const id = context.req.param('id');
		return answer(pageOf(await service.inputItems(ownerOf(context), id, itemRange(query))));
	});

	register(app, keptResponses, async ({ answer }) => answer(await backend.answers.counts()));
	register(app, deleteKeptResponses, async ({ answer }) =>
		answer({ deleted: await backend.answers.deleteAll() }),
	);
}

async function streamed(
	context: Context<AppEnv>,
	produce: (writer: SseWriter, signal: AbortSignal) => Promise<void>,
	ready?: ReadyResponse,
): Promise<Response> {
	const response = await sse(
		{
			signal: context.get('signal'),
			caller: context.get('caller'),
			error: (error) => ({
				value: ready?.builder.failure({ code: error.code, message: error.message }) ?? {
					type: 'error',
					code: error.code,
					message: error.message,
				},
				event: ready === undefined ? 'error' : 'response.failed',
			}),
		},
		produce,
	);
	return withHeaders(context, response);
}
