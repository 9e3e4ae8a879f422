/** Addresses of models on a hub, as people and clients write them. */

import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { pathFault, repositoryPattern, revisionPattern } from './names.ts';

/** A model's place on the hub that is configured. */
export interface HubSource {
	readonly repository: string;
	readonly revision?: string;
	/** Folder inside the repository. */
	readonly path?: string;
}

const publicHosts: ReadonlySet<string> = new Set(['huggingface.co', 'www.huggingface.co', 'hf.co']);

/**
 * Reads `https://HUB/OWNER/NAME`, the same with `/tree/REVISION` and a folder behind it, or
 * `hf://OWNER/NAME`. The host is the configured hub or the public one, of which the configured may be a
 * mirror.
 * @throws AppError `invalid_request` for other hosts and forms
 */
export function parseModelUri(uri: string, hub: string): HubSource {
	const path = pathOnHub(uri, new URL(hub)).replace(/^\/+|\/+$/g, '');
	const [owner = '', name = '', word, revision, ...folder] = path.split('/').map(decoded);
	const repository = `${owner}/${name}`;
	if (!repositoryPattern.test(repository)) throw invalid(uri);
	if (word === undefined) return { repository };
	if ((word !== 'tree' && word !== 'resolve') || !revisionPattern.test(revision ?? ''))
		throw invalid(uri);
	const within = checkedFolder(folder.join('/'), 'model.Uri');
	return {
		repository,
		...defined({ revision, path: within }),
	};
}

/** A folder inside a repository without outer slashes; `undefined` for its root. */
export function checkedFolder(path: string, param: string): string | undefined {
	const plain = path.replace(/^\.?\/+|\/+$/g, '');
	if (plain === '' || plain === '.') return undefined;
	const fault = pathFault(plain);
	if (fault !== undefined)
		throw new AppError('invalid_request', `'${param}' ${fault}; give a folder of the repository.`, {
			param,
		});
	return plain;
}

function pathOnHub(uri: string, hub: URL): string {
	const short = /^hf:\/\/(.*)$/i.exec(uri)?.[1];
	if (short !== undefined) return short;
	if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) throw invalid(uri);
	const url = new URL(uri);
	const base = hub.pathname.replace(/\/$/, '');
	if (url.host === hub.host && url.pathname.startsWith(`${base}/`))
		return url.pathname.slice(base.length);
	if (publicHosts.has(url.hostname)) return url.pathname;
	throw new AppError(
		'invalid_request',
		`'model.Uri' is on ${url.host}; models come from ${hub.host}. Give an address there, or choose another hub.`,
		{ param: 'model.Uri' },
	);
}

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

function invalid(uri: string): AppError {
	return new AppError(
		'invalid_request',
		`'model.Uri' must be the address of a model on the hub (https://huggingface.co/OWNER/NAME or hf://OWNER/NAME), not ${JSON.stringify(uri.slice(0, 100))}.`,
		{ param: 'model.Uri' },
	);
}
