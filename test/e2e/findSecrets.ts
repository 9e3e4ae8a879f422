/** Looks for secrets by their value: in every file below some folders and in every process of this user. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const largest = 200 * 1024 * 1024;

/** Files and processes that hold one of the values, with the name of the value. */
export function findSecrets(
	folders: readonly string[],
	secrets: Readonly<Record<string, string>>,
): string[] {
	const wanted = Object.entries(secrets).map(
		([name, value]) => [name, Buffer.from(value)] as const,
	);
	const found: string[] = [];
	const look = (place: string, content: Buffer) => {
		for (const [name, value] of wanted) {
			if (content.includes(value)) found.push(`${name} in ${place}`);
		}
	};
	for (const folder of folders) for (const file of filesBelow(folder)) look(file, read(file));
	for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
		if (Number(pid) === process.pid) continue;
		for (const part of ['cmdline', 'environ']) {
			look(`${part} of process ${pid}`, read(join('/proc', pid, part)));
		}
	}
	return found;
}

function* filesBelow(folder: string): Generator<string> {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) yield* filesBelow(path);
		else if (entry.isFile() && statSync(path).size <= largest) yield path;
	}
}

function read(path: string): Buffer {
	try {
		return readFileSync(path);
	} catch {
		// Gone meanwhile, or of another user.
		return Buffer.alloc(0);
	}
}
