/** Claims of a token as the list apps read from the principal header. */

import type { Claim, PolicyFacts } from './signedIn.ts';

const identity = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const directory = 'http://schemas.microsoft.com/identity/claims';

/** Long names under which apps of this interface look for the common claims. */
const longNames: Readonly<Record<string, string>> = {
	sub: `${identity}/nameidentifier`,
	email: `${identity}/emailaddress`,
	given_name: `${identity}/givenname`,
	family_name: `${identity}/surname`,
	upn: `${identity}/upn`,
	oid: `${directory}/objectidentifier`,
	tid: `${directory}/tenantid`,
	scp: `${directory}/scope`,
	idp: `${directory}/identityprovider`,
	amr: 'http://schemas.microsoft.com/claims/authnmethodsreferences',
	auth_time: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/authenticationinstant',
	roles: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/role',
};

/** Type of the claim that is added where none has the name. */
const nameType = `${identity}/name`;
/** Types that are looked at first for the name, in the order in which sign-ins choose it. */
const namingTypes = [longNames['email']!, 'preferred_username', longNames['upn']!, 'name'];
/** `role_typ` of the principal. */
export const roleType = longNames['roles']!;

/** Claims that carry secrets or only serve the protocol. */
const hidden = new Set(['nonce', 'at_hash', 'c_hash', 's_hash', 'rt_hash', 'uti', 'rh', 'aio']);

/** Flattens claims: lists become several entries, objects JSON. */
export function toClaims(values: Readonly<Record<string, unknown>>): Claim[] {
	const claims: Claim[] = [];
	for (const [key, value] of Object.entries(values)) {
		if (hidden.has(key) || value === null || value === undefined) continue;
		const typ = Object.hasOwn(longNames, key) ? longNames[key]! : key;
		for (const item of Array.isArray(value) ? value : [value]) {
			claims.push({ typ, val: typeof item === 'string' ? item : JSON.stringify(item) });
		}
	}
	return claims;
}

/**
 * The claims with the type of the one that gave the name, `name_typ` of the principal, so that a parser
 * that looks there finds it. Where no claim has the name, one is added.
 */
export function namedClaims(
	claims: readonly Claim[],
	name: string,
): { readonly claims: readonly Claim[]; readonly nameType: string } {
	// The parser takes the first claim of the type.
	const first = new Map<string, string>();
	for (const { typ, val } of claims) if (!first.has(typ)) first.set(typ, val);
	const types = [...namingTypes, ...first.keys()];
	const found = types.find((typ) => first.get(typ) === name);
	if (found !== undefined) return { claims, nameType: found };
	const others = claims.filter(({ typ }) => typ !== nameType);
	return { claims: [...others, { typ: nameType, val: name }], nameType };
}

/** Reads what the allow list needs; unverified addresses do not count. */
export function policyFacts(
	values: Readonly<Record<string, unknown>>,
	emailIsVerified: boolean,
): PolicyFacts {
	const names = values['_claim_names'];
	const email = typeof values['email'] === 'string' ? values['email'] : undefined;
	const verified = values['email_verified'] === true || values['email_verified'] === 'true';
	const counts = values['email_verified'] === undefined ? emailIsVerified : verified;
	const application = values['azp'] ?? values['appid'];
	return {
		groups: strings(values['groups']),
		groupsOverage:
			values['hasgroups'] !== undefined ||
			(typeof names === 'object' && names !== null && Object.hasOwn(names, 'groups')),
		verifiedEmail: counts ? email : undefined,
		ids: [values['oid'], values['sub']].filter((id) => typeof id === 'string'),
		application: typeof application === 'string' ? application : undefined,
	};
}

function strings(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
