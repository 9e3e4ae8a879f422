/**
 * Keeps sessions alive: plans their renewal, renews each once however many requests and windows ask,
 * and says when one has ended. Knows nothing of the editor.
 */

import {
	asAppError,
	type EndReason,
	teamStrings,
	translatableError,
} from '../../server/protocol/index.ts';
import type { SessionStore, StoredSession } from './sessionStore.ts';
import { type TeamApi, tokenEnd } from './teamApi.ts';

export interface SessionChange {
	readonly added: readonly StoredSession[];
	readonly removed: readonly StoredSession[];
	readonly changed: readonly StoredSession[];
}

export interface SessionManagerDeps {
	readonly store: SessionStore;
	readonly api: (origin: string) => Pick<TeamApi, 'refresh' | 'signOut'>;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Milliseconds of a clock that is never set. */
	readonly elapsed?: () => number;
	/** 0 to 1. */
	readonly random: () => number;
	readonly wait: (ms: number) => Promise<void>;
	/** Runs something later; returns what takes it back. */
	readonly later: (ms: number, run: () => void) => () => void;
	/** Name of this window in leases. */
	readonly window: string;
	readonly log: (line: string) => void;
	readonly onChange: (change: SessionChange) => void;
	readonly onEnded: (session: StoredSession, reason: EndReason) => void;
}

/** A window that has not renewed within this time has gone. */
const leaseMs = 10_000;
/**
 * Pause after which a lease that was written by two windows shows whose it is. VS Code writes what a
 * window has changed after 0.1 s and tells the other windows after 0.1 s more.
 */
const settleMs = 750;
const retryMs = 250;
/** Life assumed of a token that does not say when it ends. */
const unknownLifeMs = 1_800_000;
const firstBackOffMs = 30_000;
const longestBackOffMs = 600_000;
/** Longest wait of a timer: longer ones would end at once. */
const longestMs = 2_000_000_000;

/** One per window. */
export class SessionManager {
	readonly #deps: SessionManagerDeps;
	readonly #plans = new Map<string, () => void>();
	readonly #running = new Map<string, Promise<StoredSession | undefined>>();
	readonly #failures = new Map<string, number>();
	/** Tokens whose server was not reached to end them → what takes the next try back. */
	readonly #untold = new Map<string, () => void>();
	#known: readonly StoredSession[] = [];
	#disposed = false;

	constructor(deps: SessionManagerDeps) {
		this.#deps = deps;
	}

	list(): Promise<readonly StoredSession[]> {
		return this.#deps.store.list();
	}

	async add(session: StoredSession): Promise<void> {
		await this.#deps.store.put({ ...session, obtainedAt: this.#deps.now() });
		await this.reload();
	}

	/**
	 * Forgets a session here first, so that it works without the network; then tells the server, later
	 * when it cannot be reached, for as long as this window lives.
	 */
	async remove(id: string): Promise<void> {
		const session = await this.#deps.store.find(id);
		await this.#deps.store.remove(id);
		await this.reload();
		if (session) await this.#signOut(session, 0);
	}

	async #signOut(session: StoredSession, failures: number): Promise<void> {
		const { api, log, now, later } = this.#deps;
		try {
			await api(session.origin).signOut(session.token);
		} catch (error) {
			log(`signed out here only: ${asAppError(error).message}`);
			// A token that has ended needs no sign-out.
			if (this.#disposed || endOf(session) < now()) return;
			const again = () => void this.#signOut(session, failures + 1);
			this.#untold.set(session.token, later(backOffMs(failures), again));
			return;
		}
		this.#untold.delete(session.token);
	}

