/** The identity headers an app behind the layer receives. */

import type { GatewaySettings } from '../config/gatewaySettings.ts';
import type { InjectedHeader } from '../proxy/rawHeaders.ts';
import { namedClaims, roleType } from './claims.ts';
import type { Claim, ProviderTokens } from './signedIn.ts';

/** Longest single header value; application servers refuse a head of 16 kB. */
const maxTokenBytes = 6000;
/** Of principal and tokens together. */
const maxAllBytes = 12_000;

export interface Principal {
	readonly provider: string;
	readonly name: string;
	readonly principalId: string;
	readonly claims: readonly Claim[];
	readonly tokens: ProviderTokens;
}

/**
 * Headers for a signed-in request.
 *
 * Names that are not printable ASCII are percent-encoded after `UTF-8''` (RFC 8187); the raw value
 * stands in the base64 JSON. Group claims are left out when the principal would be longer than the
 * setting, and a claim `groups_omitted` says so.
 */
export function principalHeaders(
	principal: Principal,
	settings: GatewaySettings,
): InjectedHeader[] {
	const base = `X-${settings.headers.vendor}`;
	const encoded = encodePrincipal(principal, settings.headers.maxPrincipalBytes);
	const lines: InjectedHeader[] = [
		[`${base}-CLIENT-PRINCIPAL`, encoded],
		[`${base}-CLIENT-PRINCIPAL-ID`, headerText(principal.principalId)],
		[`${base}-CLIENT-PRINCIPAL-NAME`, headerText(principal.name)],
		[`${base}-CLIENT-PRINCIPAL-IDP`, headerText(principal.provider)],
	];
	return [
		...lines,
		...tokenHeaders(
			principal,
			`${base}-TOKEN-${principal.provider.toUpperCase()}`,
			encoded.length,
			settings,
		),
	];
}

function tokenHeaders(
	principal: Principal,
	base: string,
	principalBytes: number,
	settings: GatewaySettings,
): InjectedHeader[] {
	const { tokens } = principal;
	const candidates: [string, string | undefined][] = [
		['EXPIRES-ON', tokens.expiresAt === undefined ? undefined : isoTime(tokens.expiresAt)],
		['ID-TOKEN', tokens.idToken],
		['ACCESS-TOKEN', tokens.accessToken],
		['ACCESS-TOKEN-SECRET', tokens.accessTokenSecret],
		['AUTHENTICATION-TOKEN', tokens.authenticationToken],
		['REFRESH-TOKEN', settings.headers.forwardRefreshTokens ? tokens.refreshToken : undefined],
	];
	let budget = maxAllBytes - principalBytes;
	const lines: InjectedHeader[] = [];
	for (const [name, value] of candidates) {
		if (value === undefined || value === '') continue;
		const text = headerText(value);
		// Better a missing token, which /.auth/me still gives, than an app that answers 431 to everything.
		if (text.length > maxTokenBytes || text.length > budget) continue;
		budget -= text.length;
		lines.push([`${base}-${name}`, text]);
	}
	return lines;
}

/** Claims that may be long and that an app can live without, first to go first. */
const removable = [/^groups$/, /^wids$/, /claims\/role$/, /./];

function encodePrincipal(principal: Principal, maxBytes: number): string {
	let claims = principal.claims;
	let text = encode(principal, claims);
	for (const pattern of removable) {
		if (text.length <= maxBytes) break;
		const kept = claims.filter((claim) => !pattern.test(claim.typ));
		claims = [...kept, { typ: 'groups_omitted', val: 'true' }];
		text = encode(principal, claims);
	}
	return text;
}

function encode(principal: Principal, given: readonly Claim[]): string {
	const { claims, nameType } = namedClaims(given, principal.name);
	const value = { auth_typ: principal.provider, claims, name_typ: nameType, role_typ: roleType };
	return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** A value that may stand in a header. */
function headerText(value: string): string {
	if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && value.length <= 8192) return value;
	return `UTF-8''${encodeURIComponent(Buffer.from(value.slice(0, 1000)).toString())}`;
}

/** Time with seven decimals, as the published interface writes it. */
export function isoTime(ms: number): string {
	return new Date(ms).toISOString().replace(/\.(\d{3})Z$/, '.$10000Z');
}
