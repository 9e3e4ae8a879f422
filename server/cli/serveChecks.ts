/** What `serve` is given and would otherwise start without a word, though it could never be of use. */

import { statSync } from 'node:fs';
import { splitHost } from '../http/guard.ts';
import { reasonOf } from '../store/checkPlace.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { UsageError } from './command.ts';

/** Origins as browsers send them: they are compared letter by letter. */
export function originsOf(origins: readonly string[]): readonly string[] {
	for (const text of origins) {
		const url = URL.canParse(text) ? new URL(text) : undefined;
		const web = url?.protocol === 'http:' || url?.protocol === 'https:';
		if (web && url.origin !== text && !text.includes('*'))
			throw new UsageError(`--allow-origin: '${text}' must be written ${url.origin}.`);
		if ((!web && !/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(text)) || text.includes('*'))
			throw new UsageError(
				`--allow-origin: '${text}' is no origin; write one such as https://studio.example.`,
			);
	}
	return origins;
}

/** Host names without scheme and port, as they are compared. */
export function hostNamesOf(names: readonly string[]): readonly string[] {
	return names.map((text) => {
		const host = splitHost(text);
		if (host && host.port === undefined) return host.name;
		throw new UsageError(
			`--allow-host: '${text}' is no host name; write one such as models.example, without http:// and port.`,
		);
	});
}

/** Makes the folder when there is none, and says so, as its name may be misspelt. */
export function modelsFolder(option: string, path: string, say: (line: string) => void): string {
	const found = statSync(path, { throwIfNoEntry: false });
	if (found?.isDirectory()) return path;
	if (found) throw new UsageError(`${option}: ${path} is no folder.`);
	try {
		makeFolder(path);
	} catch (error) {
		throw new UsageError(`${option}: the folder ${path} cannot be made: ${reasonOf(error)}.`);
	}
	say(`${option}: there was no folder ${path}; it was made.\n`);
	return path;
}
