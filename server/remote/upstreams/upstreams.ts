/** All engines elsewhere, as the file says at this moment; a change counts for the next request. */

import { AppError } from '../../protocol/index.ts';
import type { JsonFile } from '../../store/jsonFile.ts';
import { createUpstream, type UpstreamEngine, type UpstreamModel } from './openaiUpstream.ts';
import type { UpstreamDeps } from './upstreamExchange.ts';
import { allowsModel, type UpstreamList } from './upstreamFile.ts';

export interface NamedUpstream {
	readonly upstream: UpstreamEngine;
	/** The model, as the engine calls it. */
	readonly model: string;
	/** As it is called here: `lab/qwen3-32b`. */
	readonly id: string;
}

export interface ListedUpstreamModel extends UpstreamModel {
	/** As it is called here. */
	readonly fullId: string;
	readonly upstream: string;
}

export interface Upstreams {
	/**
	 * The engine that a name such as `lab/qwen3-32b` is of; `undefined` for names of this machine.
	 * @throws AppError `model_not_found` for a model that the owner has not allowed
	 */
	find(name: string | undefined): Promise<NamedUpstream | undefined>;
	/** Models of all engines; of one that cannot be asked within three seconds what it said last. */
	list(signal?: AbortSignal): Promise<readonly ListedUpstreamModel[]>;
}

export function createUpstreams(file: JsonFile<UpstreamList>, deps: UpstreamDeps): Upstreams {
	const made = new Map<string, UpstreamEngine>();
	/** The same engine as before while its entry stays as it is: it knows lists and failures. */
	const all = async (): Promise<UpstreamEngine[]> => {
		const { upstreams } = await file.read();
		const entries = new Map(upstreams.map((entry) => [JSON.stringify(entry), entry]));
		for (const key of made.keys()) if (!entries.has(key)) made.delete(key);
		for (const [key, entry] of entries)
			if (!made.has(key)) made.set(key, createUpstream(entry, deps));
		return [...made.values()];
	};
	return {
		find: async (name) => {
			const at = name?.indexOf('/') ?? -1;
			if (name === undefined || at <= 0) return undefined;
			const wanted = name.slice(0, at).toLowerCase();
			const upstream = (await all()).find(({ entry }) => entry.name === wanted);
			if (upstream === undefined) return undefined;
			const model = name.slice(at + 1);
			if (model !== '' && allowsModel(upstream.entry, model))
				return { upstream, model, id: `${wanted}/${model}` };
			throw new AppError(
				'model_not_found',
				`The engine '${wanted}' may be asked for ${upstream.entry.models.join(', ') || 'models by their names'}, not for '${model.slice(0, 100)}'.`,
				{ param: 'model' },
			);
		},
		list: async (signal) => {
			const lists = (await all()).map(async (upstream) => {
				const models = await upstream.models(signal).catch(() => upstream.lastModels);
				const { name } = upstream.entry;
				return models.map((model) => ({ ...model, fullId: `${name}/${model.id}`, upstream: name }));
			});
			return (await Promise.all(lists)).flat();
		},
	};
}
