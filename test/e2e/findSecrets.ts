/**
 * Looks for secrets by their value, plain and encoded: in every file below some folders, and in the
 * arguments and environments of all processes.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const largest = 200 * 1024 * 1024;

/** Places that hold one of the values, with its name and the form it was found in. */
export function findSecrets(
	folders: readonly string[],
	secrets: Readonly<Record<string, string>>,
): string[] {
	const wanted = Object.entries(secrets).flatMap(([name, value]) =>
		formsOf(value).map(([form, bytes]) => ({ words: `${name} (${form})`, bytes })),
	);
	const found: string[] = [];
	const look = (place: string, content: Buffer) => {
		for (const { words, bytes } of wanted) {
			if (content.includes(bytes)) found.push(`${words} in ${place}`);
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

/** A value as it may be written, without doubles. */
function formsOf(value: string): [form: string, bytes: Buffer][] {
	const forms = new Map<string, string>();
	const add = (form: string, text: string, encoding: BufferEncoding = 'utf8') => {
		const hex = Buffer.from(text, encoding).toString('hex');
		if (!forms.has(hex)) forms.set(hex, form);
	};
	add('plain', value);
	add('UTF-16', value, 'utf16le');
	add('URL-encoded', encodeURIComponent(value));
	add('in JSON', JSON.stringify(value).slice(1, -1));
	// Inside a longer text its letters depend on where it begins; the first and last ones on its neighbours.
	for (const before of [0, 1, 2]) {
		const code = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]).toString('base64');
		const whole = code.replace(/=+$/, '').slice(before === 0 ? 0 : 4, -2);
		add('base64', whole);
		add('base64url', whole.replaceAll('+', '-').replaceAll('/', '_'));
	}
	return [...forms].map(([hex, form]) => [form, Buffer.from(hex, 'hex')]);
}

function* filesBelow(folder: string): Generator<string> {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) yield* filesBelow(path);
		else if (entry.isFile() && (sizeOf(path) ?? 0) <= largest) yield path;
	}
}

function sizeOf(path: string): number | undefined {
	return statSync(path, { throwIfNoEntry: false })?.size;
}

function read(path: string): Buffer {
	try {
		return readFileSync(path);
	} catch {
		// Gone meanwhile, or of another user.
		return Buffer.alloc(0);
	}
}
