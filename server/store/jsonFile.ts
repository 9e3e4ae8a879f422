/**
 * A value that the product keeps: one JSON file, complete or absent, changed by one process at a time. A
 * file that is damaged or of a later version is set aside and told of once, never written over; what keeps
 * people out is never counted as empty because its file is gone.
 */

import {
	closeSync,
	linkSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isRecord } from '../protocol/errorBody.ts';
import { AppError, errno } from '../protocol/index.ts';
import { changeFile } from './changeFile.ts';
import { readPlainText, unwritable } from './files.ts';
import { notify } from './notices.ts';
import { openPathNow } from './openPath.ts';

export interface JsonFormat<Value extends object> {
	/** What the file holds, for messages: `The settings of models`. */
	readonly holds: string;
	/** What counts while there is no file. */
	readonly fresh: () => Value;
	/** The value of a file's JSON; `undefined` when it is something else. Unknown fields may be kept. */
	readonly parse: (fields: Readonly<Record<string, unknown>>) => Value | undefined;
	/**
	 * Somebody is kept out by what the file holds: once made, a missing or damaged one is an error until it is
	 * back, not an empty one. A file of the same name with `.made` remembers that.
	 */
	readonly guards?: boolean;
}

/** Of all files so far. One without a version is of before there were any. */
const version = 1;

/** Between the file's name and the time it was set aside. */
const asideMark = '.damaged-';

export class JsonFile<Value extends object> {
	readonly path: string;
	readonly #format: JsonFormat<Value>;
	#known: { readonly stamp: string; readonly value: Value } | undefined;

	constructor(path: string, format: JsonFormat<Value>) {
		this.path = path;
		this.#format = format;
	}

	/** The value, read again when the file has changed. @throws AppError `store_unavailable` */
	async read(): Promise<Value> {
		const stamp = stampOf(await stat(this.path, { bigint: true }).catch(() => undefined));
		if (stamp !== '' && this.#known?.stamp === stamp) return this.#known.value;
		return this.#accept(stamp, await readPlainText(this.path));
	}

	/** Like {@link read} for constructors, which cannot wait. */
	readNow(): Value {
		return this.#accept('', this.#textNow());
	}

	/**
	 * Changes the value on the disk, then the one in memory.
	 * @param change gets the value; returns the new one and what to resolve to. The same value is not written.
	 * It is asked again when this process was held up until another took over.
	 * @throws AppError `store_unavailable`, `disk_full`; whatever `change` throws
	 */
	async change<Result>(
		change: (now: Value) => readonly [next: Value, result: Result],
	): Promise<Result> {
		const before = await this.read();
		let done: { readonly value: Value; readonly result: Result } | undefined;
		await changeFile(this.path, (text) => {
			const now = text === undefined ? before : this.#parse(text);
			if (now === undefined) throw this.#missing();
			const [next, result] = change(now);
			done = { value: next, result };
			if (next === now) return undefined;
			return `${JSON.stringify({ version, ...next }, null, '\t')}\n`;
		});
		const { value, result } = done as unknown as NonNullable<typeof done>;
		this.#remember();
		this.#known = { stamp: 'changed', value };
		return result;
	}

	#accept(stamp: string, text: string | undefined): Value {
		if (text === undefined) {
			if (this.#format.guards && isThere(this.#marker)) {
				// The file comes before its mark: it may have been made since it was looked for.
				const found = this.#textNow();
				if (found === undefined) throw this.#missing();
				return this.#accept('', found);
			}
			// What is fresh may be random: it stays the same until there is a file.
			if (this.#known?.stamp !== '') this.#known = { stamp: '', value: this.#format.fresh() };
			return this.#known.value;
		}
		const value = this.#parse(text);
		if (value === undefined) return this.#damaged();
		try {
			this.#remember();
		} catch {
			// On a disk that is full or read-only it is remembered by the next change.
		}
		this.#known = { stamp: stamp || 'read', value };
		return value;
	}

	#textNow(): string | undefined {
		const found = statSync(this.path, { throwIfNoEntry: false });
		if (!found?.isFile()) return undefined;
		const file = openPathNow(this.path, 'r');
		try {
			const text = readFileSync(file, 'utf8');
			return text;
		} finally {
			closeSync(file);
		}
	}

	#damaged(): Value {
		const last = this.#known;
		setAside(this.path, this.#format.holds, (text) => this.#parse(text) !== undefined);
		if (last === undefined || last.stamp === '' || this.#format.guards)
			return this.#accept('', undefined);
		// What this process has read or written before the damage is the best there is.
		this.#known = { stamp: '', value: last.value };
		return last.value;
	}

	#parse(text: string): Value | undefined {
		try {
			const fields: unknown = JSON.parse(text);
			if (!isRecord(fields)) return undefined;
			const { version: found = version, ...rest } = fields as Record<string, unknown>;
			return found === version ? this.#format.parse(rest) : undefined;
		} catch {
			return undefined;
		}
	}

	get #marker(): string {
		return `${this.path}.made`;
	}

	#remember(): void {
		if (!this.#format.guards || isThere(this.#marker)) return;
		const text = `While this file is here, ${basename(this.path)} counts as lost when it is missing, not as empty.\n`;
		try {
			writeFileSync(this.#marker, text, { mode: 0o600 });
		} catch (error) {
			throw unwritable(this.#marker, error);
		}
	}

	#missing(): AppError {
		const { path } = this;
		return new AppError(
			'store_unavailable',
			`${this.#format.holds} cannot be read: ${path} is missing or damaged. Put it back from a backup (a damaged one lies beside it, named ${basename(path)}${asideMark}…), or delete ${this.#marker} to start with an empty one.`,
		);
	}
}

/**
 * Puts a file out of the way under a name with the date, so that nothing is lost.
 * @param isSound whether a text is one of the file's after all: another process may have written it meanwhile
 */
function setAside(path: string, holds: string, isSound: (text: string) => boolean): void {
	const date = new Date().toISOString().replace(/[:.]/g, '-');
	const aside = `${path}${asideMark}${date}`;
	try {
		renameSync(path, aside);
		if (isSound(readFileSync(aside, 'utf8'))) {
			linkSync(aside, path);
			rmSync(aside);
			return;
		}
	} catch (error) {
		if (errno(error) === 'ENOENT' || errno(error) === 'EEXIST') return;
		throw new AppError(
			'store_unavailable',
			`${holds} cannot be read: ${path} is damaged or of a later version, and it cannot be set aside (${errno(error)}). Repair or move it.`,
			{ cause: error },
		);
	}
	notify(
		`${holds} could not be read: ${path} is damaged or of a later version. It is kept as ${aside}.`,
	);
}

/** Names of files in a folder that were set aside. */
export async function setAsideIn(folder: string): Promise<string[]> {
	const names = await readdir(folder).catch(() => []);
	return names.filter((name) => name.includes(asideMark)).map((name) => join(folder, name));
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

const stampOf = (
	found: { readonly mtimeNs: bigint; readonly size: bigint; readonly ino: bigint } | undefined,
): string => (found === undefined ? '' : `${found.mtimeNs} ${found.size} ${found.ino}`);
