/** `nearglot gateway --sessions` and `--end-sessions`: who is signed in, and one person signed out, beside a running gateway. */

import { existsSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { GatewaySettings } from '../gateway/config/gatewaySettings.ts';
import { type GatewayParts, openParts } from '../gateway/openParts.ts';
import { Sessions } from '../gateway/session/sessions.ts';
import { AppError } from '../protocol/errors.ts';
import { type CommandIo, UsageError } from './command.ts';
import { table } from './textTable.ts';

/**
 * The id that sessions have for a person.
 *
 * @throws UsageError for what is none
 */
export function userIdOf(person: string): string {
	const id = /^(?:sid:|person:)?([0-9a-f]{32})$/.exec(person)?.[1];
	if (id === undefined)
		throw new UsageError(
			`'${person}' is no person of a gateway: write sid:ID as "nearglot gateway --sessions" shows it, or person:ID of "nearglot usage".`,
		);
	return `sid:${id}`;
}

/** Opens keys, audit log and store as a start does, of a gateway that has run already. */
function openThere(settings: GatewaySettings): Promise<GatewayParts> {
	const { store } = settings;
	if (store.kind === 'sqlite' && !existsSync(store.path))
		throw new AppError(
			'invalid_request',
			store.path === ':memory:'
				? 'These settings keep sessions in the memory of the gateway alone (x-gateway.store): a restart ends them all.'
				: `There is no session store at ${store.path} (x-gateway.store): no gateway has run with these settings here.`,
		);
	return openParts(settings, {
		now: Date.now,
		log: new Writable({ write: (_chunk, _encoding, done) => done() }),
	});
}

interface Person {
	readonly person: string;
	readonly name: string;
	readonly provider: string;
	sessions: number;
	/** Unix ms. */
	lastSignIn: number;
	endsAt: number;
}

/** Prints everybody who has a session, the latest sign-in first. */
export async function listSessions(
	settings: GatewaySettings,
	json: boolean,
	io: CommandIo,
): Promise<number> {
	await using parts = await openThere(settings);
	const people = new Map<string, Person>();
	const sessions = new Sessions(parts.store, parts.keys.ring, settings.login, Date.now);
	for await (const { userId, name, provider, createdAt, expiresAt } of sessions.all()) {
		if (sessions.isExpired({ expiresAt })) continue;
		const known = people.get(userId);
		if (known === undefined) {
			const times = { lastSignIn: createdAt, endsAt: expiresAt };
			people.set(userId, { person: userId, name, provider, sessions: 1, ...times });
			continue;
		}
		known.sessions++;
		known.lastSignIn = Math.max(known.lastSignIn, createdAt);
		known.endsAt = Math.max(known.endsAt, expiresAt);
	}
	const rows = [...people.values()].sort((a, b) => b.lastSignIn - a.lastSignIn);
	const timed = rows.map((row) => ({
		...row,
		lastSignIn: new Date(row.lastSignIn).toISOString(),
		endsAt: new Date(row.endsAt).toISOString(),
	}));
	if (json) io.stdout.data(`${JSON.stringify(timed)}\n`);
	else if (timed.length === 0) io.stdout.write('Nobody is signed in.\n');
	else
		io.stdout.write(
			`${table([
				['PERSON', 'PROVIDER', 'SESSIONS', 'LAST SIGN-IN', 'UNTIL', 'NAME'],
				...timed.map((row) => [
					row.person,
					row.provider,
					String(row.sessions),
					row.lastSignIn,
					row.endsAt,
					row.name,
				]),
			])}\n`,
		);
	return 0;
}

/** Signs a person out everywhere; exit status 1 when there was nothing to end. */
export async function endSessions(
	settings: GatewaySettings,
	userId: string,
	json: boolean,
	io: CommandIo,
): Promise<number> {
	await using parts = await openThere(settings);
	const sessions = new Sessions(parts.store, parts.keys.ring, settings.login, Date.now);
	const ended = await sessions.endAllOf(userId);
	if (ended > 0)
		parts.audit.write({
			event: 'sessions_ended',
			userId,
			count: ended,
			reason: 'nearglot gateway --end-sessions',
		});
	if (json) io.stdout.data(`${JSON.stringify({ person: userId, ended })}\n`);
	else
		io.stdout.write(
			ended === 0
				? `${userId} has no sessions.\n`
				: `Ended ${ended} ${ended === 1 ? 'session' : 'sessions'} of ${userId}.\n`,
		);
	return ended === 0 ? 1 : 0;
}
