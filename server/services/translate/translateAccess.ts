/**
 * Who may use the translate interface: subscription keys, 10-minute tokens made from them, tokens
 * of a directory, and the daemon's own key. Refusals are the documented codes.
 */

import {
	createRemoteJWKSet,
	customFetch,
	decodeJwt,
	errors,
	type JWTPayload,
	jwtVerify,
	SignJWT,
} from 'jose';
import { retryingFetch } from '../../net/closedUnanswered.ts';
import { AppError } from '../../protocol/index.ts';
import {
	isKeyShaped,
	type KeyStore,
	type PersonKey,
	type TranslatorFields,
} from '../limits/keyStore.ts';
import { type AccessSettings, matchKey, type TranslateKeyStore } from './translateKeys.ts';
import type { CharacterLimits } from './translateLimits.ts';

/** What a request shows of itself. */
export interface Credentials {
	readonly key?: string;
	readonly region?: string;
	readonly bearer?: string;
	/** `Ocp-Apim-ResourceId`. */
	readonly resourceId?: string;
	/** The request came over the custom-endpoint path. */
	readonly customPath: boolean;
	/** The daemon's own key was shown, in whatever form. */
	readonly isOwner: boolean;
	/** The key of this server's own that was shown as of any other route. */
	readonly personKey?: PersonKey;
	/** A sign-in layer has named the person who calls. */
	readonly isMember?: boolean;
	/** This server insists on a credential of this caller for everything. */
	readonly keyRequired: boolean;
}

export interface TranslateCaller {
	/** Key id, token subject, `owner`, `member` or `anonymous`. */
	readonly id: string;
	readonly limits: CharacterLimits;
	/** The key, of those that are for more than this interface. */
	readonly entry?: PersonKey;
}

export interface AccessDeps {
	readonly store: TranslateKeyStore;
	/** Keys that are for more than this interface. */
	readonly keys?: Pick<KeyStore, 'find' | 'byId' | 'list' | 'checkWhole'>;
	readonly now: () => Date;
	/** Key set of a directory, by its issuer. Tests give their own. */
	readonly keySet?: (issuer: string) => Promise<ReturnType<typeof createRemoteJWKSet>>;
}

export interface TranslateAccess {
	/** The caller, or a refusal with `translatorCode` 401000, 401001 or 403000. */
	authenticate(credentials: Credentials): Promise<TranslateCaller>;
	/** A compact JWS, valid for ten minutes, for a caller with a key. */
	issueToken(credentials: Credentials): Promise<string>;
}

const issuer = 'urn:nearglot:translator';
const tokenLifeS = 600;

const refuse = (translatorCode: number, message: string): AppError =>
	new AppError(translatorCode >= 403000 ? 'forbidden' : 'invalid_api_key', message, {
		data: { translatorCode },
	});

const unauthorized = (detail: string): AppError =>
	refuse(
		401000,
		`The request is not authorized because credentials are missing or invalid. ${detail}`,
	);

