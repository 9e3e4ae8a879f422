/** What the layer needs from a sign-in provider, whatever protocol it speaks. */

import type { ConfigFields } from '../config/configFields.ts';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import type { ProviderTokens, SignedIn } from '../identity/signedIn.ts';

/** How a provider failed: decides the status and the words people see. */
export type ProviderFailure =
	/** The person or the provider said no. */
	| 'denied'
	/** State, nonce, code or token are not right. */
	| 'rejected'
	/** The refresh token was revoked or has ended. */
	| 'revoked'
	/** The provider does not answer or fails itself. */
	| 'unreachable'
	/** This provider cannot do that. */
	| 'unsupported'
	/** The caller's body lacks something. */
	| 'malformed';

export class ProviderError extends Error {
	readonly failure: ProviderFailure;

	constructor(failure: ProviderFailure, message: string, cause?: unknown) {
		super(message, { cause });
		this.name = 'ProviderError';
		this.failure = failure;
	}
}

const refusals: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		access_denied:
			'You cancelled it there, or you may not use this app. Try again, or ask whoever runs this server to let you in.',
		account_selection_required: 'Choose an account there: try again.',
		consent_required:
			'The app needs a consent there that is missing. Ask whoever runs this server.',
		interaction_required:
			'Something has to be done there first: try again, and follow what it asks.',
		login_required: 'You are not signed in there: try again, and sign in.',
	}),
);

/**
 * What a person reads when a provider did not sign them in.
 * @param code why, in the provider's word (RFC 6749, section 4.1.2.1)
 */
export function refusedSignIn(label: string, code: string, cause?: unknown): ProviderError {
	const advice =
		refusals.get(code) ??
		'Ask whoever runs this server: the settings of the app there may be wrong.';
	return new ProviderError('denied', `${label} did not sign you in (${code}). ${advice}`, cause);
}

export interface BeginRequest {
	readonly redirectUri: string;
	readonly state: string;
	readonly nonce: string;
	readonly verifier: string;
	/** Query parameters of the login link that the provider may get. */
	readonly parameters: Readonly<Record<string, string>>;
}

export interface FinishRequest {
	/** Callback address with the query (or form) the provider sent. */
	readonly callback: URL;
	readonly state: string;
	readonly nonce: string;
	readonly verifier: string;
	readonly memo: string | undefined;
}

export interface RefreshedTokens {
	readonly tokens: ProviderTokens;
	/** What the new id token says, when there is one. */
	readonly person: SignedIn | undefined;
}

export interface Provider {
	readonly settings: ProviderSettings;
	/** The answer of the provider comes as a cross-site POST. */
	readonly formPost: boolean;
	/** Body fields of a client-directed sign-in; empty when there is none. */
	readonly clientFields: readonly string[];
	/** Address of the provider's login page, and what must be kept in the login cookie. */
	begin(request: BeginRequest, signal: AbortSignal): Promise<{ url: URL; memo?: string }>;
	finish(request: FinishRequest, signal: AbortSignal): Promise<SignedIn>;
	/** Checks tokens a client got by itself. */
	clientLogin(body: ConfigFields, signal: AbortSignal): Promise<SignedIn>;
	refresh(tokens: ProviderTokens): Promise<RefreshedTokens>;
	/** Ends the session at the provider: an address to send the browser to, or nothing. */
	signOut(
		tokens: ProviderTokens,
		returnTo: string,
		state: string,
		signal: AbortSignal,
	): Promise<URL | undefined>;
	/** Person named by a Bearer token, undefined when the token is none of this provider's. */
	bearer(token: string, signal: AbortSignal): Promise<SignedIn | undefined>;
}

export interface ProviderDeps {
	readonly fetch: typeof fetch;
	readonly now: () => number;
	/** Milliseconds of a clock that is never set. */
	readonly elapsed: () => number;
	readonly timeoutMs: number;
}
