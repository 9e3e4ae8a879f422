/**
 * Names that come from outside (hub listings, requests, archives) before they touch the disk. Every
 * rule refuses; nothing is "cleaned". Cases: CVE-2024-37032, CVE-2026-7020, zip-slip.
 */

import { join, resolve } from 'node:path';
import { AppError } from '../protocol/index.ts';
import { isBelow } from '../store/isBelow.ts';

const reserved = /^(con|conin\$|conout\$|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\..*)?$/i;
const longestPath = 512;

/** Whether a name stands for a device on Windows, in any folder. */
export const isReservedOnWindows = (name: string): boolean => reserved.test(name);

/** Why a relative path is refused, or `undefined` when it is safe on Windows, macOS and Linux. */
export function pathFault(path: string): string | undefined {
	if (path === '' || path.length > longestPath) return 'is empty or too long';
	if (/[\u0000-\u001f\u007f<>:"|?*\\]/.test(path))
		return 'has a character that file systems forbid';
	if (path.startsWith('/')) return 'is absolute';
	for (const part of path.split('/')) {
		if (part === '' || part === '.' || part === '..') return 'leaves its folder';
		if (part.length > 200) return 'has a part that is too long';
		if (/[. ]$/.test(part)) return 'has a part that ends with a dot or a space';
		if (isReservedOnWindows(part)) return 'is a reserved name on Windows';
	}
	return undefined;
}

/** What a model may be of: other files of a repository are never asked for. */
const ofModels =
	/\.(json|jinja|onnx|onnx[._]data(_\d+)?|gguf|safetensors|spm|model|tiktoken|npz|bin)$|(^|\/)(merges|vocab)\.txt$|(^|\/)(LICEN[CS]E|NOTICE|USE_POLICY)/i;

/** What no publisher calls a file by mistake: other folders, drives, control characters. */
const isHostile = /^\/|^[A-Za-z]:|[\u0000-\u001f\\]|(^|\/)\.\.?(\/|$)/;

/**
 * The paths of a listing that disks of every system can have. Pictures and pages with other names, or with two names
 * that are one on many disks, are left out.
 * @throws AppError `download_failed` for a path that leaves its folder, or for a file of a model that cannot be kept
 */
export function usablePaths(paths: readonly string[]): ReadonlySet<string> {
	const refuse = (path: string, why: string) => {
		throw new AppError('download_failed', `The hub lists ${JSON.stringify(path)}${why}.`);
	};
	const seen = new Map<string, string>();
	const usable = new Set<string>();
	for (const path of paths) {
		const fault = pathFault(path);
		if (fault !== undefined) {
			if (isHostile.test(path) || ofModels.test(path))
				refuse(path.slice(0, 300), `, which ${fault}`);
			continue;
		}
		const key = path.normalize('NFC').toLowerCase();
		const other = seen.get(key);
		if (other === undefined) {
			seen.set(key, path);
			usable.add(path);
			continue;
		}
		if (ofModels.test(path))
			refuse(other, ` and ${JSON.stringify(path)}, which are one file on many disks`);
		usable.delete(other);
	}
	return usable;
}

/** Joins a checked relative path to a folder and proves that it stays inside. */
export function inside(folder: string, path: string): string {
	const fault = pathFault(path);
	const full = resolve(join(folder, ...path.split('/')));
	if (fault !== undefined || !isBelow(full, resolve(folder)))
		throw new AppError(
			'invalid_request',
			`The path ${JSON.stringify(path)} ${fault ?? 'leaves its folder'}.`,
		);
	return full;
}

/** Ids that people and clients may send: `name` or `name:version`. */
export const modelIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}(:\d{1,9})?$/;

/** `organisation/name`, as hubs have it. */
export const repositoryPattern = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/;

/** Branch, tag or commit. */
export const revisionPattern = /^[A-Za-z0-9][\w.-]{0,127}(\/[\w.-]{1,127}){0,3}$/;
