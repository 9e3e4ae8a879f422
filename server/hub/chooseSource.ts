/** The best that a repository has of a model: its own graphs before weights that one can be built of. */

import { AppError } from '../protocol/index.ts';
import type { HubFile } from './repository.ts';
import { type Selection, type SelectOptions, selectFiles } from './selectModelFiles.ts';
import { isProjector, selectWeights, type WeightFiles } from './weightFiles.ts';

export type ModelSourceFiles =
	| { readonly kind: 'graphs'; readonly selection: Selection }
	| { readonly kind: 'weights'; readonly weights: WeightFiles };

/**
 * @throws AppError `unsupported_model` that says what the repository has instead, `invalid_request` for a
 * folder, file or form it does not have
 */
export function chooseSource(files: readonly HubFile[], options: SelectOptions): ModelSourceFiles {
	const { subfolder, precision } = options;
	const path = subfolder === undefined ? {} : { path: subfolder };
	const isFolder =
		subfolder === undefined || files.some((file) => file.path.startsWith(`${subfolder}/`));
	try {
		if (isFolder) return { kind: 'graphs', selection: selectFiles(files, options) };
	} catch (error) {
		const weights = precision === undefined ? selectWeights(files, path) : undefined;
		if (weights === undefined) throw withForms(error, files, precision !== undefined);
		return { kind: 'weights', weights };
	}
	const weights = selectWeights(files, path);
	if (weights !== undefined) return { kind: 'weights', weights };
	return { kind: 'graphs', selection: selectFiles(files, options) };
}

/** Precisions are those of graphs; whoever asked for one is told how to ask for a form. */
function withForms(error: unknown, files: readonly HubFile[], asked: boolean): unknown {
	const gguf = files.filter(({ path }) => /\.gguf$/i.test(path));
	if (gguf.length > 0 && gguf.every(({ path }) => isProjector(path)))
		return new AppError(
			'unsupported_model',
			`The repository has no language model, only the part that reads images or sound for one (${gguf[0]?.path}). Look for the repository of the language model.`,
		);
	if (!asked || !(error instanceof AppError)) return error;
	const how = gguf.length > 0 ? 'Name a form of its GGUF files instead: OWNER/NAME:Q8_0.' : '';
	return new AppError(error.code, `${error.message} ${how}`.trim(), { param: 'precision' });
}
