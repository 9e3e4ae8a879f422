/** Models for our own command line and editor: everything the older service's routes cannot say. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { commandLine, secretNames } from '../daemon/secrets.ts';
import { precisionSuffixes } from '../hub/select.ts';
import { AppError, type Precision, suggestModels } from '../protocol/index.ts';
import { machineFacts } from '../services/machineFacts.ts';
import { readJson } from './body.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';
import { sse } from './sse.ts';

export function registerOwnModelRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { models, gpus } = backend;
	app.get('/nearglot/models/list', async (context) =>
		answerJson(context, {
			models: await models.list(),
			downloads: models.downloads.list(),
			stats: await backend.host.stats(),
		}),
	);
	app.get('/nearglot/models/gpus', async (context) =>
		answerJson(context, { gpus: await gpus.list(), chosen: gpus.chosen() }),
	);

	app.get('/nearglot/models/suggest', async (context) => {
		const task = context.req.query('task') ?? 'chat-completion';
		if (task !== 'chat-completion' && task !== 'automatic-speech-recognition')
			throw new AppError(
				'invalid_request',
				"'task' is chat-completion or automatic-speech-recognition.",
				{ param: 'task' },
			);
		const machine = await machineFacts(backend.modelsDir(), gpus);
		return answerJson(context, suggestModels(await models.list(), machine, task));
	});

	app.post('/nearglot/models/download', async (context) => {
		const body = record(await readJson(context));
		const name = required(body, 'model');
		const precision = optional(body, 'precision');
		if (precision !== undefined && !Object.hasOwn(precisionSuffixes, precision))
			throw invalid('precision', `must be one of ${Object.keys(precisionSuffixes).join(', ')}`);
		const wishes = {
			...(precision === undefined ? {} : { precision: precision as Precision }),
			...texts(body, ['uri', 'path', 'revision', 'token']),
		};
		return sse(
			{ signal: context.get('signal'), caller: context.get('caller') },
			async (writer, signal) => {
				const model = await models.download(
					name,
					wishes,
					{
						onStart: (start) => writer.data({ start }),
						onProgress: (progress) => writer.data({ progress }),
						onWait: (pid) => writer.data({ waitingFor: pid ?? null }),
					},
					signal,
				);
				writer.data({ model });
			},
		);
	});
	app.post('/nearglot/models/pause', async (context) => {
		const name = required(record(await readJson(context)), 'model');
		return answerJson(context, { paused: await models.downloads.pause(name) });
	});
	app.post('/nearglot/models/remove', async (context) => {
		const name = required(record(await readJson(context)), 'model');
		return answerJson(context, { removed: await models.remove(name) });
	});
	app.post('/nearglot/models/pin', async (context) => {
		const body = record(await readJson(context));
		if (typeof body['pinned'] !== 'boolean') throw invalid('pinned', 'must be true or false');
		await models.pin(required(body, 'model'), body['pinned']);
		return answerJson(context, { pinned: body['pinned'] });
	});
	app.post('/nearglot/models/draft', async (context) => {
		const body = record(await readJson(context));
		await models.draft(required(body, 'model'), optional(body, 'draft_model'));
		return answerJson(context, { draft_model: optional(body, 'draft_model') ?? null });
	});
	app.post('/nearglot/models/register', async (context) => {
		const folder = required(record(await readJson(context)), 'folder');
		return answerJson(context, { models: await models.register(folder) });
	});
	app.post('/nearglot/models/unregister', async (context) => {
		await models.unregister(required(record(await readJson(context)), 'folder'));
		return answerJson(context, {});
	});
	app.post('/nearglot/models/move', async (context) => {
		const folder = required(record(await readJson(context)), 'folder');
		if (backend.settings.modelsDirFixed)
			throw new AppError(
				'conflict',
				'The model folder was named when the server started (--models or NEARGLOT_MODELS); change it there.',
			);
		await models.move(folder);
		return answerJson(context, { location: backend.modelsDir() });
	});
	app.post('/nearglot/models/import', async (context) => {
		const body = record(await readJson(context));
		const model = await models.import(
			required(body, 'path'),
			optional(body, 'name'),
			context.get('signal'),
		);
		return answerJson(context, { model });
	});
	app.post('/nearglot/models/refresh', async (context) =>
		answerJson(context, { failures: await models.refresh(context.get('signal')) }),
	);

	app.get('/nearglot/secrets/names', (context) =>
		answerJson(context, { names: backend.secrets.names() }),
	);
	app.post('/nearglot/secrets/set', async (context) => {
		const body = record(await readJson(context));
		const source = context.req.query('source') ?? commandLine;
		if (!/^[\w:.-]{1,80}$/.test(source)) throw invalid('source', 'is a short name without blanks');
		for (const [name, value] of Object.entries(body)) {
			const known = secretNames.find((entry) => entry === name);
			if (known === undefined) throw invalid(name, `is not one of ${secretNames.join(', ')}`);
			if (value !== null && (typeof value !== 'string' || value.length > 8192))
				throw invalid(name, 'must be a string, or null to forget it');
			backend.secrets.set(known, value ?? undefined, source);
		}
		return answerJson(context, { names: backend.secrets.names() });
	});
}

function record(value: unknown): Readonly<Record<string, unknown>> {
	if (typeof value === 'object' && value !== null && !Array.isArray(value))
		return value as Readonly<Record<string, unknown>>;
	throw new AppError('invalid_request', 'The body must be a JSON object.');
}

function required(body: Readonly<Record<string, unknown>>, key: string): string {
	const value = optional(body, key);
	if (value === undefined) throw invalid(key, 'is missing');
	return value;
}

function optional(body: Readonly<Record<string, unknown>>, key: string): string | undefined {
	const value = body[key];
	if (value == null) return undefined;
	if (typeof value !== 'string' || value === '' || value.length > 4096)
		throw invalid(key, 'must be a string');
	return value;
}

/** Those of the fields that are given. */
function texts<Key extends string>(
	body: Readonly<Record<string, unknown>>,
	keys: readonly Key[],
): { readonly [key in Key]?: string } {
	const given = keys.flatMap((key) => {
		const value = optional(body, key);
		return value === undefined ? [] : [[key, value]];
	});
	return Object.fromEntries(given);
}

function invalid(param: string, what: string): AppError {
	return new AppError('invalid_request', `'${param}' ${what}.`, { param });
}
