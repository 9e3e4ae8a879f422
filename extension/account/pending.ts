/**
 * Sign-ins that wait for their page, in SecretStorage: whichever window receives the answer can finish
 * one, even when the window that began it has been reloaded.
 */

import type { SecretAccess } from './sessionStore.ts';

export interface Pending {
	/** Unguessable name of the sign-in; part of the address the page returns to. */
	readonly nonce: string;
	readonly origin: string;
	/** Proof key of the code. */
	readonly verifier: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	/** Id of the session, once another window has finished. */
	readonly done?: string;
}

export const pendingKey = 'nearglot.pending';

/** Sign-ins older than this are over. */
const lifeMs = 600_000;

/** The list as a whole; changes follow each other. */
export class PendingSignIns {
	readonly #secrets: SecretAccess;
	readonly #now: () => number;
	#last: Promise<unknown> = Promise.resolve();

	constructor(secrets: SecretAccess, now: () => number = Date.now) {
		this.#secrets = secrets;
		this.#now = now;
	}

	add(pending: Omit<Pending, 'at'>): Promise<void> {
		return this.#change((all) => [...all, { ...pending, at: this.#now() }]);
	}

	async find(nonce: string): Promise<Pending | undefined> {
		return (await this.#list()).find((pending) => pending.nonce === nonce);
	}

	/** Notes which session came of it; the proof key is no longer needed. */
	finish(nonce: string, session: string): Promise<void> {
		return this.#change((all) =>
			all.map((pending) =>
				pending.nonce === nonce ? { ...pending, verifier: '', done: session } : pending,
			),
		);
	}

	remove(nonce: string): Promise<void> {
		return this.#change((all) => all.filter((pending) => pending.nonce !== nonce));
	}

	async #list(): Promise<readonly Pending[]> {
		try {
			const value: unknown = JSON.parse((await this.#secrets.get(pendingKey)) ?? '[]');
			const since = this.#now() - lifeMs;
			return Array.isArray(value) ? value.filter(isPending).filter(({ at }) => at > since) : [];
		} catch {
			return [];
		}
	}

	#change(change: (all: readonly Pending[]) => readonly Pending[]): Promise<void> {
		const write = async () => {
			await this.#secrets.store(pendingKey, JSON.stringify(change(await this.#list())));
		};
		const done = this.#last.then(write, write);
		this.#last = done.catch(() => undefined);
		return done;
	}
}

function isPending(value: unknown): value is Pending {
	const pending = value as Partial<Pending> | null;
	return (
		typeof pending === 'object' &&
		typeof pending?.at === 'number' &&
		['nonce', 'origin', 'verifier'].every(
			(name) => typeof pending[name as keyof Pending] === 'string',
		)
	);
}
