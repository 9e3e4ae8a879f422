/** Checks tokens that clients bring themselves: signature, issuer, audience, times. */

import {
	createRemoteJWKSet,
	customFetch,
	decodeJwt,
	errors,
	type JWTPayload,
	jwtVerify,
} from 'jose';
import type { ServerMetadata } from 'openid-client';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import { type ProviderDeps, ProviderError } from './provider.ts';

const algorithms = [
	'RS256',
	'RS384',
	'RS512',
	'PS256',
	'PS384',
	'PS512',
	'ES256',
	'ES384',
	'ES512',
	'EdDSA',
	'Ed25519',
];
const toleranceS = 60;

type KeySet = ReturnType<typeof createRemoteJWKSet>;

export class ProviderTokenVerifier {
	readonly #settings: ProviderSettings;
	readonly #deps: ProviderDeps;
	#keys: { readonly uri: string; readonly set: KeySet } | undefined;

	constructor(settings: ProviderSettings, deps: ProviderDeps) {
		this.#settings = settings;
		this.#deps = deps;
	}

	/** True when issuer and audience of an unchecked token are this provider's. */
	claimsToBeOurs(token: string, metadata: ServerMetadata | undefined): boolean {
		const payload = peek(token);
		if (!payload) return false;
		const issuer = metadata?.issuer ?? this.#settings.endpoints.issuer;
		return (
			issuer !== undefined &&
			this.#issuers(issuer, payload).includes(payload.iss ?? '') &&
			this.#audienceFits(payload)
		);
	}

	/** @throws ProviderError `rejected` for a token that is not good, `unreachable` without keys. */
	async verify(token: string, metadata: ServerMetadata, what: string): Promise<JWTPayload> {
		const payload = peek(token);
		if (!payload) throw new ProviderError('rejected', `The ${what} is not a signed token.`);
		if (!metadata.jwks_uri)
			throw new ProviderError('unsupported', 'The provider publishes no signing keys.');
		try {
			const { payload: checked } = await jwtVerify(token, this.#keySet(metadata.jwks_uri), {
				algorithms,
				issuer: this.#issuers(metadata.issuer, payload),
				audience: [this.#settings.clientId, ...this.#settings.allowedAudiences],
				requiredClaims: ['sub', 'exp', 'iat'],
				clockTolerance: toleranceS,
				currentDate: new Date(this.#deps.now()),
			});
			this.checkClaims(checked, what);
			return checked;
		} catch (error) {
			if (error instanceof ProviderError) throw error;
			const network = error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError);
			if (network || /expected 200 OK/i.test(error.message)) {
				throw new ProviderError(
					'unreachable',
					`The signing keys of ${this.#settings.label} cannot be fetched.`,
					error,
				);
			}
			throw new ProviderError('rejected', `The ${what} was refused: ${error.message}.`, error);
		}
	}

	/** What signature libraries leave to the caller. */
	checkClaims(payload: JWTPayload, what: string): void {
		const latest = this.#deps.now() / 1000 + toleranceS;
		if ((payload.iat ?? 0) > latest)
			throw new ProviderError('rejected', `The ${what} was issued in the future.`);
		if (Array.isArray(payload.aud) && payload.aud.length > 1) {
			const accepted = [this.#settings.clientId, ...this.#settings.allowedAudiences];
			if (!accepted.includes(String(payload['azp'] ?? ''))) {
				throw new ProviderError(
					'rejected',
					`The ${what} is for several audiences and does not name this app as authorized party.`,
				);
			}
		}
	}

	#keySet(uri: string): KeySet {
		if (this.#keys?.uri !== uri) {
			const set = createRemoteJWKSet(new URL(uri), {
				timeoutDuration: this.#deps.timeoutMs,
				// An unknown key id fetches the keys once, then not again for half a minute.
				cooldownDuration: 30_000,
				[customFetch]: (url, options) => this.#deps.fetch(url, options as RequestInit),
			});
			this.#keys = { uri, set };
		}
		return this.#keys.set;
	}

	#issuers(issuer: string, payload: JWTPayload): string[] {
		const tenant = typeof payload['tid'] === 'string' ? payload['tid'] : '';
		const own = issuer.replace('{tenantid}', tenant);
		const found = [own];
		if (this.#settings.kind === 'google') found.push(own.replace(/^https:\/\//, ''));
		const match = /^https:\/\/login\.microsoftonline\.com\/([0-9a-f-]{36})\/v2\.0$/.exec(own);
		if (this.#settings.kind === 'aad' && match) found.push(`https://sts.windows.net/${match[1]}/`);
		return found;
	}

	#audienceFits(payload: JWTPayload): boolean {
		const accepted = [this.#settings.clientId, ...this.#settings.allowedAudiences];
		const audiences = Array.isArray(payload.aud) ? payload.aud : [payload.aud];
		return audiences.some((audience) => audience !== undefined && accepted.includes(audience));
	}
}

function peek(token: string): JWTPayload | undefined {
	if (token.length > 16_384 || token.split('.').length !== 3) return undefined;
	try {
		return decodeJwt(token);
	} catch {
		return undefined;
	}
}
