/** Engines on other machines that the owner has added: `upstreams.json` in the data folder. Keys stay in files of their own. */

import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../protocol/errorBody.ts';
import {
	AppError,
	engineAddress,
	engineName,
	isLoopbackHost,
	type UpstreamUse,
	upstreamUses,
} from '../../protocol/index.ts';
import { JsonFile } from '../../store/jsonFile.ts';

/** An engine that speaks the chat interface under a base address. */
export interface UpstreamEntry {
	/** What stands before the names of its models: `lab` of `lab/qwen3-32b`. */
	readonly name: string;
	/** Base address, e.g. `https://vllm.lab:8000/v1`; no slash at the end. */
	readonly url: string;
	/** Patterns of the models that may be used, `*` for any text; empty: all. */
	readonly models: readonly string[];
	/** What it may be used for; absent or empty: everything. */
	readonly uses?: readonly UpstreamUse[];
	/** File that holds the key; read again for every request. */
	readonly keyFile?: string;
	/** An editor keeps the key, and hands it to the daemon that it meets. */
	readonly isKeyInEditor?: true;
	/** The editor whose setting `nearglot.engines` lists it; absent: it was added here. */
	readonly editor?: string;
	/** Seconds without a sign of life after which an answer is given up. */
	readonly timeoutS: number;
}

export interface UpstreamList {
	readonly upstreams: readonly UpstreamEntry[];
}

export const defaultTimeoutS = 120;

export function upstreamFile(path: string): JsonFile<UpstreamList> {
	return new JsonFile<UpstreamList>(path, {
		holds: 'The engines on other machines',
		fresh: () => ({ upstreams: [] }),
		parse: ({ upstreams, ...rest }) => {
			if (!Array.isArray(upstreams)) return undefined;
			const entries = upstreams.map(parseEntry);
			if (!entries.every((entry) => entry !== undefined)) return undefined;
			return { ...rest, upstreams: entries };
		},
	});
}

function parseEntry(value: unknown): UpstreamEntry | undefined {
	if (!isRecord(value)) return undefined;
	const { name, url, models = [], uses = [], keyFile, isKeyInEditor, editor } = value;
	const { timeoutS = defaultTimeoutS } = value;
	if (typeof name !== 'string' || !engineName.test(name)) return undefined;
	if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
	if (!Array.isArray(models) || !models.every((each) => typeof each === 'string')) return undefined;
	if (!Array.isArray(uses) || !uses.every(isUse)) return undefined;
	if (typeof timeoutS !== 'number' || !(timeoutS > 0)) return undefined;
	if (keyFile !== undefined && typeof keyFile !== 'string') return undefined;
	return {
		...{ name, url, models, timeoutS },
		...(uses.length === 0 ? {} : { uses }),
		...(keyFile === undefined ? {} : { keyFile }),
		...(isKeyInEditor === true ? { isKeyInEditor } : {}),
		...(typeof editor === 'string' ? { editor } : {}),
	};
}

const isUse = (value: unknown): value is UpstreamUse => upstreamUses.some((each) => each === value);

const wrong = (param: string, message: string): AppError =>
	new AppError('invalid_request', message, { param });

/** @throws AppError `invalid_request` for a name that could not stand before the names of models */
export function checkedName(name: string): string {
	if (engineName.test(name)) return name;
	throw wrong(
		'name',
		`'${name.slice(0, 60)}' cannot be the name of an engine: take up to 32 small letters, digits and dashes.`,
	);
}

/**
 * The base address as it is kept.
 * @param allowHttp the person knows that keys and texts go over the network as they are
 * @throws AppError `invalid_request`
 */
export function checkedAddress(text: string, allowHttp: boolean): string {
	const url = URL.parse(text);
	if (url === null || !/^https?:$/.test(url.protocol))
		throw wrong(
			'url',
			`'${text.slice(0, 200)}' is no address that begins with https:// or http://.`,
		);
	if (url.username !== '' || url.password !== '')
		throw wrong(
			'url',
			'The address must hold no name or password: put the key into a file (--key-file).',
		);
	if (url.search !== '' || url.hash !== '')
		throw wrong('url', 'The address ends with a path such as /v1, without ? and #.');
	if (url.protocol === 'http:' && !isLoopbackHost(url.hostname) && !allowHttp)
		throw wrong(
			'url',
			`Key and texts would go to ${url.host} unencrypted. Use https://, or add --allow-http where the network is yours.`,
		);
	return engineAddress(url.href);
}

/** Whether an engine may be asked for a model. */
export function allowsModel({ models }: Pick<UpstreamEntry, 'models'>, model: string): boolean {
	return models.length === 0 || models.some((pattern) => matches(pattern, model));
}

/** `*` stands for any text. In linear time, whatever the pattern. */
function matches(pattern: string, text: string): boolean {
	const [first = '', ...parts] = pattern.split('*');
	if (parts.length === 0) return pattern === text;
	const last = parts.pop() ?? '';
	if (!text.startsWith(first) || !text.endsWith(last)) return false;
	let at = first.length;
	const end = text.length - last.length;
	for (const part of parts) {
		const found = text.indexOf(part, at);
		if (found < 0) return false;
		at = found + part.length;
	}
	return at <= end;
}

/** Adds an engine to those that are there, in place of one of the same name. */
export const withUpstream = (list: UpstreamList, entry: UpstreamEntry): UpstreamList => ({
	...list,
	upstreams: [...list.upstreams.filter(({ name }) => name !== entry.name), entry],
});

/**
 * The engines of an editor's setting become those that it lists. One of the same name is replaced, whoever added it; it
 * keeps the file of its key as long as its address stays. What the setting no longer lists is gone; all else stays.
 *
 * @returns the same list where nothing changes
 */
export function withSetting(
	list: UpstreamList,
	editor: string,
	listed: readonly UpstreamEntry[],
): UpstreamList {
	const before = new Map(list.upstreams.map((entry) => [entry.name, entry]));
	const entries = listed.map((entry) => {
		const { url, keyFile } = before.get(entry.name) ?? {};
		const keepsFile = keyFile !== undefined && url === entry.url && !entry.isKeyInEditor;
		return { ...entry, editor, ...(keepsFile ? { keyFile } : {}) };
	});
	const names = new Set(entries.map(({ name }) => name));
	const others = list.upstreams.filter((each) => each.editor !== editor && !names.has(each.name));
	const upstreams = [...others, ...entries];
	const facts = (all: readonly UpstreamEntry[]) =>
		all.map((entry) => JSON.stringify(Object.entries(entry).sort())).sort();
	const isSame = isDeepStrictEqual(facts(upstreams), facts(list.upstreams));
	return isSame ? list : { ...list, upstreams };
}

/** @throws AppError `not_found` */
export function withoutUpstream(list: UpstreamList, name: string): UpstreamList {
	const upstreams = list.upstreams.filter((each) => each.name !== name);
	if (upstreams.length === list.upstreams.length) throw unknownUpstream(list, name);
	return { ...list, upstreams };
}

/** The error for an engine that nobody has added, or for none at all. */
export function unknownUpstream({ upstreams }: UpstreamList, name: string | undefined): AppError {
	const there = upstreams.map((entry) => entry.name).join(', ');
	return new AppError(
		'not_found',
		`${name === undefined ? 'There is no engine' : `There is no engine '${name.slice(0, 60)}'`}. ${there === '' ? 'Add one: nearglot upstreams add NAME URL' : `Known: ${there}.`}`,
	);
}
