/**
 * The three calls by which editors list the models of an Ollama server; they chat over `/v1` then.
 * Nothing else of that dialect is offered.
 */

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { ModelDescription } from '../engine/api.ts';
import type { ModelInfo } from '../protocol/index.ts';
import { AppError } from '../protocol/index.ts';
import {
	ollamaShow,
	ollamaTags,
	ollamaVersion as versionRoute,
} from '../protocol/routes/ollama.ts';
import { knowsFolders } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';

/** Version of the dialect, not of this product: clients refuse servers older than 0.6.4. */
const ollamaApiVersion = '0.12.6';

export function registerOllamaRoutes(app: Hono<AppEnv>, backend: Backend): void {
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
		const name = request.model ?? request.name;
		if (name === undefined)
			throw new AppError('invalid_request', "'model' is missing.", { param: 'model' });
		const model = await backend.host.resolve(name);
		const description = await backend.host.describe(model.id);
		const { template } = await backend.profile(description.folder);
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
			capabilities: capabilities(model, description),
			modified_at: await modifiedAt(description.folder),
		});
	});
}

const speaksHere = ({ task }: ModelInfo) =>
	task === 'chat-completion' || task === 'text-generation' || task === 'embeddings';

async function tagOf(model: ModelInfo, description: ModelDescription) {
	return {
		name: model.id,
		model: model.id,
		modified_at: await modifiedAt(description.folder),
		size: model.sizeBytes ?? 0,
		digest: createHash('sha256')
			.update(`${model.id} ${model.sizeBytes ?? 0}`)
			.digest('hex'),
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
	return ['completion', ...(description.supportsTools ? ['tools'] : [])];
}

async function modifiedAt(folder: string): Promise<string> {
	const { mtime } = await stat(folder);
	return mtime.toISOString();
}
