/** What the language server and an editor tell each other of a team server. */

import { AppError } from './errors.ts';
import type { ErrorWire } from './errorWire.ts';

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

/** Nobody is signed in, or the session has ended. */
export function signInRequired(
	origin: string,
	reason: 'signed-out' | EndReason = 'signed-out',
): AppError {
	const { host } = new URL(origin);
	const what = {
		'signed-out': `You are not signed in to ${host}.`,
		expired: `Your session at ${host} has ended.`,
		revoked: `Your access to ${host} was withdrawn.`,
	}[reason];
	return new AppError(
		'sign_in_required',
		`${what} Sign in again, then repeat what you asked; nothing you wrote is lost.`,
		{ data: { team: 'sign-in', origin } },
	);
}

/** No answer from the team server. */
export function teamUnreachable(origin: string, cause: unknown): AppError {
	return new AppError(
		'upstream_failed',
		`The team server ${new URL(origin).host} cannot be reached. Check the network, or use the models of this computer meanwhile.`,
		{ cause, data: { team: 'unreachable', origin } },
	);
}

/** An answer of the team server stopped before its end. */
export function teamWentAway(origin: string, cause?: unknown): AppError {
	return new AppError(
		'upstream_failed',
		`The team server ${new URL(origin).host} went away in the middle of its answer. What arrived is kept; ask again, or use the models of this computer meanwhile.`,
		{ cause, data: { team: 'unreachable', origin } },
	);
}

/** What kind of trouble an error is; `undefined` when it is none of a team server. */
export function teamTrouble({ data }: AppError): TeamTrouble | undefined {
	const trouble = data?.['team'];
	return trouble === 'sign-in' || trouble === 'unreachable' ? trouble : undefined;
}
