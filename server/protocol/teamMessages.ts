/** What the language server and an editor tell each other of a team server. */

import type { AppError } from './errors.ts';
import type { ErrorWire } from './errorWire.ts';
import { translatableError } from './localisedErrors.ts';

/** Why a session has ended. */
export type EndReason = 'expired' | 'revoked';

/** Asked by the language server when its token was refused: {@link TeamRenewal} → {@link TeamRenewed}. */
export const teamRenewRequest = 'nearglot/team/renew';

export interface TeamRenewal {
	/** Empty: the language server does not know yet which server is in use. */
	readonly origin: string;
	/** The token the server refused; empty when there was none. */
	readonly token: string;
}

/** Server and token, no token when nobody is signed in, or why nothing can be said. */
export interface TeamRenewed {
	readonly origin?: string;
	readonly token?: string;
	/** Why there is no token. */
	readonly reason?: EndReason;
	readonly error?: ErrorWire;
}

/** The team server in use; without a token nobody is signed in there. */
export interface TeamAccess {
	readonly origin: string;
	readonly token?: string;
}

/** Whether the team's models can be asked. */
export interface TeamStatus {
	readonly origin: string;
	readonly state: 'ready' | 'signed-out' | 'unreachable';
	/** Why not, as a sentence. */
	readonly message?: string;
}

/** What the ids of a team's models begin with in lists and settings. */
export const teamPrefix = 'team:';

/** What can be done about an error of a team server. */
export type TeamTrouble = 'sign-in' | 'unreachable';

/** English texts of what goes wrong with a team server; the value is what is translated. */
export const teamStrings = {
	signedOut:
		'You are not signed in to {0}. Sign in again, then repeat what you asked; nothing you wrote is lost.',
	expired:
		'Your session at {0} has ended. Sign in again, then repeat what you asked; nothing you wrote is lost.',
	revoked:
		'Your access to {0} was withdrawn. Sign in again, then repeat what you asked; nothing you wrote is lost.',
	noTeam: 'No team server is set. Run “Nearglot: Sign In to Team Server”.',
	unreachable:
		'The team server {0} cannot be reached. Check the network, or use the models of this computer meanwhile.',
	wentAway:
		'The team server {0} went away in the middle of its answer. What arrived is kept; ask again, or use the models of this computer meanwhile.',
	notAnAddress: '{0} is not an address.',
	needsHttps: 'A team server needs an address that begins with https://.',
	noAnswer: '{0} cannot be reached. Check the address and the network, then try again.',
	noSession: 'The team server sent no session. Ask whoever runs it.',
	answered: 'The team server answered {0}. Ask whoever runs it.',
	noWay: 'This team server offers no way to sign in from an editor. Ask whoever runs it.',
	otherWindow: 'Another window is renewing this session and does not get on. Try again.',
} as const;

const endStrings = {
	'signed-out': teamStrings.signedOut,
	expired: teamStrings.expired,
	revoked: teamStrings.revoked,
} as const;

/** Nobody is signed in, or the session has ended. */
export function signInRequired(
	origin: string,
	reason: 'signed-out' | EndReason = 'signed-out',
): AppError {
	const { host } = new URL(origin);
	return translatableError('sign_in_required', endStrings[reason], [host], {
		data: { team: 'sign-in', origin },
	});
}

/** No answer from the team server. */
export function teamUnreachable(origin: string, cause: unknown): AppError {
	return translatableError('upstream_failed', teamStrings.unreachable, [new URL(origin).host], {
		cause,
		data: { team: 'unreachable', origin },
	});
}

/** An answer of the team server stopped before its end. */
export function teamWentAway(origin: string, cause?: unknown): AppError {
	return translatableError('upstream_failed', teamStrings.wentAway, [new URL(origin).host], {
		cause,
		data: { team: 'unreachable', origin },
	});
}

/** What kind of trouble an error is; `undefined` when it is none of a team server. */
export function teamTrouble({ data }: AppError): TeamTrouble | undefined {
	const trouble = data?.['team'];
	return trouble === 'sign-in' || trouble === 'unreachable' ? trouble : undefined;
}