	/** Tells what has changed since the last look, and plans the next renewals. */
	async reload(): Promise<void> {
		const before = this.#known;
		const now = await this.#deps.store.list();
		if (this.#disposed) return;
		this.#known = now;
		const find = (all: readonly StoredSession[], id: string) =>
			all.find((other) => other.id === id);
		const added = now.filter(({ id }) => !find(before, id));
		const removed = before.filter(({ id }) => !find(now, id));
		const changed = now.filter((session) => {
			const old = find(before, session.id);
			return old && (old.token !== session.token || old.fixed !== session.fixed);
		});
		for (const { id } of removed) this.#unplan(id);
		for (const session of [...added, ...changed]) this.#plan(session);
		if (added.length + removed.length + changed.length > 0) {
			this.#deps.onChange({ added, removed, changed });
		}
	}

	/**
	 * Renews a session; `undefined` when it has ended. Calls at the same time share one renewal.
	 *
	 * @param stale Token the server refused; when another window has a newer one, that is taken.
	 * @throws AppError when the server cannot be reached; the session stays.
	 */
	renew(id: string, stale?: string): Promise<StoredSession | undefined> {
		let running = this.#running.get(id);
		if (!running) {
			running = this.#renewOnce(id, stale).finally(() => this.#running.delete(id));
			this.#running.set(id, running);
		}
		return running;
	}

	dispose(): void {
		this.#disposed = true;
		for (const plans of [this.#plans, this.#untold]) {
			for (const cancel of plans.values()) cancel();
			plans.clear();
		}
	}

	async #renewOnce(id: string, stale: string | undefined): Promise<StoredSession | undefined> {
		const { store, now } = this.#deps;
		const first = await store.find(id);
		if (!first) return undefined;
		const refused = stale ?? first.token;
		// The timer of a window that has not yet heard of another's renewal.
		if (stale === undefined && !first.fixed && now() < midLife(first)) return first;
		const session = await this.#take(first, refused);
		if (session?.token !== refused) {
			await this.reload();
			return session;
		}
		// A session whose valid token was refused was signed out there.
		if (session.fixed && stale === undefined && (tokenEnd(session.token) ?? 0) > now())
			return session;
		try {
			const outcome = await this.#deps.api(session.origin).refresh(session.token);
			this.#failures.delete(id);
			const { lease: _, ...kept } = session;
			if (outcome.kind === 'renewed') {
				await store.update({ ...kept, token: outcome.session.token, obtainedAt: now() });
			} else if (outcome.kind === 'fixed' && stale === undefined && endOf(session) > now()) {
				await store.update({ ...kept, fixed: true });
			} else {
				await store.remove(id);
				await this.reload();
				this.#deps.onEnded(session, outcome.kind === 'revoked' ? 'revoked' : 'expired');
				return undefined;
			}
			await this.reload();
			return store.find(id);
		} catch (error) {
			const { lease: _, ...kept } = session;
			await store.update(kept);
			this.#backOff(id);
			throw asAppError(error);
		}
	}

	/** Waits for its turn among the windows; returns the session as it is then. */
	async #take(first: StoredSession, refused: string): Promise<StoredSession | undefined> {
		const { store, now, wait, window, random } = this.#deps;
		const elapsed = this.#deps.elapsed ?? (() => performance.now());
		const giveUpAt = elapsed() + 3 * leaseMs;
		let session: StoredSession | undefined = first;
		while (session && session.token === refused) {
			if (elapsed() > giveUpAt) throw translatableError('timeout', teamStrings.otherWindow);
			if (session.lease && session.lease.by !== window && session.lease.until > now()) {
				// Windows that began together must not go on together.
				await wait(retryMs * (0.5 + random()));
			} else if (session.lease?.by === window && session.lease.until > now()) {
				return session;
			} else {
				await store.update({ ...session, lease: { by: window, until: now() + leaseMs } });
				await wait(settleMs);
			}
			session = await store.find(first.id);
		}
		return session;
	}

	/** At four fifths of a token's life, a little earlier or later in every window. */
	#plan(session: StoredSession): void {
		const { now, random } = this.#deps;
		const start = session.obtainedAt ?? now();
		const end = endOf(session);
		const share = session.fixed ? 1 : 0.8 * (0.9 + 0.2 * random());
		this.#schedule(session.id, Math.max(1000, start + (end - start) * share - now()));
	}

	#backOff(id: string): void {
		const failures = this.#failures.get(id) ?? 0;
		this.#failures.set(id, failures + 1);
		this.#schedule(id, backOffMs(failures));
	}

	#schedule(id: string, ms: number): void {
		this.#unplan(id);
		if (this.#disposed || ms > longestMs) return;
		const run = () => {
			this.renew(id).catch((error: Error) =>
				this.#deps.log(`could not renew a session: ${error.message}`),
			);
		};
		this.#plans.set(id, this.#deps.later(ms, run));
	}

	#unplan(id: string): void {
		this.#plans.get(id)?.();
		this.#plans.delete(id);
	}
}

function backOffMs(failures: number): number {
	return Math.min(longestBackOffMs, firstBackOffMs * 2 ** failures);
}

function endOf(session: StoredSession): number {
	return tokenEnd(session.token) ?? (session.obtainedAt ?? 0) + unknownLifeMs;
}

function midLife(session: StoredSession): number {
	const start = session.obtainedAt ?? 0;
	return start === 0 ? 0 : start + (endOf(session) - start) / 2;
}
