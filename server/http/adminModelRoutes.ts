/** Models for our own command line and editor: everything the older service's routes cannot say. */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { commandLine } from '../daemon/secrets.ts';
import { listUnfinished, removeUnfinished } from '../hub/unfinishedModels.ts';
import { defined } from '../protocol/defined.ts';
import { hubTokenHeader } from '../protocol/hubToken.ts';
import { AppError, chooseSuggestions } from '../protocol/index.ts';
import {
	buildLocalModel,
	importModel,
	pauseDownload,
	pullModel,
	refreshCatalogue,
	searchHubModels,
} from '../protocol/routes/modelDownloads.ts';
import {
	draftModel,
	listGpusRoute,
	listOwnModels,
	listSecrets,
	moveModels,
	pinModel,
	registerFolder,
	removeModel,
	removeUnfinishedModel,
	setSecrets,
	suggestModelsRoute,
	unregisterFolder,
} from '../protocol/routes/models.ts';
import { machineFacts } from '../services/machineFacts.ts';
import type { ModelDownloadEvent } from '../services/modelService.ts';
import type { CallerRole } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';
import { sse } from './sseResponse.ts';

export function registerAdminModelRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { models, gpus } = backend;
	register(app, listOwnModels, async ({ answer }) => {
		const [here, stats, unfinished] = await Promise.all([
			models.list(),
			backend.host.stats(),
			listUnfinished(backend.modelsDir()),
		]);
		return answer({ models: here, downloads: models.downloads.list(), stats, unfinished });
	});
	register(app, listGpusRoute, async ({ answer }) =>
		answer({ gpus: [...(await gpus.list())], chosen: gpus.chosen() }),
	);

	register(app, suggestModelsRoute, async ({ query, answer }) => {
		const machine = await machineFacts(backend.modelsDir(), gpus);
		return answer(chooseSuggestions(await models.list(), machine, query.task ?? 'chat-completion'));
	});

	register(app, searchHubModels, async ({ context, query: { hub, ...wanted }, signal, answer }) => {
		if (hub !== undefined) ownersOnly(context.get('caller'));
		const from = defined({ hub, token: context.req.header(hubTokenHeader) });
		return answer({ models: await models.search({ ...wanted, from }, signal) });
	});
	register(app, pullModel, ({ context, body: { model: name, ...options } }) => {
		if (options.hub !== undefined) ownersOnly(context.get('caller'));
		const work = (signal: AbortSignal) => models.download(name, options, signal);
		return events(context, work, options.plan);
	});
	register(app, buildLocalModel, ({ context, body: { path, name, ...flags } }) =>
		events(context, (signal) => models.build(path, name, flags, signal), flags.plan),
	);
	register(app, pauseDownload, async ({ body, answer }) =>
		answer({ paused: await models.downloads.pause(body.model) }),
	);
	register(app, removeModel, async ({ body, answer }) =>
		answer({ removed: await models.remove(body.model) }),
	);
	register(app, removeUnfinishedModel, async ({ body, answer }) =>
		answer({ removed: await removeUnfinished(backend.modelsDir(), body.model) }),
	);
	register(app, pinModel, async ({ body: { model, pinned }, answer }) => {
		await models.pin(model, pinned);
		return answer({ pinned });
	});
	register(app, draftModel, async ({ body: { model, draft_model: draft }, answer }) => {
		await models.draft(model, draft);
		return answer({ draft_model: draft ?? null });
	});
	register(app, registerFolder, async ({ body, answer }) =>
		answer({ models: await models.register(body.folder) }),
	);
	register(app, unregisterFolder, async ({ body, answer }) => {
		await models.unregister(body.folder);
		return answer({});
	});
	register(app, moveModels, async ({ body, answer }) => {
		if (backend.settings.modelsDirFixed)
			throw new AppError(
				'conflict',
				'The model folder was named when the server started (--models or NEARGLOT_MODELS); change it there.',
			);
		await models.move(body.folder);
		return answer({ location: backend.modelsDir() });
	});
	register(app, importModel, async ({ body, signal, answer }) =>
		answer({ model: await models.import(body.path, body.name, signal) }),
	);
	register(app, refreshCatalogue, async ({ body, signal, answer }) =>
		answer({ failures: await models.refresh(signal, body) }),
	);

	register(app, listSecrets, ({ answer }) => answer({ names: backend.secrets.names() }));
	register(app, setSecrets, ({ body, query, answer }) => {
		for (const { name, value } of body)
			backend.secrets.set(name, value, query.source ?? commandLine);
		return answer({ names: backend.secrets.names() });
	});
}

/** What happens to a model, as it happens. */
function events(
	context: Context<AppEnv>,
	work: (signal: AbortSignal) => AsyncGenerator<ModelDownloadEvent, void>,
	isPlan = false,
): Promise<Response> {
	// No model says that a plan is complete.
	const last = isPlan ? { last: '[DONE]' } : {};
	return sse(
		{ signal: context.get('signal'), caller: context.get('caller'), ...last },
		async (writer, signal) => {
			for await (const { type, ...event } of work(signal))
				writer.data('ownerPid' in event ? { waitingFor: event.ownerPid ?? null } : event);
		},
	);
}

/** A page must not send the server to addresses of its choice. */
function ownersOnly(caller: CallerRole): void {
	if (caller !== 'owner')
		throw new AppError('forbidden', "Only the owner's key may choose another hub.", {
			param: 'hub',
		});
}
