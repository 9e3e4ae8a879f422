/** Sessions at team servers in SecretStorage, which all windows share. */

import type { SecretStorage } from 'vscode';

export interface StoredSession {
	/** Stable over refreshes: origin and user. */
	readonly id: string;
	readonly origin: string;
	readonly userId: string;
	/** Name for the list of accounts. */
	readonly label: string;
	readonly token: string;
}

export const sessionsKey = 'nearglot.sessions';

/** Reads and writes the list as a whole; changes follow each other. */
export class SessionStore {
	readonly #secrets: Pick<SecretStorage, 'get' | 'store'>;
	#last: Promise<unknown> = Promise.resolve();

	constructor(secrets: Pick<SecretStorage, 'get' | 'store'>) {
		this.#secrets = secrets;
	}

	async list(): Promise<readonly StoredSession[]> {
		try {
			const value: unknown = JSON.parse((await this.#secrets.get(sessionsKey)) ?? '[]');
			return Array.isArray(value) ? value.filter(isSession) : [];
		} catch {
			return [];
		}
	}

	/** Adds a session or replaces the one with its id. */
	put(session: StoredSession): Promise<void> {
		return this.#change((all) => [...all.filter(({ id }) => id !== session.id), session]);
	}

	remove(id: string): Promise<void> {
		return this.#change((all) => all.filter((session) => session.id !== id));
	}

	#change(change: (all: readonly StoredSession[]) => readonly StoredSession[]): Promise<void> {
		const write = async () => {
			await this.#secrets.store(sessionsKey, JSON.stringify(change(await this.list())));
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
