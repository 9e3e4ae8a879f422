/** `nearglot/models…`: the daemon's list of models, and loading and unloading them. */

import type { ModelInfo } from '../protocol/index.ts';
import type { DaemonLink } from './daemonLink.ts';
import { isRecord } from './responseError.ts';

/** Every model the daemon knows, in its order. */
export async function listModels(
	link: DaemonLink,
	signal: AbortSignal,
): Promise<{ models: ModelInfo[] }> {
	const body = await link.json('/nearglot/models', undefined, signal);
	const list = isRecord(body) && Array.isArray(body['models']) ? body['models'] : [];
	return {
		models: list.filter(
			(model): model is ModelInfo => isRecord(model) && typeof model['id'] === 'string',
		),
	};
}

/** Loads a model; resolves when it can answer. */
export async function loadModel(
	link: DaemonLink,
	model: string,
	signal: AbortSignal,
): Promise<Record<string, never>> {
	await link.call(`/openai/load/${encodeURIComponent(model)}`, { method: 'GET' }, signal);
	return {};
}

/** Ends the runner of a model. */
export async function unloadModel(
	link: DaemonLink,
	model: string,
	signal: AbortSignal,
): Promise<Record<string, never>> {
	await link.call(`/openai/unload/${encodeURIComponent(model)}`, { method: 'GET' }, signal);
	return {};
}
