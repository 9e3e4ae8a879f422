/**
 * Refreshes a session: one call to the provider however many ask, in this process (single flight) and
 * over all replicas (a lease that is renewed while the call runs).
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Metrics } from '../../net/metrics.ts';
import { AppError } from '../../protocol/errors.ts';
import type { ProviderTokens, SignedIn } from '../identity/signedIn.ts';
import { type Provider, ProviderError } from '../providers/provider.ts';
import type { Store } from '../store/store.ts';
import type { GatewaySession, Sessions } from './sessions.ts';

/** Waiting for another's refresh goes on this much longer than its lease. */
const timeoutMs = 5000;
/** Tokens younger than this are not refreshed again: two windows that race both succeed. */
const freshMs = 10_000;
const withdrawMs = 10_000;

const signedOut = 'This session was signed out. Sign in again.';

export class Refresher {
	readonly #sessions: Sessions;
	readonly #store: Store;
	readonly #metrics: Metrics;
	readonly #now: () => number;
	readonly #leaseMs: number;
	readonly #running = new Map<string, Promise<SignedIn | undefined>>();

	/** @param leaseMs How long others wait for a replica that died; renewed while the call runs. */
	constructor(
		sessions: Sessions,
		store: Store,
		metrics: Metrics,
		now: () => number,
		leaseMs: number,
	) {
		this.#sessions = sessions;
		this.#store = store;
		this.#metrics = metrics;
		this.#now = now;
		this.#leaseMs = leaseMs;
	}

	/**
	 * Runs to its end though the caller leaves: others wait for it, and the provider takes the old
	 * refresh token only once.
	 *
	 * @throws ProviderError `unsupported` without a refresh token, `revoked`, `rejected`, `unreachable`.
	 * @throws AppError `store_unavailable`, `timeout`.
	 */
	async refresh(session: GatewaySession, provider: Provider): Promise<GatewaySession> {
		const ref = session.tokensRef;
		if (ref === undefined || !session.refreshable) {
			throw new ProviderError(
				'unsupported',
				'There is no refresh token for this session. Sign in again.',
			);
		}
		let running = this.#running.get(ref);
		if (!running) {
			running = this.#once(ref, session, provider).finally(() => this.#running.delete(ref));
			this.#running.set(ref, running);
		}
		const renewed = await this.#sessions.renew(session, await running);
		if (!renewed) throw new ProviderError('rejected', signedOut);
		return renewed;
	}

	async #once(
		ref: string,
		session: GatewaySession,
		provider: Provider,
	): Promise<SignedIn | undefined> {
		const before = await this.#sessions.vault.read(ref);
		if (!before)
			throw new ProviderError('rejected', 'The tokens of this session are gone. Sign in again.');
		const owner = randomUUID();
		const lease = `r:${ref}`;
		const giveUpAt = performance.now() + this.#leaseMs + timeoutMs;
		while (!(await this.#store.lock(lease, owner, this.#leaseMs))) {
			if (performance.now() > giveUpAt)
				throw new AppError('timeout', 'Another refresh of this session does not end. Try again.', {
					retryAfterS: 5,
				});
			await wait(50);
			const now = await this.#sessions.vault.read(ref);
			if (now && now.version !== before.version) return undefined;
		}
		const renewing = setInterval(
			() => void this.#store.renew(lease, owner, this.#leaseMs).catch(() => {}),
			this.#leaseMs / 3,
		);
		try {
			const current = await this.#sessions.vault.read(ref);
			if (!current)
				throw new ProviderError('rejected', 'The tokens of this session are gone. Sign in again.');
			const ageMs = this.#now() - current.refreshedAt;
			const fresh = current.version > 1 && ageMs >= 0 && ageMs < freshMs;
			if (current.version !== before.version || fresh) return undefined;
			this.#metrics.count('nearglot_gateway_provider_calls_total', {
				provider: provider.settings.name,
			});
			const { tokens, person } = await provider.refresh(current.tokens);
			const ttlMs = this.#sessions.ttlMs(Math.max(session.expiresAt, this.#now() + 86_400_000));
			const kept = await this.#sessions.vault.refresh(
				ref,
				current.version,
				tokens,
				this.#now(),
				ttlMs,
			);
			// Nobody has use for them now: the last session they were for was ended meanwhile.
			if (!kept && !(await this.#sessions.vault.read(ref))) await this.#withdraw(provider, tokens);
			return person;
		} finally {
			clearInterval(renewing);
			await this.#store.unlock(lease, owner).catch(() => {});
		}
	}

	/** The provider forgets tokens that came after the sign-out; they end by themselves when it cannot. */
	async #withdraw(provider: Provider, tokens: ProviderTokens): Promise<void> {
		await provider.signOut(tokens, '', '', AbortSignal.timeout(withdrawMs)).catch(() => undefined);
	}
}
