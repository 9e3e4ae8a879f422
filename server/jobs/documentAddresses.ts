/** Which addresses documents of batches may lie at: this server's own files, and what its operator has named. */

import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AppError } from '../protocol/index.ts';
import { isFileId } from './storedFiles.ts';

/** A document, or a folder of documents. */
export type DocumentPlace =
	/** A file that was uploaded here; without an id all of them, and as a target a new one. */
	| { readonly kind: 'own'; readonly id?: string; readonly name?: string }
	| { readonly kind: 'folder'; readonly root: string; readonly path: string }
	| { readonly kind: 'web'; readonly url: URL };

const ownPath = '/v1/files';

/**
 * Reads `NEARGLOT_DOCUMENT_STORES`: addresses between blanks, all below which may be read and written by whoever may
 * translate. `file:` addresses are folders of this machine.
 *
 * @throws AppError `invalid_request`
 */
export function documentStoreUrls(text: string): URL[] {
	return text
		.split(/\s+/)
		.filter((part) => part !== '')
		.map((part) => {
			const url = URL.parse(part);
			const isKnown =
				url !== null &&
				/^(?:https?|file):$/.test(url.protocol) &&
				url.search + url.hash + url.username + url.password === '' &&
				(url.protocol !== 'file:' || url.host === '');
			if (!isKnown)
				throw new AppError(
					'invalid_request',
					`NEARGLOT_DOCUMENT_STORES holds '${part.slice(0, 100)}', which is no address such as https://store.example/documents/ or file:///srv/documents/.`,
				);
			if (!url.pathname.endsWith('/')) url.pathname += '/';
			return url;
		});
}

/**
 * @param origin of this server, as the caller knows it
 * @throws AppError `invalid_request`, `forbidden` for what the operator has not named
 */
export function documentPlace(
	text: string,
	origin: string,
	allowed: readonly URL[],
	param: string,
): DocumentPlace {
	const url = URL.parse(text, `${origin}/`);
	if (url === null || url.username !== '' || url.password !== '')
		throw new AppError('invalid_request', `'${shownUrl(text)}' is no address of documents.`, {
			param,
		});
	if (url.origin === origin && `${url.pathname}/`.startsWith(`${ownPath}/`))
		return ownPlace(url, param);
	const root = allowed.find(
		(one) =>
			one.protocol === url.protocol &&
			one.host === url.host &&
			// Some servers read an encoded slash as a slash.
			!/%2f|%5c|%00|\\/i.test(url.pathname) &&
			`${url.pathname}/`.startsWith(one.pathname),
	);
	if (root === undefined)
		throw new AppError(
			'forbidden',
			`Documents at '${shownUrl(text)}' are not read or written: name files of this server (${ownPath}/ID), or have its operator add the address to NEARGLOT_DOCUMENT_STORES.`,
			{ param },
		);
	url.hash = '';
	if (url.protocol !== 'file:') return { kind: 'web', url };
	return { kind: 'folder', root: fileURLToPath(root), path: fileURLToPath(url) };
}

function ownPlace(url: URL, param: string): DocumentPlace {
	const [name = '', ...rest] = url.pathname.slice(ownPath.length + 1).split('/');
	const isContent =
		rest.length === 0 || (rest.length === 1 && /^(?:content)?$/.test(rest[0] ?? ''));
	if (name === '') return { kind: 'own' };
	if (isFileId(name) && isContent) return { kind: 'own', id: name };
	let decoded: string | undefined;
	try {
		decoded = decodeURIComponent(name);
	} catch {
		// A % that is no part of a letter: refused below, with what was given.
	}
	if (
		decoded !== undefined &&
		!/[/\\\0]/.test(decoded) &&
		decoded.length <= 255 &&
		rest.length === 0
	)
		return { kind: 'own', name: decoded };
	throw new AppError(
		'invalid_request',
		`'${shownUrl(url.pathname)}' is neither ${ownPath} nor a file below it.`,
		{ param },
	);
}

/** An address without what opens it. */
export function shownUrl(text: string): string {
	return (text.split(/[?#]/, 1)[0] ?? '').replace(/\/\/[^/@]*@/, '//').slice(0, 500);
}

/** The address of a place, as its owner is told. */
export function urlOf(place: DocumentPlace, origin: string): string {
	if (place.kind === 'web') return shownUrl(place.url.href);
	if (place.kind === 'folder') return pathToFileURL(place.path).href;
	const { id, name } = place;
	if (id !== undefined) return `${origin}${ownPath}/${id}/content`;
	return `${origin}${ownPath}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

export interface FoundDocument {
	readonly place: DocumentPlace;
	/** Path below the folder it was found in, with `/`. */
	readonly name: string;
}

/** The place of a document in a folder. @throws AppError `invalid_request` for a name that leads out of it */
export function placeIn(folder: DocumentPlace, name: string): DocumentPlace {
	const parts = name.split('/');
	if (parts.some((part) => /^\.{0,2}$/.test(part)) || /[\\\0]/.test(name))
		throw new AppError('invalid_request', `'${name.slice(0, 200)}' is no name of a document.`);
	if (folder.kind === 'own') return { kind: 'own', name: parts.at(-1) ?? name };
	if (folder.kind === 'folder') return { ...folder, path: join(folder.path, name) };
	const url = new URL(folder.url);
	const path = parts.map((part) => encodeURIComponent(part)).join('/');
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
	return { kind: 'web', url };
}

export const targetExists = (where: string): AppError =>
	new AppError(
		'conflict',
		`There is another document at ${where} already, and it stays as it is. Name another place, or remove it first.`,
	);

export const tooLarge = (maxBytes: number): AppError =>
	new AppError(
		'payload_too_large',
		`The document is larger than ${Math.floor(maxBytes / 2 ** 20)} MiB.`,
	);

export function lastPart(url: URL): string {
	const part = url.pathname.replace(/\/$/, '').split('/').at(-1) ?? '';
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}
