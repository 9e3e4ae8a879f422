/**
 * Subscription keys of the translate interface: kept as hashes in one private file that the command
 * line writes and the daemon reads. A key itself is shown once, when it is made.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { AppError } from '../protocol/index.ts';
import { changeFile } from '../store/changeFile.ts';

export interface TranslateKey {
	/** Short public name of the key, for lists and logs. */
	readonly id: string;
	readonly label: string;
	/** SHA-256 of the key, hex. */
	readonly hash: string;
	/** A key of a multi-service resource must come with its region. */
	readonly multiService: boolean;
	readonly region?: string;
	readonly charactersPerMinute?: number;
	readonly charactersPerHour?: number;
	/** Characters in all; then 403001. */
	readonly quota?: number;
	/** ISO 8601. */
	readonly createdAt: string;
}

/** How callers may prove who they are, besides keys. */
export interface AccessSettings {
	/** Only the custom-endpoint path with key and region is answered. */
	readonly virtualNetwork: boolean;
	/** Tokens of a directory (OpenID Connect issuer). */
	readonly directory?: {
		readonly issuer: string;
		readonly audience: string;
		/** Role the token must carry. */
		readonly role?: string;
		/** Value `Ocp-Apim-ResourceId` must have on the global form. */
		readonly resourceId?: string;
	};
}

export interface KeyFile {
	readonly keys: readonly TranslateKey[];
	/** Secret that signs 10-minute tokens, base64url. */
	readonly tokenSecret: string;
	readonly access: AccessSettings;
}

const fresh = (): KeyFile => ({
	keys: [],
	tokenSecret: randomBytes(32).toString('base64url'),
	access: { virtualNetwork: false },
});

export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Reads and writes the key file. */
export class TranslateKeyStore {
	#path: string;
	#cached: { mtimeMs: number; size: number; file: KeyFile } | undefined;
	#temporary: KeyFile | undefined;

	constructor(path: string) {
		this.#path = path;
	}

	/** Content of the file; an empty store while there is none. Re-read when it changed. */
	async read(): Promise<KeyFile> {
		let mtimeMs: number;
		let size: number;
		try {
			({ mtimeMs, size } = await stat(this.#path));
		} catch {
			// Tokens made before the first key must stay valid for this process.
			this.#temporary ??= fresh();
			return this.#temporary;
		}
		if (this.#cached?.mtimeMs === mtimeMs && this.#cached.size === size) return this.#cached.file;
		const file = parseKeyFile(await readFile(this.#path, 'utf8'), this.#path);
		this.#cached = { mtimeMs, size, file };
		return file;
	}

	/** Makes a key and returns it once it is in the file; only its hash is kept. */
	async create(
		options: Omit<TranslateKey, 'id' | 'hash' | 'createdAt'>,
		now: Date,
	): Promise<{ key: string; entry: TranslateKey }> {
		const key = randomBytes(24).toString('hex');
		const entry: TranslateKey = {
			id: randomBytes(4).toString('hex'),
			hash: hashKey(key),
			createdAt: now.toISOString(),
			...options,
		};
		return this.#change((file) => [
			{ ...file, keys: [...file.keys, entry] },
			{ key, entry },
		]);
	}

	/** Removes a key by id or label; tokens made with it stop working too. */
	async revoke(name: string): Promise<TranslateKey> {
		return this.#change((file) => {
			const entry = named(file.keys, name);
			return [{ ...file, keys: file.keys.filter((key) => key !== entry) }, entry];
		});
	}

	/** Changes how callers may prove who they are; resolves to what holds then. */
	async changeAccess(change: (before: AccessSettings) => AccessSettings): Promise<AccessSettings> {
		return this.#change((file) => {
			const access = change(file.access);
			const isSame = JSON.stringify(access) === JSON.stringify(file.access);
			return [isSame ? file : { ...file, access }, access];
		});
	}

	/** `change` gives the new content and what is resolved to once it is in the file; equal content is not written. */
	async #change<Result>(
		change: (file: KeyFile) => readonly [file: KeyFile, result: Result],
	): Promise<Result> {
		const results: Result[] = [];
		await changeFile(this.#path, (text) => {
			const before =
				text === undefined ? (this.#temporary ?? fresh()) : parseKeyFile(text, this.#path);
			const [after, result] = change(before);
			results.push(result);
			return after === before ? undefined : `${JSON.stringify(after, null, '\t')}\n`;
		});
		this.#cached = undefined;
		return results.at(-1) as Result;
	}
}

function named(keys: readonly TranslateKey[], name: string): TranslateKey {
	const found = keys.filter(({ id, label }) => id === name || label === name);
	const [entry, second] = found;
	if (!entry) throw new AppError('not_found', `There is no key '${name}'. Known: ${list(keys)}.`);
	if (second)
		throw new AppError(
			'conflict',
			`Several keys are called '${name}'; give the id: ${list(found)}.`,
		);
	return entry;
}

const list = (keys: readonly TranslateKey[]): string =>
	keys.length === 0 ? 'none' : keys.map(({ id, label }) => `${id} (${label})`).join(', ');

/** The key with a given text. Every entry is compared, in constant time each. */
export function matchKey(
	keys: readonly TranslateKey[],
	presented: string,
): TranslateKey | undefined {
	const hash = Buffer.from(hashKey(presented), 'hex');
	let found: TranslateKey | undefined;
	for (const entry of keys) {
		const own = Buffer.from(entry.hash, 'hex');
		if (own.length === hash.length && timingSafeEqual(own, hash)) found = entry;
	}
	return found;
}

function parseKeyFile(text: string, path: string): KeyFile {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		throw new AppError(
			'internal',
			`The key file ${path} is not valid JSON; repair it. While it is absent nobody needs a key.`,
			{
				cause: error,
			},
		);
	}
	const file = value as Partial<KeyFile>;
	if (typeof file.tokenSecret !== 'string' || !Array.isArray(file.keys))
		throw new AppError(
			'internal',
			`The key file ${path} is not one of Nearglot's; put the right one there. While it is absent nobody needs a key.`,
		);
	return {
		keys: file.keys.filter((key) => typeof key?.hash === 'string' && typeof key.id === 'string'),
		tokenSecret: file.tokenSecret,
		access: file.access ?? { virtualNetwork: false },
	};
}
