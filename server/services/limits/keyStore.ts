/**
 * The keys of the server's users, and the limits of people whom a sign-in layer names. A key is shown once, when it is
 * made; only its hash is kept. Several processes may work with the file: each change holds at once in all of them.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../protocol/index.ts';
import {
	type KeyScope,
	keyScopes,
	type LimitField,
	limitFields,
	maxLimit,
	type UsageLimits,
} from '../../protocol/limitTypes.ts';
import { SqliteFile } from '../../store/sqliteFile.ts';
import type { ForwardClock } from './forwardClock.ts';

/** What is particular to the translate interface. */
export interface TranslatorFields {
	/** A key of a multi-service resource must come with its region. */
	readonly multiService?: boolean;
	readonly region?: string;
	readonly charactersPerHour?: number;
	/** Characters in all. */
	readonly quota?: number;
}

export interface KeyOptions {
	/** For lists; several keys may have the same. */
	readonly name: string;
	readonly scopes: readonly KeyScope[];
	readonly limits: UsageLimits;
	/** Milliseconds since 1970; absent: never. */
	readonly expiresAt?: number;
	readonly translator?: TranslatorFields;
}

/** A key without the key. */
export interface PersonKey extends KeyOptions {
	/** Short public name, for lists, logs and usage. */
	readonly id: string;
	/** Milliseconds since 1970. */
	readonly createdAt: number;
	/** SHA-256 of the key, hex. */
	readonly hash: string;
}

/** The beginning of every key, by which searches for lost secrets find it. */
const keyPrefix = 'ngk_';
const keyShape = /^ngk_[A-Za-z0-9_-]{43}$/;
const maxKeys = 10_000;
const maxName = 100;

/** Whether a text can be a key of this store, whoever made it. */
export const isKeyShaped = (text: string): boolean => keyShape.test(text);

/** Whether a text was to be a key of a store, though a part of it may be lost. */
export const isKeyMeant = (text: string): boolean => /ngk_/i.test(text);

/** As whom a key counts, for usage, limits and turns. */
export const personOfKey = (id: string): string => `key:${id}`;

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

const schema = `
	CREATE TABLE IF NOT EXISTS keys (
		id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
		limits TEXT NOT NULL, translator TEXT, created INTEGER NOT NULL, expires INTEGER
	);
	CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
`;

/** What a file of keys says. */
interface KnownKeys {
	readonly byHash: ReadonlyMap<string, PersonKey>;
	readonly people: UsageLimits;
	readonly revoked: { readonly id: string; readonly name: string }[];
}

/** Begins the names of settings that hold names of keys that were revoked. */
const revokedPrefix = 'revoked:';

export class KeyStore {
	readonly #file: SqliteFile;
	readonly #clock: ForwardClock;
	#known: (KnownKeys & { readonly version: number }) | undefined;
	#connection: DatabaseSync | undefined;
	#isWhole = true;
	readonly #listeners: (() => void)[] = [];

