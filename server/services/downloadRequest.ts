/** The body of a download request of the model service, property names in any letter case. */

import { AppError, type PromptRole, type PromptTemplate, promptRoles } from '../protocol/index.ts';

/** What `model` says: which model, from where, and what is to be kept with it. */
export interface RequestedModel {
	/** Name of the catalogue, hub id, or the name that the model at `uri` gets (`name` or `name:version`). */
	readonly name?: string;
	readonly uri?: string;
	/** Folder inside the repository. */
	readonly path?: string;
	readonly providerType?: string;
	readonly publisher?: string;
	/** Without roles: the model's own chat template counts again. */
	readonly promptTemplate?: PromptTemplate;
}

export interface DownloadRequest {
	readonly model: RequestedModel;
	readonly token?: string;
	readonly customDirPath?: string;
	readonly bufferBytes?: number;
	/** Progress in the answer even when a token for the pipe is given. */
	readonly ignorePipeReport: boolean;
	/** Reported with the progress on the named pipe, as it came. */
	readonly progressToken?: ProgressToken;
	/** Fields that mean nothing here. */
	readonly ignored: readonly string[];
}

export type ProgressToken = string | number | object;

/** Longest progress token, as JSON. */
const maxTokenChars = 4096;

/** Fields of an object by their names in lower case, and which of them nobody has read. */
class Fields {
	readonly #path: string;
	readonly #entries: Map<string, { readonly name: string; readonly value: unknown }>;

	constructor(value: unknown, path: string) {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) {
			const what = path === '' ? 'The body' : `'${path}'`;
			throw new AppError('invalid_request', `${what} must be a JSON object.`, {
				param: path === '' ? 'model' : path,
			});
		}
		this.#path = path;
		this.#entries = new Map();
		for (const [name, entry] of Object.entries(value)) {
			const key = name.toLowerCase();
			const other = this.#entries.get(key)?.name;
			if (other !== undefined)
				throw invalid(
					this.at(name),
					`and '${this.at(other)}' are the same field; send one of them`,
				);
			this.#entries.set(key, { name, value: entry });
		}
	}

	/** Name of a field in errors. */
	at(name: string): string {
		return this.#path === '' ? name : `${this.#path}.${name}`;
	}

	/** Takes a field out; null counts as absent. */
	take(name: string): unknown {
		const key = name.toLowerCase();
		const value = this.#entries.get(key)?.value;
		this.#entries.delete(key);
		return value ?? undefined;
	}

	text(name: string, maxLength = 4096): string | undefined {
		const value = this.take(name);
		if (value === undefined || value === '') return undefined;
		if (typeof value !== 'string') throw invalid(this.at(name), 'must be a string');
		if (value.length > maxLength)
			throw invalid(this.at(name), `must have at most ${maxLength} characters`);
		return value;
	}

	get left(): string[] {
		return [...this.#entries.values()].map(({ name }) => this.at(name));
	}
}

/**
 * Parses `{model:{Name,Uri,Path,ProviderType,Publisher,PromptTemplate}, token?, customDirPath?,
 * bufferSize?, ignorePipeReport?, progressToken?}`; `model` may also be a plain name. `bufferSize` is in
 * KiB, 1…65536.
 * @throws AppError `invalid_request` naming the field
 */
export function parseDownloadRequest(value: unknown): DownloadRequest {
	const body = new Fields(value, '');
	const ignored: string[] = [];
	const model = modelOf(body.take('model'), ignored);
	const token = body.text('token');
	const folder = body.text('customDirPath');
	const progress = progressTokenOf(body.take('progressToken'));
	const ignore = body.take('ignorePipeReport');
	if (ignore !== undefined && typeof ignore !== 'boolean')
		throw invalid('ignorePipeReport', 'must be true or false');
	const buffer = body.take('bufferSize');
	const isCount = typeof buffer === 'number' && Number.isInteger(buffer);
	if (buffer !== undefined && !(isCount && buffer >= 1 && buffer <= 65_536))
		throw invalid('bufferSize', 'must be a whole number of KiB from 1 to 65536');
	return {
		model,
		ignorePipeReport: ignore === true,
		ignored: [...body.left, ...ignored],
		...(token === undefined ? {} : { token }),
		...(folder === undefined ? {} : { customDirPath: folder }),
		...(isCount ? { bufferBytes: buffer * 1024 } : {}),
		...(progress === undefined ? {} : { progressToken: progress }),
	};
}

function modelOf(value: unknown, ignored: string[]): RequestedModel {
	if (typeof value === 'string' && value !== '') return { name: value };
	const model = new Fields(value, 'model');
	const name = model.text('Name', 300);
	const uri = model.text('Uri');
	const path = model.text('Path');
	const providerType = model.text('ProviderType', 100);
	const publisher = model.text('Publisher', 200);
	const promptTemplate = promptTemplateOf(model.take('PromptTemplate'), ignored);
	const local = uri === undefined ? undefined : /^local:\/\/(.*)$/i.exec(uri)?.[1];
	const called = name ?? local;
	if (called === undefined && uri === undefined) throw invalid('model', 'needs a Name or a Uri');
	ignored.push(...model.left);
	return {
		...(called === undefined ? {} : { name: called }),
		...(uri === undefined || local !== undefined ? {} : { uri }),
		...(path === undefined ? {} : { path }),
		...(providerType === undefined ? {} : { providerType }),
		...(publisher === undefined ? {} : { publisher }),
		...(promptTemplate === undefined ? {} : { promptTemplate }),
	};
}

function promptTemplateOf(value: unknown, ignored: string[]): PromptTemplate | undefined {
	if (value === undefined) return undefined;
	const fields = new Fields(value, 'model.PromptTemplate');
	const texts: Partial<Record<PromptRole, string>> = {};
	for (const role of promptRoles) {
		const text = fields.text(role, 65_536);
		if (text === undefined) continue;
		if (!text.includes('{Content}'))
			throw invalid(fields.at(role), 'must contain {Content}, the place of the message');
		texts[role] = text;
	}
	ignored.push(...fields.left);
	return texts;
}

function progressTokenOf(value: unknown): ProgressToken | undefined {
	if (value === undefined || value === '') return undefined;
	const isToken = ['string', 'number', 'object'].includes(typeof value) && !Array.isArray(value);
	if (!isToken || JSON.stringify(value).length > maxTokenChars)
		throw invalid(
			'progressToken',
			`must be a string, number or object of at most ${maxTokenChars} characters`,
		);
	return value as ProgressToken;
}

function invalid(param: string, what: string): AppError {
	return new AppError('invalid_request', `'${param}' ${what}.`, { param });
}
