/**
 * The model service as its published clients of both generations call it: `/openai/…`, `/svc/list`,
 * `/foundry/…`, `/models/…`.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, findModel, type ModelInfo, nearNamesHint } from '../protocol/index.ts';
import {
	catalogueList,
	catalogueObject,
	chooseGpu,
	chosenGpu,
	downloadModel,
	loadedIds,
	loadedIdsToo,
	loadModel,
	loadModelQuietly,
	localIds,
	modelsLocation,
	unloadAllModels,
	unloadModel,
	unloadModelQuietly,
} from '../protocol/routes/foundry.ts';
import type { BodyOf, QueryOf } from '../protocol/routes/route.ts';
import { infoOf } from '../services/catalogueInfo.ts';
import { fallbackField } from '../services/chat/serializeCompletion.ts';
import type { ProviderFallback } from '../services/host.ts';
import { downloadStream } from './downloadStream.ts';
import type { AppEnv } from './env.ts';
import { noteFallback } from './fallbackHeader.ts';
import { checkKeyless } from './keylessDownload.ts';
import { register } from './register.ts';
import { catalogueWire, localWire } from './serializeCatalogue.ts';
import { withHeaders } from './streamedAnswer.ts';

/** User agents of SDKs that parse `Total NN%` lines. */
const readsTotals = /foundry-local-(js|python|cs|rust)-sdk/i;

export function registerFoundryRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { models, gpus } = backend;

	const catalogue = async () => {
		const [machine, here] = await Promise.all([gpus.devices(), models.host.list()]);
		const entries = models
			.entries()
			.filter(
				(entry) =>
					machine.devices.has(entry.variant.device) &&
					(machine.cuda || !/^CUDA/i.test(entry.variant.executionProvider)),
			);
		const known = new Set(entries.map((entry) => entry.id));
		return [
			...here.filter((model) => !known.has(model.id)).map(localWire),
			...entries.map((entry) =>
				catalogueWire(
					entry,
					models.facts(entry.id),
					models.hubAddress(),
					here.find(({ id }) => id === entry.id),
				),
			),
		];
	};

	register(app, catalogueObject, async ({ answer }) => answer({ models: await catalogue() }));
	// The published clients iterate over the answer itself.
	register(app, catalogueList, async ({ answer }) => answer(await catalogue()));
	register(app, modelsLocation, ({ answer }) => answer({ location: backend.modelsDir() }));

	register(app, localIds, async ({ answer }) =>
		answer((await models.host.list()).map((model) => model.id)),
	);
	register(app, loadedIds, ({ answer }) => answer(models.host.loaded()));
	register(app, loadedIdsToo, ({ answer }) => answer(models.host.loaded()));

	register(app, downloadModel, async ({ context, body: request }) => {
		const { name, ...model } = request.model;
		const { token, customDirPath: folder, bufferSize } = request;
		const wanted = {
			...model,
			...defined({ token, folder }),
			...(bufferSize === undefined ? {} : { bufferBytes: bufferSize * 1024 }),
		};
		if (context.get('caller') !== 'owner') {
			needsKey(request);
			await checkKeyless(backend, name, model);
		}
		// What can be refused at once is an ordinary error instead of a stream that fails.
		await models.target(name, wanted);
		const pipe = request.progressToken;
		const answer = downloadStream(
			{
				totals: readsTotals.test(context.req.header('user-agent') ?? ''),
				quiet: pipe !== undefined && request.ignorePipeReport !== true,
				signal: context.get('signal'),
			},
			async (onProgress, signal) => {
				for await (const event of models.download(name, wanted, signal)) {
					if (event.type !== 'progress') continue;
					onProgress(event.progress);
					if (pipe !== undefined)
						backend.events.emit({ type: 'download', ...event.progress, progressToken: pipe });
				}
			},
		);
		return withHeaders(context, answer);
	});

	/** Names that nobody knows cannot be downloaded. */
	const adviceFor = async (name: string): Promise<string> => {
		const offered = models.entries().map((entry) => infoOf(entry, undefined, false));
		if (findModel(offered, name) !== undefined)
			return `download it first (nearglot models pull ${name}).`;
		const here = (await models.host.list()).map(({ id }) => id);
		const near = nearNamesHint([...here, ...offered.map(({ alias }) => alias)], name);
		return `nearglot models list shows what is, nearglot models search what can be downloaded.${near}`;
	};

	const load = async (
		context: Context<AppEnv>,
		name: string,
		{ unload, ttl, ep, exact }: QueryOf<typeof loadModel>,
	) => {
		if (!(await isHere(backend, name)))
			throw new AppError(
				'model_not_found',
				// The published clients look for this very phrase to tell "not downloaded" from other errors.
				`No OpenAIService provider found for modelName:${name.slice(0, 200)}. There is no model '${name.slice(0, 200)}' on this machine: ${await adviceFor(name)}`,
				{ param: 'name' },
			);
		let found: ProviderFallback | undefined;
		const onFallback = (fallback: ProviderFallback) => {
			found = fallback;
			noteFallback(context, fallback);
		};
		await models.load(
			name,
			{
				...defined({ unload, ttlS: ttl, executionProvider: ep, exact }),
				onFallback,
			},
			context.get('signal'),
		);
		return fallbackField(found);
	};
	register(app, loadModelQuietly, async ({ context, query }) => {
		await load(context, context.req.param('name'), query);
		return context.body(null, 200);
	});
	register(app, loadModel, async ({ context, query, answer }) => {
		const name = context.req.param('name');
		const model = (await isHere(backend, name)) ? await models.host.resolve(name) : undefined;
		const before = model !== undefined && models.host.loaded().includes(model.id);
		const place = await load(context, name, query);
		return answer({ status: before ? 'already_loaded' : 'loaded', ...place });
	});

	register(app, unloadModelQuietly, async ({ context, query }) => {
		await models.host.unload(context.req.param('name'), query.force ?? false);
		return context.body(null, 200);
	});
	register(app, unloadModel, async ({ context, query, answer }) => {
		const was = await models.host.unload(context.req.param('name'), query.force ?? false);
		return answer({ status: was ? 'unloaded' : 'not_loaded' });
	});
	register(app, unloadAllModels, async ({ context, query }) => {
		await models.unloadAll(query.force ?? false);
		return context.body(null, 200);
	});

	register(app, chosenGpu, ({ answer }) => answer(gpus.chosen()));
	register(app, chooseGpu, async ({ context }) => {
		await gpus.choose(context.req.param('id'));
		return context.body(null, 200);
	});
}

/** @throws AppError `invalid_api_key` for what a download may only name with the key */
function needsKey(request: BodyOf<typeof downloadModel>): void {
	const beyond = (['customDirPath', 'token'] as const).find((name) => request[name] !== undefined);
	if (beyond !== undefined)
		throw new AppError('invalid_api_key', `'${beyond}' needs the key of the model server.`, {
			param: beyond,
		});
}

async function isHere(backend: Backend, name: string): Promise<boolean> {
	return (await resolveHere(backend, name)) !== undefined;
}

function resolveHere(backend: Backend, name: string): Promise<ModelInfo | undefined> {
	return backend.models.host.resolve(name).catch((error: unknown) => {
		if (error instanceof AppError && error.code === 'model_not_found') return undefined;
		throw error;
	});
}
