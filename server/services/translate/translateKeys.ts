/**
 * Subscription keys of the translate interface: kept as hashes in one private file that the command
 * line writes and the daemon reads. A key itself is shown once, when it is made.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../protocol/index.ts';
import { JsonFile, type JsonFormat } from '../../store/jsonFile.ts';

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

export interface TranslateKeyFile {
	readonly keys: readonly TranslateKey[];
	/** Secret that signs 10-minute tokens, base64url. */
	readonly tokenSecret: string;
	readonly access: AccessSettings;
}

export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

const format: JsonFormat<TranslateKeyFile> = {
	holds: 'The keys of the translate interface',
	fresh: () => ({
		keys: [],
		tokenSecret: randomBytes(32).toString('base64url'),
		access: { virtualNetwork: false },
	}),
	parse: ({ keys, tokenSecret, access = { virtualNetwork: false } }) => {
		const isKey = (key: Partial<TranslateKey> | null) =>
			typeof key?.hash === 'string' && typeof key.id === 'string';
		if (typeof tokenSecret !== 'string' || !Array.isArray(keys) || !keys.every(isKey))
			return undefined;
		return { keys, tokenSecret, access: access as AccessSettings };
	},
	guards: true,
};

/** Reads and writes the key file. */
export class TranslateKeyStore {
	readonly #file: JsonFile<TranslateKeyFile>;

	constructor(path: string) {
		this.#file = new JsonFile(path, format);
	}

	/** What is in the file; no keys while none was ever made. */
	read(): Promise<TranslateKeyFile> {
		return this.#file.read();
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
		return this.#file.change((file) => [
			{ ...file, keys: [...file.keys, entry] },
			{ key, entry },
		]);
	}

	/** Removes a key by id or label; tokens made with it stop working too. */
	async revoke(name: string): Promise<TranslateKey> {
		return this.#file.change((file) => {
			const entry = named(file.keys, name);
			return [{ ...file, keys: file.keys.filter((key) => key !== entry) }, entry];
		});
	}

	/** Changes how callers may prove who they are; resolves to what holds then. */
	async changeAccess(change: (before: AccessSettings) => AccessSettings): Promise<AccessSettings> {
		return this.#file.change((file) => {
			const access = change(file.access);
			const isSame = JSON.stringify(access) === JSON.stringify(file.access);
			return [isSame ? file : { ...file, access }, access];
		});
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
