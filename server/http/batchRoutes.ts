/** `/v1/batches`: made, listed, watched, paused, cancelled and tried again. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { JobOwner } from '../jobs/jobTypes.ts';
import type { BatchView } from '../jobs/personBatches.ts';
import { AppError } from '../protocol/index.ts';
import {
	cancelBatch,
	createBatch,
	followBatch,
	listBatches,
	pauseBatch,
	resumeBatch,
	retryBatch,
	showBatch,
} from '../protocol/routes/batches.ts';
import { isForRoute } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';
import { personOf } from './requestPerson.ts';
import { batchAnswer } from './serializeBatch.ts';
import { sse } from './sseResponse.ts';
import { withHeaders } from './streamedAnswer.ts';

/** How often those who watch a batch are told. */
const notifyMs = 500;

/** In whose name the items of a batch are asked for: whoever asks for the batch. */
function ownerOf(context: Context<AppEnv>): JobOwner {
	const caller = context.get('caller');
	const key = context.get('personKey');
	return {
		// A page of the owner's may go before its batch ends.
		caller: caller === 'owner' || caller === 'member' ? caller : 'local',
		person: personOf(context),
		...(key === undefined ? {} : { keyId: key.id }),
	};
}

export function registerBatchRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const answerOf = (view: BatchView) => batchAnswer(view, performance.now());
	register(app, createBatch, async ({ context, body, answer }) => {
		const { batches } = await backend.jobs.open();
		const key = context.get('personKey');
		if (key !== undefined && !isForRoute(key, `POST ${body.endpoint}`))
			throw new AppError(
				'forbidden',
				`This key is for ${key.scopes.join(', ')} only, so it makes no batch of ${body.endpoint}.`,
			);
		const again = context.req.header('idempotency-key');
		const { metadata, output_expires_after: expiry } = body;
		const view = await batches.create(
			ownerOf(context),
			{
				inputFileId: body.input_file_id,
				endpoint: body.endpoint,
				completionWindow: body.completion_window,
				...(metadata === undefined ? {} : { metadata }),
				...(expiry === undefined ? {} : { outputExpiresInS: expiry.seconds }),
			},
			again === '' ? undefined : again,
		);
		return answer(answerOf(view));
	});

	register(app, listBatches, async ({ context, query, answer }) => {
		const { batches } = await backend.jobs.open();
		const { limit = 20, after } = query;
		const range = { limit, order: 'desc' as const, ...(after === undefined ? {} : { after }) };
		const { items, hasMore } = await batches.list(personOf(context), range);
		return answer({
			object: 'list',
			data: items.map(answerOf),
			first_id: items[0]?.record.id ?? null,
			last_id: items.at(-1)?.record.id ?? null,
			has_more: hasMore,
		});
	});

	register(app, showBatch, async ({ context, answer }) => {
		const { batches } = await backend.jobs.open();
		return answer(answerOf(await batches.get(personOf(context), context.req.param('id'))));
	});

	register(app, followBatch, async ({ context }) => {
		const { batches } = await backend.jobs.open();
		const [person, id] = [personOf(context), context.req.param('id')];
		await batches.get(person, id);
		const response = await sse(
			{ signal: context.get('signal'), caller: context.get('caller'), last: '[DONE]' },
			async (writer, signal) => {
				for (let before = ''; !signal.aborted; ) {
					const view = await batches.get(person, id);
					const value = answerOf(view);
					const text = JSON.stringify(value);
					if (text !== before) writer.data(value, 'batch');
					before = text;
					if (view.end !== undefined) return;
					await sleep(notifyMs, undefined, { signal }).catch(() => {});
				}
			},
		);
		return withHeaders(context, response);
	});

	register(app, cancelBatch, async ({ context, answer }) => {
		const { batches } = await backend.jobs.open();
		return answer(answerOf(await batches.cancel(personOf(context), context.req.param('id'))));
	});

	for (const [route, isPaused] of [
		[pauseBatch, true],
		[resumeBatch, false],
	] as const)
		register(app, route, async ({ context, answer }) => {
			const { batches } = await backend.jobs.open();
			const id = context.req.param('id');
			return answer(answerOf(await batches.pause(personOf(context), id, isPaused)));
		});

	register(app, retryBatch, async ({ context, answer }) => {
		const { batches } = await backend.jobs.open();
		return answer(answerOf(await batches.retry(ownerOf(context), context.req.param('id'))));
	});
}
