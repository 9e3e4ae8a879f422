/** Errors about the model that a caller names. */

import {
	AppError,
	type ExecutionProvider,
	type ModelInfo,
	type ModelTask,
	nearNamesHint,
} from '../protocol/index.ts';
import { unsent } from '../protocol/unsent.ts';

/** Longest list of known models in an error message. */
const namedAtMost = 20;

/** The error for a name nobody knows; it names what is known. */
export function unknownModel(
	name: string,
	models: readonly ModelInfo[],
	task?: ModelTask,
): AppError {
	const fitting = models.filter((model) => task === undefined || model.task === task);
	const ids = fitting.slice(0, namedAtMost).map((model) => model.id);
	const more = fitting.length > ids.length ? ` and ${fitting.length - ids.length} more` : '';
	const known =
		ids.length === 0
			? `No model${task === undefined ? '' : ` for ${task}`} is on this machine yet.`
			: `Known: ${ids.join(', ')}${more}.`;
	const shown = name.slice(0, 200);
	const near = nearNamesHint(
		fitting.map(({ id }) => id),
		name,
	);
	return new AppError('model_not_found', `There is no model '${shown}'.${near} ${known}`, {
		param: 'model',
	});
}

/** The error for a model that cannot do what was asked. */
export function wrongTask(
	model: ModelInfo,
	task: ModelTask,
	models: readonly ModelInfo[],
): AppError {
	const fitting = models.filter((other) => other.task === task).map((other) => other.id);
	const hint =
		fitting.length === 0 ? '' : ` Models for that: ${fitting.slice(0, namedAtMost).join(', ')}.`;
	return new AppError(
		'unsupported_model',
		`The model '${model.id}' is for ${model.task}, not for ${task}.${hint}`,
		{ param: 'model' },
	);
}

/** The error for a model that is in use on the device that another load of it would take. */
export function isAnswering(
	id: string,
	now: ExecutionProvider,
	requested: ExecutionProvider,
): AppError {
	const [how, param] =
		now === requested
			? [`with or without 'exact' and was asked for the other way`, 'exact']
			: [`on ${now}, which is the same device as ${requested}`, 'ep'];
	return new AppError(
		'conflict',
		`'${id}' is answering ${how}; ask again when it is done, or leave '${param}' out.`,
		{ param },
	);
}

/** The error for a model that does not fit beside those that are in use. */
export function noRoom(
	id: string,
	neededBytes: number,
	freeBytes: number,
	loaded: readonly string[],
	totalBytes: number,
): AppError {
	const others =
		loaded.length === 0 ? '' : ` In memory and in use or pinned: ${loaded.join(', ')}.`;
	return new AppError(
		'out_of_memory',
		`'${id}' needs about ${mebibytes(neededBytes)} MiB and ${mebibytes(freeBytes)} MiB of memory are free.${others} Unload a model, close other programs, or choose a smaller model or precision.`,
		{
			param: 'model',
			// There may be room later, unless the device or the machine is too small for it.
			data: { neededBytes, freeBytes, ...(neededBytes <= totalBytes ? unsent.data : {}) },
		},
	);
}

const mebibytes = (bytes: number) => Math.ceil(bytes / 2 ** 20).toLocaleString('en');

/** Errors of a model that was requested by name. */
export function ofModel(id: string, { code, message, param }: AppError): AppError {
	return new AppError(code, `The model ${id} cannot be used: ${message}`, {
		...(param === null ? {} : { param }),
	});
}
