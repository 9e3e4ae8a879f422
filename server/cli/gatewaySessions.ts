/** `nearglot gateway --sessions` and `--end-sessions`: who is signed in, and one person signed out, beside a running gateway. */

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewaySettings } from '../gateway/config/gatewaySettings.ts';
import { signPerson } from '../gateway/identity/signedPerson.ts';
import { type GatewayParts, openParts } from '../gateway/openParts.ts';
import { Upstream } from '../gateway/proxy/upstream.ts';
import { Sessions } from '../gateway/session/sessions.ts';
import { AppError, sentenceOf } from '../protocol/index.ts';
import { personHeader } from '../protocol/personHeaders.ts';
import { memberRole, roleHeader } from '../protocol/roleHeader.ts';
import { endWork as endWorkRoute } from '../protocol/routeAddresses.ts';
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

/**
 * Signs a person out everywhere; exit status 1 when there was nothing to end.
 * @param upstream address of the model server, where what goes on in the background for the person ends too
 */
export async function endSessions(
	settings: GatewaySettings,
	userId: string,
	{ upstream, json }: { readonly upstream: string | undefined; readonly json: boolean },
	io: CommandIo,
): Promise<number> {
	using app = upstream === undefined ? undefined : new Upstream(upstream);
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
	const work = app && (await endWork(app, settings, userId));
	if (app !== undefined && work !== undefined && ended > 0) {
		// Gateways that run may let a request in for this long.
		await sleep(cutMs, undefined, { signal: io.signal });
		const late = await endWork(app, settings, userId);
		work.responses += late.responses;
		work.batches += late.batches;
	}
	if (json) io.stdout.data(`${JSON.stringify({ person: userId, ended, ...work })}\n`);
	else {
		const count = (number: number, one: string, many: string) =>
			`${number} ${number === 1 ? one : many}`;
		io.stdout.write(
			ended === 0
				? `${userId} has no sessions.\n`
				: `Ended ${count(ended, 'session', 'sessions')} of ${userId}.\n`,
		);
		io.stdout.write(
			work === undefined
				? ''
				: `Cancelled at the model server: ${count(work.responses, 'response', 'responses')} in the background, ${count(work.batches, 'batch', 'batches')}.\n`,
		);
	}
	if (work === undefined)
		io.stderr.write(
			'What a model server does in the background for this person goes on; with --upstream URL it ends too.\n',
		);
	return ended + (work?.responses ?? 0) + (work?.batches ?? 0) === 0 ? 1 : 0;
}

/** Sessions that have ended are cut off at running gateways within this time. */
const cutMs = 2000;
/** How long the model server may take. */
const answerMs = 60_000;

/** Cancels what the model server does in the background for a person. @throws AppError `upstream_failed` */
async function endWork(
	app: Upstream,
	{ headers: { personSecret, upstreamSecret } }: GatewaySettings,
	userId: string,
): Promise<{ responses: number; batches: number }> {
	const headers = [
		...['Host', app.host, 'Content-Length', '0', roleHeader, memberRole],
		...(personSecret === undefined
			? []
			: [personHeader, signPerson(personSecret, userId, Date.now())]),
		...(upstreamSecret === undefined ? [] : [upstreamSecret.name, upstreamSecret.value]),
	];
	const request = app.open({
		method: endWorkRoute.method,
		target: endWorkRoute.path,
		headers,
		single: true,
	});
	const failed = (why: string, cause?: unknown) =>
		new AppError(
			'upstream_failed',
			`What the model server at ${app.origin} does in the background for this person goes on: ${why}. Their sessions have ended; run the command again for the rest.`,
			{ cause },
		);
	try {
		request.setTimeout(answerMs, () => request.destroy(new Error('it does not answer')));
		request.end();
		const [answer] = (await once(request, 'response')) as [IncomingMessage];
		const body = await text(answer);
		if (answer.statusCode === 404) throw failed('it is an older version, or no Nearglot');
		if (answer.statusCode !== 200)
			throw failed(`it answers ${answer.statusCode}: ${body.slice(0, 400)}`);
		return JSON.parse(body) as { responses: number; batches: number };
	} catch (error) {
		throw error instanceof AppError ? error : failed(sentenceOf(error), error);
	}
}
