/** `GET /v1/models` and `GET /v1/models/{id}`: what can be asked, with the true context length. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, type ModelInfo } from '../protocol/index.ts';
import { listModels, showModel } from '../protocol/routes/models.ts';
import type { ListedUpstreamModel } from '../remote/upstreams/upstreams.ts';
import { knowsFolders } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';

/** One model as the interface lists it, with a few facts more that clients know how to read. */
function toWireModel(model: ModelInfo, created: number) {
	return {
		id: model.id,
		object: 'model' as const,
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
function remoteWireModel(model: ListedUpstreamModel, created: number) {
	const { fullId: id, upstream, contextLength, task = 'chat-completion' } = model;
	return {
		...{ id, object: 'model' as const, created, owned_by: upstream },
		...{ name: id, alias: id, task, state: 'remote' as const },
		origin: 'upstream' as const,
		// Nobody knows before it was tried; the engine says so itself.
		supports_tool_calling: task === 'chat-completion',
		...(contextLength === undefined
			? {}
			: { context_length: contextLength, max_model_len: contextLength }),
	};
}

export function registerModelListRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const created = Math.floor(Date.now() / 1000);
	register(app, listModels, async ({ context, answer }) => {
		const [models, broken, remote] = await Promise.all([
			backend.host.list(),
			backend.host.problems(),
			backend.upstreams.list(context.get('signal')),
		]);
		const knowsPaths = knowsFolders(context.get('caller'));
		const problems = new Map(broken.map(({ model, problem }) => [model, problem.message]));
		return answer({
			object: 'list',
			data: [
				...models.map((model) => {
					const reason = problems.get(model.id);
					// Its reason names folders.
					const problem = reason && (knowsPaths ? reason : 'This model cannot be used.');
					return { ...toWireModel(model, created), ...defined({ problem }) };
				}),
				...remote.map((model) => remoteWireModel(model, created)),
			],
		});
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
