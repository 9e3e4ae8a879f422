/** Keys of other people, limits and usage, for the owner's programs and pages. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { endWorkHere, forgetPersonHere } from '../daemon/personOrders.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import {
	createKey,
	deleteUsage,
	endWork,
	forgetPerson,
	listKeys,
	revokeKey,
	rotateKey,
	setPeopleLimits,
	showUsage,
} from '../protocol/routes/people.ts';
import type { PersonKey } from '../services/limits/keyStore.ts';
import { readDay, usageBetween } from '../services/limits/usageReport.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';
import { personOf } from './requestPerson.ts';

/** Longest time for ending what is under way for somebody. */
const endWorkMs = 60_000;

export function registerPeopleRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { people } = backend;
	const { keys } = people;
	const shown = (entry: PersonKey) => ({
		id: entry.id,
		name: entry.name,
		scopes: entry.scopes,
		limits: entry.limits,
		createdAt: new Date(entry.createdAt).toISOString(),
		...(entry.expiresAt === undefined
			? {}
			: { expiresAt: new Date(entry.expiresAt).toISOString() }),
		expired: keys.hasExpired(entry),
	});
	register(app, listKeys, ({ answer }) =>
		answer({
			keys: keys.list().map(shown),
			revoked: keys.revoked(),
			peopleLimits: people.limits,
			peopleLimitsFixed: people.areLimitsFixed,
		}),
	);
	register(app, createKey, ({ context, body: { name, scopes, expiresAt, ...limits }, answer }) => {
		const { key, entry } = keys.create({
			...{ name, scopes, limits },
			...defined({ expiresAt: expiresAt === undefined ? undefined : timeOf(expiresAt) }),
		});
		context.header('cache-control', 'no-store');
		return answer({ ...shown(entry), key });
	});
	register(app, revokeKey, ({ body, answer }) => answer(shown(keys.revoke(body.key))));
	register(app, rotateKey, ({ context, body, answer }) => {
		const { key, entry } = keys.rotate(body.key);
		context.header('cache-control', 'no-store');
		return answer({ ...shown(entry), key });
	});
	register(app, setPeopleLimits, ({ body, answer }) => {
		if (people.areLimitsFixed)
			throw new AppError(
				'conflict',
				'The limits of people were given to this server at its start (--person-limits). Change them there.',
			);
		keys.setPeopleLimits(body);
		return answer({ limits: people.limits });
	});
	register(app, showUsage, async ({ query, answer }) => {
		const { from, to, rows } = await usageBetween(people.book, {
			...defined({ from: readDay(query.from, 'from'), to: readDay(query.to, 'to') }),
			by: query.by ?? 'person',
		});
		const { isShared } = people.counts;
		return answer({ from, to, shared: isShared, kept: people.book.isKept, rows });
	});
	register(app, forgetPerson, async ({ context, body: { person }, answer }) => {
		await backend.shared?.order({ kind: 'forget', person });
		return answer(await forgetPersonHere(backend, person, context.req.raw.signal));
	});
	register(app, endWork, async ({ context, answer }) => {
		const person = personOf(context);
		// Nobody who ends their own work has to wait for replicas that cannot be reached.
		await backend.shared?.order({ kind: 'end', person }).catch(() => {});
		// Who has gone away meanwhile has signed out, and wants all of it ended.
		return answer(await endWorkHere(backend, person, AbortSignal.timeout(endWorkMs)));
	});
	register(app, deleteUsage, async ({ body, answer }) =>
		answer({ deleted: await people.forget(body.person) }),
	);
}

function timeOf(text: string): number {
	const time = Date.parse(text);
	if (Number.isFinite(time)) return time;
	throw new AppError('invalid_request', "'expiresAt' is a date such as 2027-01-31.", {
		param: 'expiresAt',
	});
}
