/** Sessions: made at sign-in, found by id, ended at sign-out. Nothing is trusted from a cookie but the id. */

import { randomBytes } from 'node:crypto';
import { AppError } from '../../protocol/errors.ts';
import type { GatewaySettings } from '../config/gatewaySettings.ts';
import type { Claim, PolicyFacts, ProviderTokens, SignedIn } from '../identity/signedIn.ts';
import type { KeyRing } from '../keys/keyRing.ts';
import type { Store } from '../store/store.ts';
import { AgedCache } from './agedCache.ts';
import { TokenVault } from './tokenVault.ts';

/** Who holds the session: decides its life and how it may be used. */
export type SessionKind = 'browser' | 'client' | 'handoff' | 'device';

export interface GatewaySession {
	readonly sid: string;
	readonly kind: SessionKind;
	readonly provider: string;
	readonly issuer: string;
	readonly subject: string;
	/** `sid:` and 32 hex digits. */
	readonly userId: string;
	readonly name: string;
	readonly principalId: string;
	readonly claims: readonly Claim[];
	readonly policy: PolicyFacts;
	/** Unix ms. */
	readonly createdAt: number;
	readonly expiresAt: number;
	/** Record of the provider's tokens. */
	readonly tokensRef: string | undefined;
	/** There is a refresh token, so a short life can be prolonged. */
	readonly refreshable: boolean;
}

/** How long the tokens of a session are remembered, and that it has ended. */
const cacheMs = 4000;
/** A session and the record it was read from. */
interface Known {
	readonly session: GatewaySession;
	readonly text: string;
}

const noTokens: ProviderTokens = {};
/** Stands where an ended session was: whatever was under way for it finds this and cannot write it back. */
const tombstone = 'ended';

export class Sessions {
	readonly vault: TokenVault;
	readonly #store: Store;
	readonly #ring: KeyRing;
	readonly #login: GatewaySettings['login'];
	readonly #now: () => number;
	readonly #cache: AgedCache<Known>;
	/** An answer of the store that was under way while a session was ended here is out of date. */
	readonly #ended: AgedCache<true>;
	readonly #onEnd = new Set<(sid: string) => void>();
	readonly #tokens: AgedCache<ProviderTokens>;

	/** @param elapsed Milliseconds of a clock that nobody sets. */
	constructor(
		store: Store,
		ring: KeyRing,
		login: GatewaySettings['login'],
		now: () => number,
		elapsed: () => number = () => performance.now(),
	) {
		this.#cache = new AgedCache(store.staleMs, now, elapsed);
		this.#ended = new AgedCache(cacheMs, now, elapsed);
		this.#tokens = new AgedCache(cacheMs, now, elapsed);
		this.vault = new TokenVault(store, ring);
		this.#store = store;
		this.#ring = ring;
		this.#login = login;
		this.#now = now;
	}

	/** Makes a session with a new id; an id is never reused or taken from the client. */
	async create(person: SignedIn, kind: SessionKind): Promise<GatewaySession> {
		const now = this.#now();
		const sid = newId();
		const refreshable = this.#login.tokenStore && person.tokens.refreshToken !== undefined;
		const expiresAt = this.#end(kind, refreshable, person.identityEndsAt);
		const keep = this.#login.tokenStore && Object.keys(person.tokens).length > 0;
		const session: GatewaySession = {
			sid,
			kind,
			provider: person.provider,
			issuer: person.issuer,
			subject: person.subject,
			userId: this.#ring.userId(person.provider, person.issuer, person.subject),
			name: person.name,
			principalId: person.principalId,
			claims: person.claims,
			policy: person.policy,
			createdAt: now,
			expiresAt,
			tokensRef: keep
				? await this.vault.create(person.tokens, sid, now, this.ttlMs(expiresAt))
				: undefined,
			refreshable,
		};
		await this.#begin(session);
		return session;
	}