	/** @param busyMs see `SqliteFormat` */
	constructor(path: string, clock: ForwardClock, busyMs = 5000) {
		this.#file = new SqliteFile(path, {
			holds: 'The keys',
			version: 1,
			durable: true,
			guards: true,
			...{ schema, busyMs },
		});
		this.#clock = clock;
	}

	/** All keys, also those that have expired, in the order in which they were made. */
	list(): PersonKey[] {
		return [...this.#read().byHash.values()];
	}

	/** Ids and names of keys that were revoked: what was used with them is kept longer than they were. */
	revoked(): { readonly id: string; readonly name: string }[] {
		return this.#read().revoked;
	}

	/** Another object after each change. */
	get state(): object {
		return this.#read();
	}

	/** Takes over a key as another server has it: made there, or given another secret. One that was revoked here stays so. */
	learn(entry: PersonKey): void {
		this.#change((db) => {
			if (revokedIn(db).some(({ id }) => id === entry.id)) return;
			db.prepare('DELETE FROM keys WHERE id = ? OR hash = ?').run(entry.id, entry.hash);
			insert(db, entry);
		});
	}

	/** Takes over that a key was revoked of which nothing else was ever heard here. */
	learnRevoked(id: string): void {
		if (this.isUnknown(id)) this.#change((db) => noteRevoked(db, { id, name: id }));
	}

	/** Forgets the name of a key that was revoked. */
	forgetRevoked(id: string): void {
		if (this.revoked().some((each) => each.id === id))
			this.#change((db) =>
				db.prepare('DELETE FROM settings WHERE name = ?').run(revokedPrefix + id),
			);
	}

	/**
	 * The key that a caller shows, unless it has been revoked or has expired.
	 * @throws AppError `store_unavailable`
	 */
	find(presented: string): PersonKey | undefined {
		if (!isKeyShaped(presented)) return undefined;
		const hash = hashOf(presented);
		const entry = this.#read().byHash.get(hash);
		// Of a hash of 256 random bits nobody learns anything by the time that a look-up takes; this compares it whole.
		if (entry === undefined || !timingSafeEqual(Buffer.from(entry.hash), Buffer.from(hash))) {
			this.checkWhole();
			return undefined;
		}
		return this.hasExpired(entry) ? undefined : entry;
	}

	/** Keys of other servers are still to come: until then one that is not known may be one of those. */
	async waitFor(others: Promise<void>): Promise<void> {
		this.#isWhole = false;
		await others;
		this.#isWhole = true;
	}

	/** @throws AppError `store_unavailable` while nobody can say of a key that it is none */
	checkWhole(): void {
		if (!this.#isWhole)
			throw new AppError(
				'store_unavailable',
				'This server has just started and does not have the keys of the others yet. Try again soon.',
				{ retryAfterS: 2 },
			);
	}

	/** An entry by its id, unless it has been revoked or has expired. */
	byId(id: string): PersonKey | undefined {
		const entry = this.list().find((each) => each.id === id);
		return entry === undefined || this.hasExpired(entry) ? undefined : entry;
	}

	/** Whether nothing was ever heard here of a key of this id: other than one that was revoked or has expired. */
	isUnknown(id: string): boolean {
		return [...this.list(), ...this.revoked()].every((each) => each.id !== id);
	}

	/** Whether a key that was found before holds still. @throws AppError `store_unavailable` */
	holds(entry: PersonKey): boolean {
		const { hash, id } = entry;
		return this.#read().byHash.get(hash)?.id === id && !this.hasExpired(entry);
	}

	/** Calls back after each change that this process makes. */
	onChange(listener: () => void): void {
		this.#listeners.push(listener);
	}

	hasExpired({ expiresAt }: PersonKey): boolean {
		return expiresAt !== undefined && expiresAt <= this.#clock.now();
	}

	/** Makes a key and returns it once it is on the disk. @throws AppError `invalid_request` */
	create(options: KeyOptions): { readonly key: string; readonly entry: PersonKey } {
		checkOptions(options, this.#clock.now());
		const key = keyPrefix + randomBytes(32).toString('base64url');
		const entry: PersonKey = {
			...options,
			id: randomBytes(4).toString('hex'),
			hash: hashOf(key),
			createdAt: Math.floor(this.#clock.now()),
		};
		this.#change((db) => {
			const { count } = db.prepare('SELECT count(*) AS count FROM keys').get() as { count: number };
			if (count >= maxKeys)
				throw new AppError('conflict', `There are ${maxKeys} keys already. Revoke some first.`);
			insert(db, entry);
		});
		return { key, entry };
	}

	/** Removes a key by id or name; it stops working at once. @throws AppError `not_found`, `conflict` */
	revoke(wanted: string): PersonKey {
		return this.#change((db) => {
			const entry = named(entriesIn(db), wanted);
			db.prepare('DELETE FROM keys WHERE id = ?').run(entry.id);
			noteRevoked(db, entry);
			return entry;
		});
	}

	/**
	 * Gives a key another secret, with its name, scopes, limits and usage; the one before stops working at once.
	 * @param expiresAt another end; absent: the one it had
	 */
	rotate(wanted: string, expiresAt?: number): { readonly key: string; readonly entry: PersonKey } {
		const key = keyPrefix + randomBytes(32).toString('base64url');
		return this.#change((db) => {
			const before = named(entriesIn(db), wanted);
			const ends = expiresAt ?? before.expiresAt;
			const { expiresAt: _, ...rest } = before;
			const entry = {
				...rest,
				hash: hashOf(key),
				...(ends === undefined ? {} : { expiresAt: ends }),
			};
			checkOptions(entry, this.#clock.now());
			db.prepare('UPDATE keys SET hash = ?, expires = ? WHERE id = ?').run(
				entry.hash,
				ends ?? null,
				entry.id,
			);
			return { key, entry };
		});
	}

	/** The limits of everybody whom a sign-in layer names. */
	get peopleLimits(): UsageLimits {
		return this.#read().people;
	}

	setPeopleLimits(limits: UsageLimits): void {
		checkLimits(limits);
		this.#change((db) =>
			db
				.prepare(
					"INSERT INTO settings VALUES ('people', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
				)
				.run(JSON.stringify(limits)),
		);
	}

	close(): void {
		this.#file.close();
	}

	#read(): KnownKeys {
		// Who has never had keys gets no file.
		if (!this.#file.exists) return { byHash: new Map(), people: {}, revoked: [] };
		return this.#file.read((db) => {
			const version = Number(db.prepare('PRAGMA data_version').get()?.['data_version']);
			if (this.#known?.version === version && this.#connection === db) return this.#known;
			const byHash = new Map(entriesIn(db).map((entry) => [entry.hash, entry]));
			const people = db.prepare("SELECT value FROM settings WHERE name = 'people'").get();
			this.#connection = db;
			this.#known = {
				version,
				byHash,
				people: people === undefined ? {} : (JSON.parse(String(people['value'])) as UsageLimits),
				revoked: revokedIn(db),
			};
			return this.#known;
		});
	}

	#change<T>(work: (db: DatabaseSync) => T): T {
		// Its own changes do not count in the number that SQLite gives.
		this.#known = undefined;
		try {
			return this.#file.change(work);
		} finally {
			this.#known = undefined;
			for (const listener of this.#listeners) listener();
		}
	}
}

