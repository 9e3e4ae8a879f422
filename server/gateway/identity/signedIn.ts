/** What a provider says about somebody who signed in. */

/** One statement about a person, in the shape of the principal header. */
export interface Claim {
	readonly typ: string;
	readonly val: string;
}

/** Tokens of the provider, kept encrypted. */
export interface ProviderTokens {
	readonly accessToken?: string;
	readonly idToken?: string;
	readonly refreshToken?: string;
	/** OAuth 1.0a. */
	readonly accessTokenSecret?: string;
	/** Consumer account platform. */
	readonly authenticationToken?: string;
	/** Unix ms at which the access token ends. */
	readonly expiresAt?: number;
}

export interface SignedIn {
	readonly provider: string;
	readonly issuer: string;
	/** Never changes for one person at one issuer. */
	readonly subject: string;
	/** Shown to people and sent as `-NAME`. */
	readonly name: string;
	/** Sent as `-ID`; the object id at the directory, else the subject. */
	readonly principalId: string;
	readonly claims: readonly Claim[];
	readonly tokens: ProviderTokens;
	/** `exp` of the id token, Unix ms. */
	readonly identityEndsAt?: number;
	/** Facts the allow list is checked on. */
	readonly policy: PolicyFacts;
}

export interface PolicyFacts {
	readonly groups: readonly string[];
	/** The provider left the groups out because there were too many. */
	readonly groupsOverage: boolean;
	/** Only an address the provider itself has verified. */
	readonly verifiedEmail: string | undefined;
	readonly ids: readonly string[];
	readonly application: string | undefined;
}