	/**
	 * A second session of the same person (hand-off, device): ending one leaves the other alive.
	 *
	 * @throws AppError `forbidden` when the first one was ended meanwhile.
	 */
	async copy(from: GatewaySession, kind: SessionKind): Promise<GatewaySession> {
		const sid = newId();
		const expiresAt = this.#end(kind, from.refreshable, undefined);
		const session: GatewaySession = { ...from, sid, kind, createdAt: this.#now(), expiresAt };
		if (from.tokensRef !== undefined)
			await this.vault.share(from.tokensRef, sid, this.ttlMs(expiresAt));
		await this.#begin(session);
		// Signed out while this was being made: then it was not made in time.
		if (await this.find(from.sid, true)) return session;
		await this.end(session);
		throw new AppError('forbidden', 'You were signed out meanwhile. Sign in again.');
	}

	/**
	 * The session with a new end, and what the provider now says about the person. Undefined when it was
	 * ended meanwhile, at whichever replica: then it stays so.
	 */
	async renew(
		from: GatewaySession,
		person: SignedIn | undefined,
	): Promise<GatewaySession | undefined> {
		const key = recordOf(from.sid);
		const text = await this.#store.get(key);
		const current = readRecord(text);
		if (text === undefined || !current) return undefined;
		const session: GatewaySession = {
			...current,
			...(person ? { name: person.name, claims: person.claims, policy: person.policy } : {}),
			expiresAt: this.#end(current.kind, current.refreshable, person?.identityEndsAt),
		};
		const renewed = JSON.stringify(session);
		if (!(await this.#store.replace(key, text, renewed, this.ttlMs(session.expiresAt)))) {
			// Ended, or renewed by another replica a moment ago, which is as good.
			return this.find(from.sid, true);
		}
		if (session.tokensRef !== undefined) this.#tokens.delete(session.tokensRef);
		return this.#remember(session, renewed);
	}

	/**
	 * Finds a session, expired ones within the refresh window included.
	 *
	 * @param fresh Skips the short-lived cache.
	 * @throws AppError `store_unavailable`.
	 */
	async find(sid: string, fresh = false): Promise<GatewaySession | undefined> {
		if (this.#ended.get(sid)) return undefined;
		const cached = this.#cache.get(sid);
		if (!fresh && cached) return cached.session;
		const text = await this.#store.get(recordOf(sid));
		const last = this.#cache.last(sid);
		// What has not changed stays the same object: what was made of it is good, too.
		const session = last !== undefined && last.text === text ? last.session : readRecord(text);
		if (session && text !== undefined) return this.#remember(session, text);
		this.#cache.delete(sid);
		return undefined;
	}

	/** Calls back with the id of each session that is ended here. */
	onEnd(ended: (sid: string) => void): void {
		this.#onEnd.add(ended);
	}

	/** Ends a session for good, whatever is under way for it elsewhere. */
	async end(session: GatewaySession): Promise<void> {
		const { sid, tokensRef } = session;
		await this.#store.set(recordOf(sid), tombstone, this.ttlMs(session.expiresAt));
		this.#ended.set(sid, true);
		this.#cache.delete(sid);
		for (const ended of this.#onEnd) ended(sid);
		if (tokensRef === undefined) return;
		this.#tokens.delete(tokensRef);
		await this.vault.release(tokensRef, sid, this.ttlMs(session.expiresAt));
	}

	/** All sessions there are, ended ones left out; those that ended and could still be renewed are among them. */
	async *all(): AsyncGenerator<GatewaySession> {
		// SCAN may name a key twice.
		const named = new Set<string>();
		for await (const { key, value } of this.#store.entries(recordOf(''))) {
			const session = readRecord(value);
			if (session === undefined || named.has(key)) continue;
			named.add(key);
			yield session;
		}
	}

	/** Ends every session of a person, at all replicas; resolves to how many there were. */
	async endAllOf(userId: string): Promise<number> {
		let count = 0;
		for await (const session of this.all()) {
			if (session.userId !== userId) continue;
			await this.end(session);
			count++;
		}
		return count;
	}

	/** Tokens of the provider; empty when none are kept. */
	async tokensOf(session: GatewaySession): Promise<ProviderTokens> {
		const ref = session.tokensRef;
		if (ref === undefined) return noTokens;
		const cached = this.#tokens.get(ref);
		if (cached) return cached;
		const value = (await this.vault.read(ref))?.tokens ?? {};
		this.#tokens.set(ref, value);
		return value;
	}

	/** Others (an editor signed in from this browser) use the same tokens of the provider. */
	async sharesTokens(session: GatewaySession): Promise<boolean> {
		const entry =
			session.tokensRef === undefined ? undefined : await this.vault.read(session.tokensRef);
		return (entry?.sids ?? []).some((sid) => sid !== session.sid);
	}

	isExpired(session: Pick<GatewaySession, 'expiresAt'>): boolean {
		return session.expiresAt <= this.#now();
	}

	/** How long a record of a session with this end is kept: the refresh window longer. */
	ttlMs(expiresAt: number): number {
		return Math.max(1000, expiresAt - this.#now() + this.#login.refreshWindowMs);
	}

	#end(kind: SessionKind, refreshable: boolean, identityEndsAt: number | undefined): number {
		const now = this.#now();
		const short = kind === 'handoff' || kind === 'device';
		// Without a refresh token a short life would mean signing in again every hour.
		if (short)
			return (
				now +
				(refreshable ? this.#login.tokenMs : Math.max(this.#login.tokenMs, this.#login.sessionMs))
			);
		const derived = this.#login.expiry === 'IdentityProviderDerived' ? identityEndsAt : undefined;
		return derived ?? now + this.#login.sessionMs;
	}

	async #begin(session: GatewaySession): Promise<void> {
		const { sid, expiresAt } = session;
		const text = JSON.stringify(session);
		await this.#store.set(recordOf(sid), text, this.ttlMs(expiresAt));
		this.#remember(session, text);
	}

	#remember(session: GatewaySession, text: string): GatewaySession | undefined {
		if (this.#ended.get(session.sid)) return undefined;
		this.#cache.set(session.sid, { session, text });
		return session;
	}
}

function newId(): string {
	return randomBytes(24).toString('base64url');
}

const recordOf = (sid: string) => `s:${sid}`;

function readRecord(text: string | undefined): GatewaySession | undefined {
	return text === undefined || text === tombstone
		? undefined
		: (JSON.parse(text) as GatewaySession);
}
