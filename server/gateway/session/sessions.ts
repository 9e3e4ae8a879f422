/** Sessions: made at sign-in, found by id, ended at sign-out. Nothing is trusted from a cookie but the id. */

import { randomBytes } from 'node:crypto';
import type { GatewaySettings } from '../config/settings.ts';
import type { Claim, PolicyFacts, ProviderTokens, SignedIn } from '../identity/signedIn.ts';
import type { KeyRing } from '../keys/keyRing.ts';
import type { Store } from '../store/store.ts';
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
const maxCached = 10_000;
const noTokens: ProviderTokens = {};

interface Cached<T> {
	readonly value: T;
	readonly at: number;
}

export class Sessions {
	readonly vault: TokenVault;
	readonly #store: Store;
	readonly #ring: KeyRing;
	readonly #login: GatewaySettings['login'];
	readonly #now: () => number;
	readonly #cache = new Map<string, Cached<Session>>();
	readonly #tokens = new Map<string, Cached<ProviderTokens>>();

	constructor(store: Store, ring: KeyRing, login: GatewaySettings['login'], now: () => number) {
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
		await this.#write(session);
		return session;
	}

	/** A second session of the same person (hand-off, device): ending one leaves the other alive. */
	async copy(from: Session, kind: SessionKind): Promise<Session> {
		const sid = newId();
		const expiresAt = this.#end(kind, from.refreshable, undefined);
		const session: Session = { ...from, sid, kind, createdAt: this.#now(), expiresAt };
		if (from.tokensRef !== undefined)
			await this.vault.share(from.tokensRef, sid, this.ttlMs(expiresAt));
		await this.#write(session);
		return session;
	}

	/** The session with a new end, and what the provider now says about the person. */
	async renew(from: Session, person: SignedIn | undefined): Promise<Session> {
		const session: Session = {
			...from,
			...(person ? { name: person.name, claims: person.claims, policy: person.policy } : {}),
			expiresAt: this.#end(from.kind, from.refreshable, person?.identityEndsAt),
		};
		await this.#write(session);
		if (from.tokensRef !== undefined) this.#tokens.delete(from.tokensRef);
		return session;
	}

	/**
	 * Finds a session, expired ones within the refresh window included.
	 *
	 * @param fresh Skips the short-lived cache.
	 * @throws AppError `store_unavailable`.
	 */
	async find(sid: string, fresh = false): Promise<Session | undefined> {
		const cached = this.#cache.get(sid);
		if (!fresh && cached && this.#now() - cached.at < cacheMs) return cached.value;
		const text = await this.#store.get(`s:${sid}`);
		if (text === undefined) {
			this.#cache.delete(sid);
			return undefined;
		}
		const session = JSON.parse(text) as Session;
		remember(this.#cache, sid, { value: session, at: this.#now() });
		return session;
	}

	async end(session: Session): Promise<void> {
		this.#cache.delete(session.sid);
		await this.#store.delete(`s:${session.sid}`);
		if (session.tokensRef === undefined) return;
		this.#tokens.delete(session.tokensRef);
		await this.vault.release(session.tokensRef, session.sid, this.ttlMs(session.expiresAt));
	}

	/** Tokens of the provider; empty when none are kept. */
	async tokensOf(session: Session): Promise<ProviderTokens> {
		const ref = session.tokensRef;
		if (ref === undefined) return noTokens;
		const cached = this.#tokens.get(ref);
		if (cached && this.#now() - cached.at < cacheMs) return cached.value;
		const value = (await this.vault.read(ref))?.tokens ?? {};
		remember(this.#tokens, ref, { value, at: this.#now() });
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

	async #write(session: Session): Promise<void> {
		await this.#store.set(
			`s:${session.sid}`,
			JSON.stringify(session),
			this.ttlMs(session.expiresAt),
		);
		remember(this.#cache, session.sid, { value: session, at: this.#now() });
	}
}

function newId(): string {
	return randomBytes(24).toString('base64url');
}

function remember<T>(cache: Map<string, Cached<T>>, key: string, entry: Cached<T>): void {
	if (cache.size >= maxCached) {
		const oldest = cache.keys().next().value;
		if (oldest !== undefined) cache.delete(oldest);
	}
	cache.delete(key);
	cache.set(key, entry);
}