function insert(db: DatabaseSync, entry: PersonKey): void {
	db.prepare('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
		entry.id,
		entry.name,
		entry.hash,
		JSON.stringify(entry.scopes),
		JSON.stringify(entry.limits),
		entry.translator === undefined ? null : JSON.stringify(entry.translator),
		entry.createdAt,
		entry.expiresAt ?? null,
	);
}

function noteRevoked(db: DatabaseSync, { id, name }: Pick<PersonKey, 'id' | 'name'>): void {
	db.prepare('INSERT OR REPLACE INTO settings VALUES (?, ?)').run(revokedPrefix + id, name);
	db.prepare(
		'DELETE FROM settings WHERE name GLOB ? AND rowid NOT IN (SELECT rowid FROM settings ORDER BY rowid DESC LIMIT ?)',
	).run(`${revokedPrefix}*`, maxKeys);
}

function entriesIn(db: DatabaseSync): PersonKey[] {
	const all = db.prepare('SELECT * FROM keys ORDER BY created, rowid').all();
	return all.map((row) => ({
		id: String(row['id']),
		name: String(row['name']),
		hash: String(row['hash']),
		scopes: JSON.parse(String(row['scopes'])) as KeyScope[],
		limits: JSON.parse(String(row['limits'])) as UsageLimits,
		createdAt: Number(row['created']),
		...(row['translator'] === null
			? {}
			: { translator: JSON.parse(String(row['translator'])) as TranslatorFields }),
		...(row['expires'] === null ? {} : { expiresAt: Number(row['expires']) }),
	}));
}

const revokedIn = (db: DatabaseSync): KnownKeys['revoked'] =>
	db
		.prepare('SELECT name, value FROM settings WHERE name GLOB ? ORDER BY rowid')
		.all(`${revokedPrefix}*`)
		.map(({ name, value }) => ({
			id: String(name).slice(revokedPrefix.length),
			name: String(value),
		}));

function named(keys: readonly PersonKey[], wanted: string): PersonKey {
	const exact = keys.find(({ id }) => id === wanted);
	const found = exact === undefined ? keys.filter(({ name }) => name === wanted) : [exact];
	const [entry, second] = found;
	const shown = (list: readonly PersonKey[]) =>
		list
			.slice(0, 20)
			.map(({ id, name }) => `${id} (${name})`)
			.join(', ') || 'none';
	if (entry === undefined)
		throw new AppError(
			'not_found',
			`There is no key '${wanted.slice(0, maxName)}'. Known: ${shown(keys)}.`,
		);
	if (second !== undefined)
		throw new AppError(
			'conflict',
			`Several keys are called '${wanted.slice(0, maxName)}'; give the id: ${shown(found)}.`,
		);
	return entry;
}

function checkOptions({ name, scopes, limits, expiresAt }: KeyOptions, nowMs: number): void {
	const fail = (message: string, param: string) =>
		new AppError('invalid_request', message, { param });
	if (name.trim() === '' || name.length > maxName || /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]/u.test(name))
		throw fail(
			`The name of a key has 1 to ${maxName} characters, and no line ends or control characters.`,
			'name',
		);
	if (scopes.length === 0 || new Set(scopes).size !== scopes.length)
		throw fail(`A key is for one or more of ${keyScopes.join(', ')}, each once.`, 'for');
	if (expiresAt !== undefined && !(expiresAt > nowMs && expiresAt < 8.64e15))
		throw fail('A key expires in the future.', 'expires');
	checkLimits(limits);
}

function checkLimits(limits: UsageLimits): void {
	const known = new Map(
		limitFields.map((each) => [each.field as string, each.field as LimitField]),
	);
	for (const [field, size] of Object.entries(limits))
		if (!known.has(field) || !Number.isInteger(size) || size < 1 || size > maxLimit)
			throw new AppError(
				'invalid_request',
				`'${field.slice(0, 40)}' is a whole number from 1 to ${maxLimit}.`,
				{ param: field.slice(0, 40) },
			);
}
