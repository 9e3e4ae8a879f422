/** The body of a download request of the model service, property names in any letter case. */

import { AppError } from '../protocol/index.ts';

export interface DownloadRequest {
	/** Catalogue id, alias or hub id. */
	readonly name: string;
	readonly token?: string;
	readonly customDirPath?: string;
	readonly bufferBytes?: number;
	/** Progress in the answer even when a token for the pipe is given. */
	readonly ignorePipeReport: boolean;
	/** Name under which progress is reported on the named pipe. */
	readonly progressToken?: string;
}

type Fields = ReadonlyMap<string, unknown>;

/**
 * Parses `{model:{Uri,Name,…}, token?, customDirPath?, bufferSize?, ignorePipeReport?,
 * progressToken?}`; `model` may also be a plain name. `bufferSize` is in KiB, 1…65536.
 */
export function parseDownloadRequest(value: unknown): DownloadRequest {
	const body = fields(value, 'The body');
	const model = body.get('model');
	const name = typeof model === 'string' ? model : nameOf(fields(model, '`model`'));
	const token = text(body, 'token');
	const folder = text(body, 'customDirPath');
	const progress = body.get('progresstoken');
	if (progress != null && typeof progress !== 'string' && typeof progress !== 'number')
		throw invalid('progressToken', 'must be a string or a number');
	const ignore = body.get('ignorepipereport');
	if (ignore != null && typeof ignore !== 'boolean')
		throw invalid('ignorePipeReport', 'must be true or false');
	const buffer = body.get('buffersize');
	if (
		buffer != null &&
		!(typeof buffer === 'number' && Number.isInteger(buffer) && buffer >= 1 && buffer <= 65_536)
	)
		throw invalid('bufferSize', 'must be a whole number of KiB from 1 to 65536');
	return {
		name,
		ignorePipeReport: ignore === true,
		...(token === undefined ? {} : { token }),
		...(folder === undefined ? {} : { customDirPath: folder }),
		...(buffer == null ? {} : { bufferBytes: (buffer as number) * 1024 }),
		...(progress == null || progress === '' ? {} : { progressToken: String(progress) }),
	};
}

/** The catalogue's name when it is one, else the hub id in the address. */
function nameOf(model: Fields): string {
	const name = text(model, 'name', 'model.Name');
	const uri = text(model, 'uri', 'model.Uri');
	if (name !== undefined) return name;
	if (uri === undefined) throw invalid('model', 'needs a Name or a Uri');
	if (!/^(https?|hf):\/\//i.test(uri))
		throw invalid('model.Uri', 'must be the address of a model on the hub (https or hf)');
	return uri
		.replace(/^hf:\/\//i, '')
		.replace(/^https?:\/\/[^/]+\//i, '')
		.replace(/\/+$/, '');
}

function fields(value: unknown, what: string): Fields {
	if (typeof value !== 'object' || value === null || Array.isArray(value))
		throw new AppError('invalid_request', `${what} must be a JSON object.`, { param: 'model' });
	return new Map(Object.entries(value).map(([key, entry]) => [key.toLowerCase(), entry]));
}

function text(map: Fields, key: string, param = key): string | undefined {
	const value = map.get(key.toLowerCase());
	if (value == null || value === '') return undefined;
	if (typeof value !== 'string' || value.length > 4096) throw invalid(param, 'must be a string');
	return value;
}

function invalid(param: string, what: string): AppError {
	return new AppError('invalid_request', `'${param}' ${what}.`, { param });
}
