/**
 * Sessions at team servers in SecretStorage, which all windows share. Where the storage refuses (no
 * keyring), they are kept in memory until the window ends.
 */

import type { SecretStorage } from 'vscode';

export interface StoredSession {
	/** Stable over refreshes: origin and user. */
	readonly id: string;
	readonly origin: string;
	readonly userId: string;
	/** Name for the list of accounts. */
	readonly label: string;
	readonly token: string;
	/** When the token was given, milliseconds since 1970. */
	readonly obtainedAt?: number;
	/** The provider gives no refresh tokens: the session lives until its token ends. */
	readonly fixed?: boolean;
	/** The window that renews it just now, and until when others leave it to that. */
	readonly lease?: { readonly by: string; readonly until: number };
}

export const sessionsKey = 'nearglot.sessions';

export type SecretAccess = Pick<SecretStorage, 'get' | 'store'>;

/** Reads and writes the list as a whole; changes follow each other. */
export class SessionStore {
	readonly #secrets: SecretAccess;
	readonly #onRefused: (error: Error) => void;
	#memory: string | undefined;
	#last: Promise<unknown> = Promise.resolve();

	/** @param onRefused Called once when the storage cannot be written. */
	constructor(secrets: SecretAccess, onRefused: (error: Error) => void = () => {}) {
		this.#secrets = secrets;
		this.#onRefused = onRefused;
	}

	async list(): Promise<readonly StoredSession[]> {
		try {
			const text = this.#memory ?? (await this.#secrets.get(sessionsKey)) ?? '[]';
			const value: unknown = JSON.parse(text);
			return Array.isArray(value) ? value.filter(isSession) : [];
		} catch {
			return [];
		}
	}

	async find(id: string): Promise<StoredSession | undefined> {
		return (await this.list()).find((session) => session.id === id);
	}

	/** Adds a session or replaces the one with its id. */
	put(session: StoredSession): Promise<void> {
		return this.#change((all) => [...all.filter(({ id }) => id !== session.id), session]);
	}

	/** Replaces a session that is still there; one that was signed out meanwhile stays away. */
	update(session: StoredSession): Promise<void> {
		return this.#change((all) => all.map((other) => (other.id === session.id ? session : other)));
	}

	remove(id: string): Promise<void> {
		return this.#change((all) => all.filter((session) => session.id !== id));
	}

	#change(change: (all: readonly StoredSession[]) => readonly StoredSession[]): Promise<void> {
		const write = async () => {
			const text = JSON.stringify(change(await this.list()));
			if (this.#memory === undefined) {
				try {
					await this.#secrets.store(sessionsKey, text);
					return;
				} catch (error) {
					this.#onRefused(error as Error);
				}
			}
			this.#memory = text;
		};
		const done = this.#last.then(write, write);
		this.#last = done.catch(() => undefined);
		return done;
	}
}

function isSession(value: unknown): value is StoredSession {
	const session = value as Partial<StoredSession> | null;
	return (
		typeof session === 'object' &&
		['id', 'origin', 'userId', 'label', 'token'].every(
			(name) => typeof session?.[name as keyof StoredSession] === 'string',
		)
	);
}
