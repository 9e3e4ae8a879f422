/** The allow list: who may use the app after proving who they are. */

import type { AllowedPrincipals } from '../config/gatewaySettings.ts';
import type { PolicyFacts } from './signedIn.ts';

/** Undefined when allowed, else one sentence that says why not. */
export function refusedBy(allowed: AllowedPrincipals, facts: PolicyFacts): string | undefined {
	if (
		allowed.applications.length > 0 &&
		facts.application !== undefined &&
		!allowed.applications.includes(facts.application)
	) {
		return 'The calling application is not on the list of allowed applications.';
	}
	if (allowed.groups.length === 0 && allowed.identities.length === 0) return undefined;
	if (facts.ids.some((id) => allowed.identities.includes(id))) return undefined;
	if (emailAllowed(facts.verifiedEmail, allowed.identities)) return undefined;
	if (facts.groups.some((group) => allowed.groups.includes(group))) return undefined;
	// A list that was left out is no membership: deny rather than guess.
	if (facts.groupsOverage && allowed.groups.length > 0) {
		return 'The provider left the group list out because it is too long, so membership cannot be checked. Ask for a filtered group claim.';
	}
	return 'This account is not on the list of people allowed here.';
}

/**
 * Compares addresses. Only plain ASCII ones with a single @ count, so neither look-alike letters nor
 * `a@evil.example@corp.example` match; the domain is compared without case.
 */
function emailAllowed(email: string | undefined, identities: readonly string[]): boolean {
	const plain = normalEmail(email ?? '');
	return plain !== undefined && identities.some((identity) => normalEmail(identity) === plain);
}

function normalEmail(text: string): string | undefined {
	const match = /^([!-?A-~]+)@([A-Za-z0-9.-]+)$/.exec(text);
	return match ? `${match[1]}@${match[2]!.toLowerCase()}` : undefined;
}
