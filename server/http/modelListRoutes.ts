/** `GET /v1/models` and `GET /v1/models/{id}`: what can be asked, with the true context length. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { ModelInfo } from '../protocol/index.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';
import { knowsFolders } from './roles.ts';

/** One model as the interface lists it, with a few facts more that clients know how to read. */
export function modelShape(model: ModelInfo, created: number) {
	return {
		id: model.id,
		object: 'model',
		created,
		owned_by: model.publisher === '' ? 'local' : model.publisher,
		name: model.displayName,
		alias: model.alias,
		task: model.task,
		state: model.state,
		supports_tool_calling: model.supportsToolCalling,
		...(model.contextLength === undefined
			? {}
			: { context_length: model.contextLength, max_model_len: model.contextLength }),
		...(model.maxHistoryTurns === undefined ? {} : { max_history_turns: model.maxHistoryTurns }),
		...(model.sizeBytes === undefined ? {} : { size_bytes: model.sizeBytes }),
		...(model.languages === undefined ? {} : { languages: model.languages }),
	};
}

export function registerModelListRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const created = Math.floor(Date.now() / 1000);
	app.get('/v1/models', async (context) => {
		const [models, broken] = await Promise.all([backend.host.list(), backend.host.problems()]);
		const told = knowsFolders(context.get('caller'));
		const problems = new Map(broken.map(({ model, problem }) => [model, problem.message]));
		return answerJson(context, {
			object: 'list',
			data: models.map((model) => {
				const reason = problems.get(model.id);
				// Its reason names folders.
				const problem = reason && (told ? reason : 'This model cannot be used.');
				return { ...modelShape(model, created), ...(problem === undefined ? {} : { problem }) };
			}),
		});
	});
	app.get('/v1/models/:id{.+}', async (context) =>
		answerJson(context, modelShape(await backend.host.resolve(context.req.param('id')), created)),
	);
}