export function createTranslateAccess(deps: AccessDeps): TranslateAccess {
	const { store, now } = deps;
	const keySets = new Map<string, Promise<ReturnType<typeof createRemoteJWKSet>>>();
	const keySetOf = (from: string) => {
		const known = keySets.get(from) ?? (deps.keySet ?? discoverKeySet)(from);
		keySets.set(from, known);
		// A directory that was down once must not stay unknown.
		known.catch(() => keySets.delete(from));
		return known;
	};

	const byKey = async (credentials: Credentials, key: string): Promise<TranslateCaller> => {
		const found = await callerOf(key);
		if (!found) throw unauthorized('The subscription key is not known here.');
		const entry = found.fields;
		const region = regionOf(credentials);
		if (entry.multiService && region === undefined)
			throw unauthorized(
				'A key of a multi-service resource needs its region: Ocp-Apim-Subscription-Region.',
			);
		if (region !== undefined && entry.region !== undefined && !sameRegion(region, entry.region))
			throw unauthorized(`The key does not belong to region '${region.slice(0, 40)}'.`);
		return found.caller;
	};

	/** Whose a key is, and what it says of itself. */
	const callerOf = async (
		key: string,
	): Promise<{ caller: TranslateCaller; fields: TranslatorFields } | undefined> => {
		if (isKeyShaped(key)) {
			const entry = deps.keys?.find(key);
			return entry && { caller: callerWith(entry), fields: entry.translator ?? {} };
		}
		const entry = matchKey((await store.read()).keys, key);
		return entry && { caller: { id: entry.id, limits: entry }, fields: entry };
	};

	const callerWith = (entry: PersonKey): TranslateCaller => {
		if (!entry.scopes.includes('translate'))
			throw refuse(
				403000,
				`The operation is not allowed: this key is for ${entry.scopes.join(', ')} only.`,
			);
		return { id: entry.id, limits: entry.translator ?? {}, entry };
	};

	const byToken = async (credentials: Credentials, token: string): Promise<TranslateCaller> => {
		const { tokenSecret, keys, access } = await store.read();
		let claims: JWTPayload;
		try {
			claims = decodeJwt(token);
		} catch {
			throw unauthorized('The bearer token is not a JSON Web Token.');
		}
		if (claims.iss === issuer) {
			const secret = Buffer.from(tokenSecret, 'base64url');
			const payload = await verified(() =>
				jwtVerify(token, secret, { issuer, algorithms: ['HS256'], currentDate: now() }),
			);
			const id = payload.sub ?? '';
			if (id === 'owner') return { id, limits: {} };
			const own = deps.keys?.byId(id);
			if (own) return callerWith(own);
			const entry = keys.find((key) => key.id === id);
			if (!entry) {
				deps.keys?.checkWhole();
				throw refuse(401001, 'The key this token was made with has been revoked.');
			}
			return { id, limits: entry };
		}
		return byDirectory(credentials, token, access.directory);
	};

	const byDirectory = async (
		credentials: Credentials,
		token: string,
		directory: AccessSettings['directory'],
	): Promise<TranslateCaller> => {
		if (!directory) throw unauthorized('This server accepts no tokens of a directory.');
		const keySet = await keySetOf(directory.issuer).catch((error: unknown) => {
			throw new AppError('upstream_failed', 'The keys of the directory cannot be fetched.', {
				cause: error,
				data: { translatorCode: 503000 },
			});
		});
		const payload = await verified(() =>
			jwtVerify(token, keySet, {
				issuer: directory.issuer,
				audience: directory.audience,
				currentDate: now(),
			}),
		);
		const roles = [payload['roles'], payload['role'], payload['scp']].flat().map(String);
		if (directory.role !== undefined && !roles.includes(directory.role))
			throw refuse(
				403000,
				`The operation is not allowed: the token lacks the role '${directory.role}'.`,
			);
		if (!credentials.customPath) {
			if (credentials.resourceId === undefined)
				throw unauthorized('On this path a directory token needs Ocp-Apim-ResourceId.');
			if (directory.resourceId !== undefined && credentials.resourceId !== directory.resourceId)
				throw unauthorized('Ocp-Apim-ResourceId names another resource.');
		}
		return { id: `directory:${payload.sub ?? ''}`, limits: {} };
	};

	const authenticate = async (credentials: Credentials): Promise<TranslateCaller> => {
		const { keys, access } = await store.read();
		if (access.virtualNetwork) return insideNetwork(credentials);
		if (credentials.isOwner) return { id: 'owner', limits: {} };
		if (credentials.key !== undefined) return byKey(credentials, credentials.key);
		if (credentials.bearer !== undefined) return byToken(credentials, credentials.bearer);
		if (credentials.personKey !== undefined) return callerWith(credentials.personKey);
		if (credentials.isMember) return { id: 'member', limits: {} };
		if (credentials.keyRequired || keys.length > 0 || hasTranslatorKeys())
			throw unauthorized('Send Ocp-Apim-Subscription-Key or Authorization: Bearer TOKEN.');
		return { id: 'anonymous', limits: {} };
	};

	const insideNetwork = async (credentials: Credentials): Promise<TranslateCaller> => {
		if (!credentials.customPath)
			throw refuse(
				403000,
				'The operation is not allowed: this server answers on its custom path /translator/text/v3.0 only.',
			);
		if (credentials.key === undefined)
			throw unauthorized(
				'Inside a virtual network a key and its region are needed; tokens are refused.',
			);
		if (regionOf(credentials) === undefined)
			throw unauthorized(
				'Inside a virtual network Ocp-Apim-Subscription-Region is needed as well.',
			);
		if (credentials.isOwner) return { id: 'owner', limits: {} };
		return byKey(credentials, credentials.key);
	};

	/** As soon as there is a key for translation, everybody needs one. */
	const hasTranslatorKeys = (): boolean =>
		deps.keys?.list().some(({ scopes }) => scopes.includes('translate')) === true;

	const issueToken = async (credentials: Credentials): Promise<string> => {
		if (credentials.key === undefined && !credentials.isOwner)
			throw unauthorized('Send Ocp-Apim-Subscription-Key to get a token.');
		const { access, tokenSecret } = await store.read();
		if (access.virtualNetwork)
			throw refuse(
				403000,
				'The operation is not allowed: tokens are refused inside a virtual network.',
			);
		const subject = credentials.isOwner
			? 'owner'
			: (await byKey(credentials, credentials.key ?? '')).id;
		const issuedAt = Math.floor(now().getTime() / 1000);
		return new SignJWT({})
			.setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
			.setIssuer(issuer)
			.setSubject(subject)
			.setIssuedAt(issuedAt)
			.setExpirationTime(issuedAt + tokenLifeS)
			.sign(Buffer.from(tokenSecret, 'base64url'));
	};

	return { authenticate, issueToken };
}

/** Some SDKs send the word "undefined" when no region was given. */
function regionOf({ region }: Credentials): string | undefined {
	return region === undefined || region === '' || region === 'undefined' ? undefined : region;
}

const sameRegion = (a: string, b: string): boolean =>
	a.toLowerCase().replaceAll(/\s/g, '') === b.toLowerCase().replaceAll(/\s/g, '');

async function verified(run: () => Promise<{ payload: JWTPayload }>): Promise<JWTPayload> {
	try {
		return (await run()).payload;
	} catch (error) {
		if (error instanceof errors.JWTExpired)
			throw refuse(401001, 'The request is not authorized because the token has expired.');
		if (error instanceof errors.JOSEError)
			throw refuse(401001, 'The request is not authorized because the token is not valid.');
		throw error;
	}
}

async function discoverKeySet(from: string): Promise<ReturnType<typeof createRemoteJWKSet>> {
	const base = from.endsWith('/') ? from : `${from}/`;
	const response = await retryingFetch(new URL('.well-known/openid-configuration', base));
	const document = (await response.json()) as { readonly jwks_uri?: unknown };
	if (!response.ok || typeof document.jwks_uri !== 'string')
		throw new Error(`No discovery document at ${base}`);
	return createRemoteJWKSet(new URL(document.jwks_uri), { [customFetch]: retryingFetch });
}
