/** Models in Ollama's interface: lists, what is in memory, downloads, copies, removal. */

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Hono } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import type { ModelDescription } from '../../engine/api.ts';
import type { ModelInfo } from '../../protocol/index.ts';
import { AppError } from '../../protocol/index.ts';
import { idName } from '../../protocol/modelNames.ts';
import {
	ollamaBlob,
	ollamaCopy,
	ollamaCreate,
	ollamaDelete,
	ollamaLoaded,
	ollamaPull,
	ollamaPush,
	ollamaShow,
	ollamaTags,
	ollamaVersion as versionRoute,
} from '../../protocol/routes/ollama.ts';
import { namingField } from '../../services/fieldNames.ts';
import type { ModelDownloadEvent } from '../../services/modelService.ts';
import { knowsFolders } from '../callerRoles.ts';
import type { AppEnv } from '../env.ts';
import { answerJson } from '../jsonAnswer.ts';
import { checkKeyless } from '../keylessDownload.ts';
import { ndjson } from '../ndjsonResponse.ts';
import { register } from '../register.ts';
import { withHeaders } from '../streamedAnswer.ts';

/** Version of the dialect, not of this product: clients refuse servers older than 0.6.4. */
const ollamaApiVersion = '0.12.6';

export function registerOllamaModelRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, versionRoute, ({ answer }) => answer({ version: ollamaApiVersion }));

	register(app, ollamaTags, async ({ answer }) => {
		const models = (await backend.host.list()).filter(speaksHere);
		const rows = await Promise.all(
			models.map(async (model) => {
				const description = await backend.host.describe(model.id).catch(() => undefined);
				return description === undefined ? [] : [await tagOf(model, description)];
			}),
		);
		return answer({ models: rows.flat() });
	});

	register(app, ollamaShow, async ({ context, body: request, answer }) => {
		const model = await backend.host.resolve(request.model);
		const description = await backend.host.describe(model.id);
		const { template, reasoning } = await backend.profile(description.folder);
		const thinks = template?.includes(reasoning.open) ?? false;
		const architecture = description.family;
		const info = {
			'general.architecture': architecture,
			'general.basename': model.displayName,
			'general.name': model.displayName,
			[`${architecture}.context_length`]: description.contextLength,
			[`${architecture}.block_count`]: description.layers,
			[`${architecture}.attention.head_count_kv`]: description.kvHeads,
			[`${architecture}.attention.key_length`]: description.headSize,
			[`${architecture}.vocab_size`]: description.vocabularySize,
		};
		// Folders are no business of a team's members.
		const withFolder = request.verbose && knowsFolders(context.get('caller'));
		return answer({
			license: model.license,
			modelfile: '',
			parameters: '',
			template: template ?? '',
			details: detailsOf(description),
			model_info: withFolder ? { ...info, 'general.folder': description.folder } : info,
			capabilities: [...capabilities(model, description), ...(thinks ? ['thinking'] : [])],
			modified_at: await modifiedAt(description.folder),
		});
	});

	register(app, ollamaLoaded, async ({ answer }) =>
		answer({ models: await loadedModels(backend) }),
	);

	register(app, ollamaPull, async ({ context, body }) => {
		const { stream = true } = body;
		const name = hubName(body.model);
		if (context.get('caller') !== 'owner') await checkKeyless(backend, name, {});
		// What can be refused at once is an ordinary error instead of a stream that fails.
		await backend.models.target(name);
		const pull = async (onLine: (line: object) => void, signal: AbortSignal) => {
			onLine({ status: 'pulling manifest' });
			for await (const event of backend.models.download(name, {}, signal)) {
				const line = pullLine(event);
				if (line !== undefined) onLine(line);
			}
			return { status: 'success' };
		};
		const signal = context.get('signal');
		if (!stream) return answerJson(context, await pull(() => {}, signal));
		const response = await ndjson({ signal, caller: context.get('caller') }, async (write, stop) =>
			write(await pull(write, stop)),
		);
		return withHeaders(context, response);
	});

	register(app, ollamaDelete, async ({ context, body }) => {
		await backend.models.remove(body.model);
		return context.body(null, 200);
	});

	register(app, ollamaCopy, async ({ context, body: { source, destination }, signal }) => {
		const { id, folder } = await backend.host.resolve(source);
		if (folder === undefined)
			throw new AppError('unsupported_model', `${id} has no files on this computer.`, {
				param: 'source',
			});
		const name = destination.replace(/:latest$/i, '');
		if (name.includes(':'))
			throw new AppError(
				'unsupported_parameter',
				"'destination' has a tag; models here have versions of their own, so give a name without one.",
				{ param: 'destination' },
			);
		if (idName(name) !== name)
			throw new AppError(
				'invalid_request',
				`'destination' cannot be the name of a model: use Latin letters, digits, dot, dash and underscore, and begin with a letter or digit, as in '${idName(name)}'.`,
				{ param: 'destination' },
			);
		await namingField('name', 'destination', () => backend.models.import(folder, name, signal));
		return context.body(null, 200);
	});

	for (const [route, why] of [
		[ollamaCreate, 'Models are not made of Modelfiles here'],
		[ollamaPush, 'Models are not uploaded from here'],
		[ollamaBlob, 'Files are not uploaded to this server'],
	] as const)
		register(app, route, () => {
			throw new AppError(
				'unsupported_parameter',
				`${why}: a model is a folder of ONNX files, or is built of GGUF or safetensors with 'nearglot models import'.`,
			);
		});
}

