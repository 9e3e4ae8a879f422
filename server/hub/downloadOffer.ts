/** Models of the catalogue as they are offered where one is missing. */

import type { DownloadOffer } from '../protocol/errorAction.ts';
import { AppError, estimatedModelBytes } from '../protocol/index.ts';
import { bundledCatalogue, type CatalogueModel } from './catalogue.ts';

/** A model with its size as far as it is known without asking the hub. */
export function downloadOffer({
	alias,
	displayName,
	license,
	task,
	variants,
}: CatalogueModel): DownloadOffer {
	const known = variants.find(({ device }) => device === 'CPU')?.sizeBytes;
	const bytes = known ?? estimatedModelBytes({ alias, name: alias, task });
	return {
		model: alias,
		name: displayName,
		licence: license,
		...(bytes === undefined ? {} : { bytes }),
	};
}

/** The chat model that suits most computers. */
const usualChatModel = 'qwen2.5-0.5b';

/** That there is no chat model, with the one to begin with. */
export function noChatModel(message: string, param = 'model', data: object = {}): AppError {
	const model = bundledCatalogue().models.find(({ alias }) => alias === usualChatModel);
	const action = model && { kind: 'download', ...downloadOffer(model) };
	return new AppError('model_not_found', message, {
		param,
		data: { ...data, ...(action ? { action } : {}) },
	});
}
