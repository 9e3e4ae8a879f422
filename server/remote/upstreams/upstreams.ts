/** All engines elsewhere, as the file says at this moment; a change counts for the next request. */

import { AppError, allowsUse, listedTask, type UpstreamUse } from '../../protocol/index.ts';
import type { JsonFile } from '../../store/jsonFile.ts';
import {
	createUpstream,
	testTimeoutMs,
	type UpstreamEngine,
	type UpstreamModel,
} from './openaiUpstream.ts';
import { shownUpstream } from './upstreamErrors.ts';
import type { UpstreamDeps } from './upstreamExchange.ts';
import {
	allowsModel,
	type UpstreamEntry,
	type UpstreamList,
	unknownUpstream,
} from './upstreamFile.ts';

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
	/** `host:port` of its engine. */
	readonly host: string;
	/** What its engine may be used for; empty: everything. */
	readonly uses: readonly UpstreamUse[];
	/** Why it cannot be asked at this moment. */
	readonly problem?: string;
}

export interface Upstreams {
	/**
	 * The engine that a name such as `lab/qwen3-32b` is of; `undefined` for names of this machine.
	 * @param use what the model is asked for; absent: its name is looked up only
	 * @throws AppError `model_not_found` for a model or a use that the owner has not allowed
	 */
	find(name: string | undefined, use?: UpstreamUse): Promise<NamedUpstream | undefined>;
	/**
	 * Asks an engine now for the models that may be used. One that answers is no longer left alone for earlier failures.
	 * @throws AppError `not_found`, or what is wrong with the engine
	 */
	test(name: string, signal?: AbortSignal): Promise<readonly ListedUpstreamModel[]>;
	/**
	 * Models of all engines; of one that cannot be asked within three seconds what it said last, and of one that is away
	 * with that as their problem.
	 */
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
		test: async (name, signal) => {
			const list = await file.read();
			const entry = list.upstreams.find((each) => each.name === name);
			if (entry === undefined) throw unknownUpstream(list, name);
			const fresh = createUpstream(entry, deps);
			const models = await fresh.models(signal, testTimeoutMs);
			made.set(JSON.stringify(entry), fresh);
			return listed(entry, models);
		},
		find: async (name, use) => {
			const at = name?.indexOf('/') ?? -1;
			if (name === undefined || at <= 0) return undefined;
			const wanted = name.slice(0, at).toLowerCase();
			const upstream = (await all()).find(({ entry }) => entry.name === wanted);
			if (upstream === undefined) return undefined;
			const { uses = [] } = upstream.entry;
			if (use !== undefined && !allowsUse(uses, use))
				throw new AppError(
					'model_not_found',
					`The engine '${wanted}' was added for ${uses.join(', ')}, not for ${use}.`,
					{ param: 'model' },
				);
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
				const found = listed(upstream.entry, models);
				if (!upstream.isAway) return found;
				const problem = `${shownUpstream(upstream.entry)} is away: the last connection to it has failed.`;
				return found.map((model) => ({ ...model, problem }));
			});
			return (await Promise.all(lists)).flat();
		},
	};
}

/** Of the models of an engine those that may be used for what it was added for. */
export function listed(
	{ name, url, uses = [] }: UpstreamEntry,
	models: readonly UpstreamModel[],
): ListedUpstreamModel[] {
	const { host } = new URL(url);
	return models.flatMap((model) => {
		const task = listedTask(uses, model.task);
		if (task === undefined) return [];
		const fullId = `${name}/${model.id}`;
		return [{ ...model, ...{ task, fullId, upstream: name, host, uses } }];
	});
}
