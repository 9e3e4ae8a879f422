/** Who the claims of an OpenID Connect token name. */

import type { JWTPayload } from 'jose';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import { policyFacts, toClaims } from '../identity/claims.ts';
import type { ProviderTokens, SignedIn } from '../identity/signedIn.ts';

export function oidcPerson(
	settings: Pick<ProviderSettings, 'kind' | 'name' | 'nameClaimType'>,
	claims: JWTPayload,
	tokens: ProviderTokens,
): SignedIn {
	const text = (key: string) =>
		typeof claims[key] === 'string' && claims[key] !== '' ? claims[key] : undefined;
	const preferred = settings.nameClaimType === undefined ? undefined : text(settings.nameClaimType);
	// Only these vouch for an address without saying so in a claim.
	const emailIsVerified = settings.kind === 'microsoftaccount';
	return {
		provider: settings.name,
		issuer: claims.iss ?? '',
		subject: claims.sub ?? '',
		name:
			preferred ??
			text('email') ??
			text('preferred_username') ??
			text('upn') ??
			text('name') ??
			claims.sub ??
			'',
		principalId: (settings.kind === 'aad' ? text('oid') : undefined) ?? claims.sub ?? '',
		claims: toClaims(claims),
		tokens,
		...(claims.exp === undefined ? {} : { identityEndsAt: claims.exp * 1000 }),
		policy: policyFacts(claims, emailIsVerified),
	};
}
