/** The model that a name means, among those of the index. */

import { findModel, type ModelInfo, type ModelTask } from '../protocol/index.ts';
import { ofModel, unknownModel, wrongTask } from './modelErrors.ts';
import type { IndexedModel, ModelIndex } from './modelIndex.ts';

/** The row of a model, by the rule of every door. */
export function findInfo<T extends { readonly info: ModelInfo }>(
	models: readonly T[],
	name: string,
): T | undefined {
	const infos = models.map(({ info }) => info);
	const found = findModel(infos, name);
	return found && models[infos.indexOf(found)];
}

/**
 * One that can run.
 * @throws AppError `model_not_found`, that of its folder, or that of a model for another task
 */
export async function findUsable(
	index: ModelIndex,
	name: string,
	task?: ModelTask,
): Promise<IndexedModel> {
	let models = await index.list();
	let model = findInfo(models, name);
	if (!model || model.problem) {
		// It may have arrived or been repaired just now.
		models = await index.refresh();
		model = findInfo(models, name);
	}
	const infos = models.map((each) => each.info);
	if (!model) throw unknownModel(name, infos, task);
	if (model.problem) throw ofModel(model.info.id, model.problem);
	if (task !== undefined && model.info.task !== task) throw wrongTask(model.info, task, infos);
	return model;
}
