/** Who sent a request: what it shows, and where it comes from, made into one answer. */

import type { Context } from 'hono';
import { readPerson } from '../gateway/identity/signedPerson.ts';
import { AppError, memberRole, personHeader, roleHeader } from '../protocol/index.ts';
import {
	isKeyMeant,
	isKeyShaped,
	type PersonKey,
	personOfKey,
} from '../services/limits/keyStore.ts';
import type { CallerIdentity } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { keyProtocol } from './keyProtocol.ts';
import type { PeerUser } from './peerUser.ts';
import { anonymousPerson, localPerson } from './requestPerson.ts';

export interface CallerChecks {
	/** Whether a text is this server's key. */
	isKey(text: string): boolean;
	/** The key of somebody else that a text is; see `KeyStore`. @throws AppError `store_unavailable` */
	findKey(text: string): PersonKey | undefined;
	/** Whether it is the token of a studio page that still holds. */
	isStudio(text: string): boolean;
	/** Whether every caller has to show something. */
	readonly requireKey: boolean;
	/** Secrets with which a sign-in layer may sign whom it has let in. */
	gatewaySecrets(): Promise<readonly string[]>;
	/** Milliseconds since 1970. */
	now(): number;
	/** Whose program is at the other end of the connection. */
	peer(context: Context<AppEnv>): Promise<PeerUser>;
}

/**
 * Key the caller presented: `Authorization: Bearer`, `X-Api-Key`, `api-key`, or, as browsers can set no header of a
 * WebSocket, a subprotocol.
 */
function presentedKey(headers: { get(name: string): string | null | undefined }): string {
	const bearer = /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
	const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',');
	const subprotocol = protocols.find((name) => name.trim().startsWith(keyProtocol))?.trim();
	return (
		bearer ??
		headers.get('x-api-key') ??
		headers.get('api-key') ??
		subprotocol?.slice(keyProtocol.length) ??
		''
	);
}

/** Several words after `Bearer`, or a key without that word: broken on its way. */
const isBrokenBearer = (headers: { get(name: string): string | null | undefined }): boolean =>
	/^Bearer\s+\S+\s+\S|^(?!Bearer\s).*ngk_/i.test(headers.get('authorization') ?? '');

/**
 * The owner, a studio page or a member, by what the headers show; `undefined` when they show nothing that
 * holds. Through a sign-in layer no key makes an owner; what counts there is whom it signs.
 * @throws AppError as {@link identify}
 */
export async function shownIdentity(
	headers: Headers,
	checks: Omit<CallerChecks, 'peer'>,
): Promise<CallerIdentity | undefined> {
	if (throughLayer(headers))
		return headers.has(personHeader) ? layerIdentity(headers, checks) : undefined;
	const key = presentedKey(headers);
	if (key === '' && !isBrokenBearer(headers)) return undefined;
	if (checks.isKey(key)) return { caller: 'owner', person: localPerson };
	if (checks.isStudio(key)) return { caller: 'studio', person: localPerson };
	if (!isKeyMeant(key) && !isBrokenBearer(headers)) return undefined;
	const entry = isKeyShaped(key) ? checks.findKey(key) : undefined;
	if (entry === undefined)
		throw new AppError(
			'invalid_api_key',
			'This key is not known here: it is incomplete, was revoked, has expired or belongs to another server. Ask whoever gave it to you.',
		);
	return { caller: 'member', person: personOfKey(entry.id), key: entry };
}

/**
 * Who sent a request that shows neither key nor token of a page nor a signed person.
 * @throws AppError `invalid_request` for a role nobody knows, `forbidden` for a person whose signature does
 * not hold
 */
export async function identify(
	context: Context<AppEnv>,
	checks: CallerChecks,
): Promise<CallerIdentity> {
	const { headers } = context.req.raw;
	if (throughLayer(headers)) return layerIdentity(headers, checks);
	const stranger = (reason: string): CallerIdentity => ({
		caller: 'stranger',
		person: anonymousPerson,
		reason,
	});
	if (checks.requireKey)
		return stranger(
			presentedKey(headers) === ''
				? 'This server wants its key: send Authorization: Bearer KEY.'
				: 'The key is not the one of this server (it changes at each start unless NEARGLOT_KEY sets it).',
		);
	switch (await checks.peer(context)) {
		case 'same':
		case 'untold':
			return { caller: 'local', person: localPerson };
		case 'other':
			return stranger(
				'This request comes from another user of this computer, so it needs the key of the model server: send Authorization: Bearer KEY.',
			);
		case 'unknown':
			return stranger(
				'The system does not tell whose program sent this request, so it needs the key of the model server: send Authorization: Bearer KEY.',
			);
	}
}

/**
 * What sign-in layers alone set: either of our headers, or the identity headers of any vendor, which layers from
 * before the role had one. Each takes the rights of whatever key comes along.
 */
const throughLayer = (headers: Headers): boolean =>
	headers.has(roleHeader) ||
	headers.has(personHeader) ||
	[...headers.keys()].some((name) => /^x-[\w-]+-client-principal(?:$|-)/.test(name));

async function layerIdentity(
	headers: Headers,
	checks: Pick<CallerChecks, 'gatewaySecrets' | 'now'>,
): Promise<CallerIdentity> {
	const role = headers.get(roleHeader);
	if (role !== null && role !== memberRole)
		throw new AppError('invalid_request', `${roleHeader} is ${memberRole}, or not sent.`);
	const word = headers.get(personHeader);
	if (word === null) return { caller: 'anonymous', person: anonymousPerson };
	for (const secret of await checks.gatewaySecrets()) {
		const person = readPerson(secret, word, checks.now());
		if (person !== undefined) return { caller: 'member', person };
	}
	throw new AppError(
		'forbidden',
		'The sign-in layer’s word on who is signed in does not hold here. Give the gateway and the model server the same NEARGLOT_GATEWAY_SECRET, the same version, and clocks that agree to five minutes.',
	);
}
