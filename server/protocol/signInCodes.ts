/**
 * Codes of the sign-in layer that are no errors of the models behind it, and what each says to a person. The layer
 * answers with no other: a code that is missing here does not compile there.
 */

import type { ErrorCode } from './errors.ts';

/** English texts; the value is what is translated. */
export const signInCodes = {
	provider_denied: 'The sign-in provider did not let you in.',
	provider_rejected: 'The sign-in was not accepted. Sign in again.',
	provider_revoked: 'Your access was withdrawn at the sign-in provider.',
	provider_unreachable: 'The sign-in provider does not answer. Try again later.',
	provider_unsupported: 'This server does not offer that way to sign in.',
	provider_malformed: 'Something is missing that signing in needs.',
	access_denied: 'The sign-in was refused on the page.',
	expired_token: 'The code is unknown, used or older than ten minutes. Begin again.',
	authorization_pending: 'Nobody has approved yet. Ask again after the interval.',
	slow_down: 'Ask less often: five seconds were added to the interval.',
	unsupported_grant_type: 'The server does not know this way to ask for a session.',
	invalid_token: 'The session is no longer valid. Sign in again.',
	malformed_request: 'The server could not read the request.',
	cross_site_request: 'The request seems to come from another web page.',
	identity_missing: 'The identity of this session is incomplete. Sign out and in again.',
	closed_path: 'This is done on the server itself, not through its gateway.',
	https_required: 'Use an address that begins with https://.',
	wrong_host: 'The server does not answer under this name.',
	other_name: 'The server has another name.',
	loop_detected: 'The gateway leads to itself. Tell whoever runs it.',
	upstream_connect_timeout: 'The app behind the gateway could not be reached in time.',
	upstream_timeout: 'The app behind the gateway took too long.',
	upload_timeout: 'What was sent came too slowly.',
	server_ending: 'The server is being stopped. Try again in a moment.',
} as const;

/** What an answer of the sign-in layer may have as its code. */
export type SignInCode = ErrorCode | keyof typeof signInCodes;
