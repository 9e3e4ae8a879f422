/** Sessions: made at sign-in, found by id, ended at sign-out. Nothing is trusted from a cookie but the id. */

import { randomBytes } from 'node:crypto';
import { AppError } from '../../protocol/errors.ts';
import type { GatewaySettings } from '../config/settings.ts';
import type { Claim, PolicyFacts, ProviderTokens, SignedIn } from '../identity/signedIn.ts';
import type { KeyRing } from '../keys/keyRing.ts';
import type { Store } from '../store/store.ts';
import { AgedCache } from './agedCache.ts';
import { TokenVault } from './tokenVault.ts';

/** Who holds the session: decides its life and how it may be used. */
export type SessionKind = 'browser' | 'client' | 'handoff' | 'device';

export interface Session {
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

/** Longest time another replica may still see a session that was ended. */
const cacheMs = 4000;
const noTokens: ProviderTokens = {};
/** Stands where an ended session was: whatever was under way for it finds this and cannot write it back. */
const tombstone = 'ended';

export class Sessions {
	readonly vault: TokenVault;
	readonly #store: Store;
	readonly #ring: KeyRing;
	readonly #login: GatewaySettings['login'];
	readonly #now: () => number;
	readonly #cache: AgedCache<Session | typeof tombstone>;
	readonly #tokens: AgedCache<ProviderTokens>;

	/** @param elapsed Milliseconds of a clock that nobody sets. */
	constructor(
		store: Store,
		ring: KeyRing,
		login: GatewaySettings['login'],
		now: () => number,
		elapsed: () => number = () => performance.now(),
	) {
		this.#cache = new AgedCache(cacheMs, now, elapsed);
		this.#tokens = new AgedCache(cacheMs, now, elapsed);
		this.vault = new TokenVault(store, ring);
		this.#store = store;
		this.#ring = ring;
		this.#login = login;
		this.#now = now;
	}

	/** Makes a session with a new id; an id is never reused or taken from the client. */
	async create(person: SignedIn, kind: SessionKind): Promise<Session> {
		const now = this.#now();
		const sid = newId();
		const refreshable = this.#login.tokenStore && person.tokens.refreshToken !== undefined;
		const expiresAt = this.#end(kind, refreshable, person.identityEndsAt);
		const keep = this.#login.tokenStore && Object.keys(person.tokens).length > 0;
		const session: Session = {
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
	async copy(from: Session, kind: SessionKind): Promise<Session> {
		const sid = newId();
		const expiresAt = this.#end(kind, from.refreshable, undefined);
		const session: Session = { ...from, sid, kind, createdAt: this.#now(), expiresAt };
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
	async renew(from: Session, person: SignedIn | undefined): Promise<Session | undefined> {
		const key = recordOf(from.sid);
		const text = await this.#store.get(key);
		const current = readRecord(text);
		if (text === undefined || !current) return undefined;
		const session: Session = {
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
		return this.#remember(session);
	}

	/**
	 * Finds a session, expired ones within the refresh window included.
	 *
	 * @param fresh Skips the short-lived cache.
	 * @throws AppError `store_unavailable`.
	 */
	async find(sid: string, fresh = false): Promise<Session | undefined> {
		const cached = this.#cache.get(sid);
		if (cached === tombstone) return undefined;
		if (!fresh && cached) return cached;
		const session = readRecord(await this.#store.get(recordOf(sid)));
		if (session) return this.#remember(session);
		this.#cache.delete(sid);
		return undefined;
	}

	/** Ends a session for good, whatever is under way for it elsewhere. */
	async end(session: Session): Promise<void> {
		const { sid, tokensRef } = session;
		await this.#store.set(recordOf(sid), tombstone, this.ttlMs(session.expiresAt));
		this.#cache.set(sid, tombstone);
		if (tokensRef === undefined) return;
		this.#tokens.delete(tokensRef);
		await this.vault.release(tokensRef, sid, this.ttlMs(session.expiresAt));
	}

	/** Tokens of the provider; empty when none are kept. */
	async tokensOf(session: Session): Promise<ProviderTokens> {
		const ref = session.tokensRef;
		if (ref === undefined) return noTokens;
		const cached = this.#tokens.get(ref);
		if (cached) return cached;
		const value = (await this.vault.read(ref))?.tokens ?? {};
		this.#tokens.set(ref, value);
		return value;
	}

	/** Others (an editor signed in from this browser) use the same tokens of the provider. */
	async sharesTokens(session: Session): Promise<boolean> {
		const entry =
			session.tokensRef === undefined ? undefined : await this.vault.read(session.tokensRef);
		return (entry?.sids ?? []).some((sid) => sid !== session.sid);
	}

	isExpired(session: Session): boolean {
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

	async #begin(session: Session): Promise<void> {
		const { sid, expiresAt } = session;
		await this.#store.set(recordOf(sid), JSON.stringify(session), this.ttlMs(expiresAt));
		this.#remember(session);
	}

	/** An answer of the store that was under way while the session was ended here is out of date. */
	#remember(session: Session): Session | undefined {
		if (this.#cache.get(session.sid) === tombstone) return undefined;
		this.#cache.set(session.sid, session);
		return session;
	}
}

function newId(): string {
	return randomBytes(24).toString('base64url');
}

const recordOf = (sid: string) => `s:${sid}`;

function readRecord(text: string | undefined): Session | undefined {
	return text === undefined || text === tombstone ? undefined : (JSON.parse(text) as Session);
}
