/** `nearglot/models…`: the daemon's list of models, and loading and unloading them. */

import { isRecord } from '../protocol/errorBody.ts';
import {
	AppError,
	type DownloadProgress,
	type ModelInfo,
	type ModelTask,
	readDownload,
	type Suggestions,
} from '../protocol/index.ts';
import { type Caller, jsonInit } from './daemonLink.ts';

/** Every model the daemon knows, in its order. */
export async function listModels(
	link: Caller,
	signal: AbortSignal,
): Promise<{ models: ModelInfo[] }> {
	const body = await link.json('/nearglot/models/list', undefined, signal);
	const list = isRecord(body) && Array.isArray(body['models']) ? body['models'] : [];
	return {
		models: list.filter(
			(model): model is ModelInfo => isRecord(model) && typeof model['id'] === 'string',
		),
	};
}

/** Loads a model; resolves when it can answer. */
export async function loadModel(
	link: Caller,
	model: string,
	signal: AbortSignal,
): Promise<Record<string, never>> {
	await link.call(`/openai/load/${encodeURIComponent(model)}`, { method: 'GET' }, signal);
	return {};
}

/** Ends the runner of a model. */
export async function unloadModel(
	link: Caller,
	model: string,
	signal: AbortSignal,
): Promise<Record<string, never>> {
	await link.call(`/openai/unload/${encodeURIComponent(model)}`, { method: 'GET' }, signal);
	return {};
}

/** Downloads a model of the catalogue or of the hub; resolves when it is on disk. */
export async function downloadModel(
	link: Caller,
	model: string,
	onProgress: (progress: DownloadProgress) => void,
	signal: AbortSignal,
): Promise<Record<string, never>> {
	const response = await link.call('/nearglot/models/download', jsonInit({ model }), signal);
	await readDownload(response.body ?? new Blob([]).stream(), onProgress, signal);
	return {};
}

/** A one-time link to the studio page of the daemon. */
export async function studioLink(link: Caller, signal: AbortSignal): Promise<{ url: string }> {
	const body = await link.json('/nearglot/studio', {}, signal);
	if (isRecord(body) && typeof body['url'] === 'string') return { url: body['url'] };
	throw new AppError('internal', 'The model server gave no link.');
}

/** Models of the catalogue that fit this computer. */
export async function suggestedModels(
	link: Caller,
	task: ModelTask,
	signal: AbortSignal,
): Promise<Suggestions> {
	const path = `/nearglot/models/suggest?task=${encodeURIComponent(task)}`;
	return (await link.json(path, undefined, signal)) as Suggestions;
}

/** Deletes the files of a downloaded model. */
export async function removeModel(
	link: Caller,
	model: string,
	signal: AbortSignal,
): Promise<Record<string, never>> {
	await link.json('/nearglot/models/remove', { model }, signal);
	return {};
}

/** Moves the folder of downloaded models with its files. */
export async function moveModels(
	link: Caller,
	folder: string,
	signal: AbortSignal,
): Promise<{ location: string }> {
	const body = await link.json('/nearglot/models/move', { folder }, signal);
	return { location: isRecord(body) ? String(body['location']) : folder };
}
