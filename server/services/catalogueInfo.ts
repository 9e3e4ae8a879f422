/** A model of the catalogue that is not on this machine, as lists show it. */

import type { CatalogueEntry } from '../hub/catalogue.ts';
import type { KnownFacts } from '../hub/refresh.ts';
import { defined } from '../protocol/defined.ts';
import { estimatedModelBytes, type ModelInfo } from '../protocol/index.ts';

export function infoOf(
	entry: CatalogueEntry,
	facts: KnownFacts | undefined,
	downloading: boolean,
): ModelInfo {
	const { model, variant } = entry;
	const size = facts?.sizeBytes ?? variant.sizeBytes;
	return {
		id: entry.id,
		name: variant.name,
		version: String(variant.version),
		alias: model.alias,
		displayName: model.displayName,
		task: model.task,
		state: downloading ? 'downloading' : 'not-downloaded',
		origin: 'catalogue',
		publisher: model.publisher,
		license: facts?.license ?? model.license,
		supportsToolCalling: model.supportsToolCalling === true,
		...defined({
			parentModelUri: model.parent,
			sizeBytes: size,
			estimatedBytes:
				size === undefined
					? estimatedModelBytes({ alias: model.alias, name: variant.name, task: model.task })
					: undefined,
			contextLength: model.contextLength,
			maxOutputTokens: model.maxOutputTokens,
			languages: model.languages,
		}),
	};
}
