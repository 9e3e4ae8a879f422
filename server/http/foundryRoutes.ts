/**
 * The model service as its published clients of both generations call it: `/openai/…`, `/svc/list`,
 * `/foundry/…`, `/models/…`.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError, type ModelInfo } from '../protocol/index.ts';
import { fallbackField } from '../services/chat/completionShape.ts';
import { type DownloadRequest, parseDownloadRequest } from '../services/downloadRequest.ts';
import type { ProviderFallback } from '../services/host.ts';
import { parseFlag, parseLoadQuery } from '../services/loadQuery.ts';
import { readJson } from './body.ts';
import { catalogueWire, localWire } from './catalogueShape.ts';
import { downloadStream } from './downloadStream.ts';
import type { AppEnv } from './env.ts';
import { noteFallback } from './fallbackHeader.ts';
import { answerJson } from './jsonAnswer.ts';
import { withHeaders } from './sse.ts';
import { nameIgnored } from './unknownFields.ts';

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

	app.get('/svc/list', async (context) => answerJson(context, { models: await catalogue() }));
	// The published clients iterate over the answer itself.
	app.get('/foundry/list', async (context) => answerJson(context, await catalogue()));
	app.get('/foundry/cache', (context) => answerJson(context, { location: backend.modelsDir() }));

	app.get('/openai/models', async (context) =>
		answerJson(
			context,
			(await models.host.list()).map((model) => model.id),
		),
	);
	app.get('/openai/loadedmodels', (context) => answerJson(context, models.host.loaded()));
	app.get('/models/loaded', (context) => answerJson(context, models.host.loaded()));

	app.post('/openai/download', async (context) => {
		const request = parseDownloadRequest(await readJson(context));
		const { name, ...model } = request.model;
		const { token, customDirPath: folder, bufferBytes } = request;
		const wanted = {
			...model,
			...(token === undefined ? {} : { token }),
			...(folder === undefined ? {} : { folder }),
			...(bufferBytes === undefined ? {} : { bufferBytes }),
		};
		if (context.get('caller') !== 'owner') await checkKeyless(backend, request);
		// What can be refused at once is an ordinary error instead of a stream that fails.
		await models.target(name, wanted);
		nameIgnored(context, request.ignored);
		const pipe = request.progressToken;
		const answer = downloadStream(
			{
				totals: readsTotals.test(context.req.header('user-agent') ?? ''),
				quiet: pipe !== undefined && !request.ignorePipeReport,
				signal: context.get('signal'),
			},
			async (onProgress, signal) => {
				await models.download(
					name,
					wanted,
					{
						onProgress: (progress) => {
							onProgress(progress);
							if (pipe !== undefined)
								backend.events.emit({ type: 'download', ...progress, progressToken: pipe });
						},
					},
					signal,
				);
			},
		);
		return withHeaders(context, answer);
	});

	const load = async (context: Context<AppEnv>, name: string) => {
		const wishes = parseLoadQuery((key) => context.req.query(key));
		if (!(await isHere(backend, name)))
			throw new AppError(
				'model_not_found',
				// The published clients look for this very phrase to tell "not downloaded" from other errors.
				`No OpenAIService provider found for modelName:${name}. It is not on this machine: download it first (nearglot models pull ${name}).`,
				{ param: 'name' },
			);
		let found: ProviderFallback | undefined;
		const onFallback = (fallback: ProviderFallback) => {
			found = fallback;
			noteFallback(context, fallback);
		};
		await models.load(name, { ...wishes, onFallback }, context.get('signal'));
		return fallbackField(found);
	};
	app.get('/openai/load/:name{.+}', async (context) => {
		await load(context, context.req.param('name'));
		return context.body(null, 200);
	});
	app.get('/models/load/:name{.+}', async (context) => {
		const name = context.req.param('name');
		const model = (await isHere(backend, name)) ? await models.host.resolve(name) : undefined;
		const before = model !== undefined && models.host.loaded().includes(model.id);
		const place = await load(context, name);
		return answerJson(context, { status: before ? 'already_loaded' : 'loaded', ...place });
	});

	app.get('/openai/unload/:name{.+}', async (context) => {
		await unload(backend, context, context.req.param('name'));
		return context.body(null, 200);
	});
	app.get('/models/unload/:name{.+}', async (context) =>
		answerJson(context, {
			status: (await unload(backend, context, context.req.param('name')))
				? 'unloaded'
				: 'not_loaded',
		}),
	);
	app.get('/openai/unloadall', async (context) => {
		await models.unloadAll(parseFlag(context.req.query('force'), 'force') ?? false);
		return context.body(null, 200);
	});

	app.get('/openai/getgpudevice', (context) => answerJson(context, gpus.chosen()));
	app.get('/openai/setgpudevice/:id', async (context) => {
		await gpus.choose(context.req.param('id'));
		return context.body(null, 200);
	});
}

function unload(backend: Backend, context: Context<AppEnv>, name: string): Promise<boolean> {
	const force = parseFlag(context.req.query('force'), 'force') ?? false;
	return backend.models.host.unload(name, force);
}

/**
 * What the published interface downloads without a key: models of the catalogue, to the folder of models.
 * @throws AppError `invalid_api_key` for what else one could name, `model_not_found`
 */
async function checkKeyless(backend: Backend, request: DownloadRequest): Promise<void> {
	const beyond = (['customDirPath', 'token'] as const).find((name) => request[name] !== undefined);
	if (beyond !== undefined)
		throw new AppError('invalid_api_key', `'${beyond}' needs the key of the server.`, {
			param: beyond,
		});
	const { name, ...wanted } = request.model;
	const { entry, source } = await backend.models.target(name, wanted);
	// Nothing is fetched for one that comes with the server, or was added where it lies.
	if (entry === undefined && source !== undefined)
		throw new AppError(
			'invalid_api_key',
			`${(name ?? wanted.uri ?? '').slice(0, 200)} is not in the catalogue: downloading from other places of the hub needs the key of the server.`,
			{ param: 'model' },
		);
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
