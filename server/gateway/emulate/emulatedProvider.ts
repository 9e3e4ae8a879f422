/**
 * Providers for developers: instead of a login page elsewhere there is a form on which anybody says who they
 * are. Only `nearglot gateway --emulate` makes them, and it listens on this computer alone.
 */

import type { JWTPayload } from 'jose';
import { type ConfigFields, textOf } from '../config/configFields.ts';
import type { GatewaySettings, ProviderSettings } from '../config/gatewaySettings.ts';
import type { ProviderTokens, SignedIn } from '../identity/signedIn.ts';
import { clientFields } from '../providers/clientFields.ts';
import { oidcPerson } from '../providers/oidcPerson.ts';
import {
	type FinishRequest,
	type Provider,
	ProviderError,
	type RefreshedTokens,
} from '../providers/provider.ts';
import { type ProviderRegistry, registryOf } from '../providers/registry.ts';
import { noSignOut } from '../providers/unsupported.ts';
import { mergeClaims, readClaims } from './emulatedClaims.ts';
import { issued, issuerOf, payloadOf, tokensFor } from './emulatedTokens.ts';

/** Body fields of a client that say who signs in, the one that counts first. */
const tokenFields = ['id_token', 'authentication_token', 'access_token'];

export class EmulatedProvider implements Provider {
	readonly settings: ProviderSettings;
	/** The form is posted, so that what it says stands in no address. */
	readonly formPost = true;
	readonly clientFields: readonly string[];
	readonly signOut = noSignOut;
	readonly #page: string;
	readonly #now: () => number;

	constructor(settings: ProviderSettings, page: string, now: () => number) {
		this.settings = settings;
		this.clientFields = clientFields[settings.kind];
		this.#page = page;
		this.#now = now;
	}

	async begin({ state }: { readonly state: string }): Promise<{ url: URL }> {
		const url = new URL(this.#page);
		url.searchParams.set('provider', this.settings.name);
		url.searchParams.set('state', state);
		return { url };
	}

	async finish({ callback }: FinishRequest): Promise<SignedIn> {
		const field = (name: string) => (callback.searchParams.get(name) ?? '').trim();
		const name = field('userDetails');
		const id = field('userId') || name;
		if (id === '') throw new ProviderError('denied', 'Give a user id or a name.');
		const given = readClaims(field('claims'));
		const roles = field('userRoles')
			.split(/[\s,]+/)
			.filter((role) => role !== '');
		const shownName = name || id;
		const payload = issued(
			this.settings,
			{
				...(shownName.includes('@')
					? { email: shownName, email_verified: true }
					: { name: shownName }),
				...given,
				...(this.settings.kind === 'aad' ? { oid: id } : {}),
				roles: mergeClaims(roles, given['roles'] ?? []),
				sub: id,
			},
			this.#now(),
		);
		return { ...this.#person(payload, tokensFor(this.settings, payload)), name: shownName };
	}

	/** Any JWT will do, whoever signed it: tests of an app write their own. */
	async clientLogin(body: ConfigFields): Promise<SignedIn> {
		const fields = tokenFields.filter((name) => this.clientFields.includes(name));
		const field = fields.find((name) => textOf(body, name) !== undefined);
		if (field === undefined)
			throw new ProviderError('malformed', `The body needs ${fields.join(' or ')}.`);
		const payload = payloadOf(textOf(body, field)!, this.#now());
		if (payload === undefined)
			throw new ProviderError(
				'rejected',
				`An emulated provider reads who signs in from a JWT, whose signature does not count: ${field} is none with a 'sub' and an 'exp' to come.`,
			);
		const code = textOf(body, 'authorization_code');
		const redeemed = code === undefined ? {} : tokensFor(this.settings, payload);
		return this.#person(payload, { ...redeemed, ...givenTokens(body, payload, this.#now()) });
	}

	async refresh({ refreshToken, ...before }: ProviderTokens): Promise<RefreshedTokens> {
		// Refresh tokens outlive the tokens they bring.
		const payload = payloadOf(refreshToken ?? '', 0);
		if (payload === undefined)
			throw new ProviderError('revoked', 'This refresh token is of another provider.');
		const renewed = issued(this.settings, payload, this.#now());
		const tokens = { ...before, ...tokensFor(this.settings, renewed) };
		return { tokens, person: undefined };
	}

	async bearer(token: string): Promise<SignedIn | undefined> {
		const payload = payloadOf(token, this.#now());
		return payload?.iss === issuerOf(this.settings)
			? this.#person(payload, { accessToken: token })
			: undefined;
	}

	#person(payload: JWTPayload, tokens: ProviderTokens): SignedIn {
		return oidcPerson(this.settings, { ...payload, iss: issuerOf(this.settings) }, tokens);
	}
}

/** The tokens that a client brings, under the names of the layer. */
function givenTokens(body: ConfigFields, { exp }: JWTPayload, nowMs: number): ProviderTokens {
	const names = {
		access_token: 'accessToken',
		id_token: 'idToken',
		refresh_token: 'refreshToken',
		access_token_secret: 'accessTokenSecret',
		authentication_token: 'authenticationToken',
	};
	const given = Object.entries(names).flatMap(([field, name]) => {
		const value = textOf(body, field);
		return value === undefined ? [] : [[name, value] as const];
	});
	const expiresInS = Number(body['expires_in'] ?? 0);
	const endS = expiresInS > 0 ? nowMs / 1000 + expiresInS : exp;
	return {
		...Object.fromEntries(given),
		...(endS === undefined ? {} : { expiresAt: endS * 1000 }),
	};
}

/** Makes every provider of the settings, emulated. */
export function emulatedProviders(
	now: () => number,
): (settings: GatewaySettings) => ProviderRegistry {
	return (settings) => {
		const page = `${settings.publicUrl.origin}${settings.apiPrefix}/emulate`;
		return registryOf(settings.providers.map((row) => new EmulatedProvider(row, page, now)));
	};
}
