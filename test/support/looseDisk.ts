/** A disk that takes names for one whatever their letters' case and accents, as most of Windows and macOS: a double above the real one. */

import { readdirSync } from 'node:fs';
import { join, parse, sep } from 'node:path';
import type { SpellingDisk } from '../../server/store/spelling.ts';

const loose = (name: string) => name.normalize('NFC').toLowerCase();

/** Where a path lies on the real disk; `undefined` when it does not. */
function placeOf(path: string): string | undefined {
	const { root } = parse(path);
	let at = root;
	for (const part of path.slice(root.length).split(sep)) {
		if (part === '') continue;
		const name = readdirSync(at).find((one) => loose(one) === loose(part));
		if (name === undefined) return undefined;
		at = join(at, name);
	}
	return at;
}

export const looseDisk: SpellingDisk = {
	names: (folder) => readdirSync(placeOf(folder) ?? folder),
	exists: (path) => placeOf(path) !== undefined,
};
