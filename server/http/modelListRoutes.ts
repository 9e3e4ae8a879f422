/** `GET /v1/models` and `GET /v1/models/{id}`: what can be asked, with the true context length. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, type ModelInfo } from '../protocol/index.ts';
import { listModels, showModel } from '../protocol/routes/models.ts';
import type { QueryOf } from '../protocol/routes/route.ts';
import type { ListedUpstreamModel } from '../remote/upstreams/upstreams.ts';
import { knowsFolders } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';

/** One model as the interface lists it, with a few facts more that clients know how to read. */
function toWireModel(model: ModelInfo, created: number) {
	return {
		id: model.id,
		object: 'model' as const,
		type: 'model' as const,
		display_name: model.displayName,
		created_at: dateOf(created),
		created,
		owned_by: model.publisher === '' ? 'local' : model.publisher,
		name: model.displayName,
		alias: model.alias,
		task: model.task,
		state: model.state,
		origin: model.origin,
		...(model.pinned ? { pinned: true as const } : {}),
		supports_tool_calling: model.supportsToolCalling,
		...defined({ supports_image_input: model.supportsImageInput }),
		...(model.contextLength === undefined
			? {}
			: { context_length: model.contextLength, max_model_len: model.contextLength }),
		...defined({
			max_history_turns: model.maxHistoryTurns,
			size_bytes: model.sizeBytes,
			languages: model.languages,
		}),
	};
}

/** A model of an engine elsewhere. */
function remoteWireModel(
	model: Pick<ListedUpstreamModel, 'fullId' | 'upstream' | 'contextLength' | 'task' | 'problem'>,
	created: number,
) {
	const { fullId: id, upstream, contextLength, problem, task = 'chat-completion' } = model;
	return {
		...{ id, object: 'model' as const, created, owned_by: upstream },
		...{ type: 'model' as const, display_name: id, created_at: dateOf(created) },
		...{ name: id, alias: id, task, state: 'remote' as const },
		origin: 'upstream' as const,
		// Nobody knows before it was tried; the engine says so itself.
		supports_tool_calling: task === 'chat-completion',
		...(contextLength === undefined
			? {}
			: { context_length: contextLength, max_model_len: contextLength }),
		...defined({ problem }),
	};
}

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** A part of the list: so many after one, or before one. */
function pageOf<T extends { readonly id: string }>(
	rows: readonly T[],
	{ limit, after_id: after, before_id: before }: QueryOf<typeof listModels>,
) {
	const placeOf = (id: string, param: string) => {
		const at = rows.findIndex((row) => row.id === id);
		if (at < 0)
			throw new AppError('not_found', `There is no model '${id}' to go on from.`, { param });
		return at;
	};
	const from = after === undefined ? 0 : placeOf(after, 'after_id') + 1;
	const to = before === undefined ? rows.length : placeOf(before, 'before_id');
	const size = limit ?? rows.length;
	const backwards = before !== undefined && after === undefined;
	const start = backwards ? Math.max(from, to - size) : from;
	const data = rows.slice(start, Math.min(to, start + size));
	return {
		data,
		has_more: backwards ? start > from : start + data.length < to,
		first_id: data[0]?.id ?? null,
		last_id: data.at(-1)?.id ?? null,
	};
}

export function registerModelListRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const created = Math.floor(Date.now() / 1000);
	register(app, listModels, async ({ context, query, answer }) => {
		const [models, broken, remote] = await Promise.all([
			backend.host.list(),
			backend.host.problems(),
			backend.upstreams.list(context.get('signal')),
		]);
		const knowsPaths = knowsFolders(context.get('caller'));
		const problems = new Map(broken.map(({ model, problem }) => [model, problem.message]));
		const rows = [
			...models.map((model) => {
				const reason = problems.get(model.id);
				// Its reason names folders.
				const problem = reason && (knowsPaths ? reason : 'This model cannot be used.');
				return { ...toWireModel(model, created), ...defined({ problem }) };
			}),
			...remote
				// What only translates is chosen as a system, not as a model.
				.filter(({ uses }) => uses.length === 0 || uses.some((use) => use !== 'translate'))
				.map((model) => remoteWireModel(model, created)),
		];
		return answer({ object: 'list', ...pageOf(rows, query) });
	});
	register(app, showModel, async ({ context, answer }) => {
		const name = context.req.param('id');
		const named = await backend.upstreams.find(name);
		if (named === undefined) return answer(toWireModel(await backend.host.resolve(name), created));
		const known = await named.upstream.models(context.get('signal'));
		const model = known.find(({ id }) => id === named.model);
		if (model === undefined)
			throw new AppError('model_not_found', `The engine of '${name}' lists no such model.`, {
				param: 'model',
			});
		const upstream = named.upstream.entry.name;
		return answer(remoteWireModel({ ...model, fullId: named.id, upstream }, created));
	});
}