/** Names of the hub as Ollama's clients write them. */
const hubName = (name: string) =>
	name.replace(/^(?:https?:\/\/)?(?:hf\.co|huggingface\.co)\//i, '').replace(/:latest$/i, '');

/** What a client is told of an event of a download. */
function pullLine(event: ModelDownloadEvent): object | undefined {
	switch (event.type) {
		case 'start':
			return { status: `pulling ${event.start.repository}`, total: event.start.totalBytes };
		case 'waiting':
			return { status: 'waiting for another download of this model' };
		case 'notice':
			return { status: event.notice };
		case 'progress': {
			const { model, phase, totalBytes: total, doneBytes: completed } = event.progress;
			const doing = phase === 'build' ? 'building' : phase === 'check' ? 'verifying' : 'pulling';
			// One bar for all files: that is what is known.
			return { status: `${doing} ${model}`, digest: digestOf(model), total, completed };
		}
		case 'done':
			return undefined;
	}
}

/** Ollama's clients read a date where a model stays for ever, too. */
const never = '9999-12-31T23:59:59.000Z';

async function loadedModels(backend: Backend) {
	const [stats, models] = await Promise.all([backend.host.stats(), backend.host.list()]);
	const rows = backend.host.runners().map(async ({ model: id, idleLeftMs }) => {
		const model = models.find((each) => each.id === id);
		const description = await backend.host.describe(id).catch(() => undefined);
		if (model === undefined || description === undefined) return [];
		const own = stats.find((each) => each.model === id)?.stats;
		const size = own?.residentBytes ?? model.sizeBytes ?? 0;
		return [
			{
				name: id,
				model: id,
				size,
				size_vram: own === undefined || own.executionProvider === 'cpu' ? 0 : size,
				digest: digestOf(`${id} ${model.sizeBytes ?? 0}`),
				details: detailsOf(description),
				expires_at:
					idleLeftMs === undefined ? never : new Date(Date.now() + idleLeftMs).toISOString(),
				context_length: description.contextLength,
			},
		];
	});
	return (await Promise.all(rows)).flat();
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

const speaksHere = ({ task }: ModelInfo) =>
	task === 'chat-completion' || task === 'text-generation' || task === 'embeddings';

async function tagOf(model: ModelInfo, description: ModelDescription) {
	return {
		name: model.id,
		model: model.id,
		modified_at: await modifiedAt(description.folder),
		size: model.sizeBytes ?? 0,
		digest: digestOf(`${model.id} ${model.sizeBytes ?? 0}`),
		details: detailsOf(description),
	};
}

function detailsOf(description: ModelDescription) {
	return {
		parent_model: '',
		format: 'onnx',
		family: description.family,
		families: [description.family],
		parameter_size: '',
		quantization_level: description.variants[0]?.precision ?? '',
	};
}

function capabilities(model: ModelInfo, description: ModelDescription): string[] {
	if (model.task === 'embeddings') return ['embedding'];
	if (model.task !== 'chat-completion' && model.task !== 'text-generation') return [];
	return [
		'completion',
		...(description.supportsTools ? ['tools'] : []),
		...(description.seesImages === true ? ['vision'] : []),
	];
}

async function modifiedAt(folder: string): Promise<string> {
	const { mtime } = await stat(folder);
	return mtime.toISOString();
}
