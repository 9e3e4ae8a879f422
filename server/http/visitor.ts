/** Whom a page is made for: it shows who is signed in, and keeps what it keeps for that person alone. */

import type { Context } from 'hono';
import { defined } from '../protocol/defined.ts';
import { signOutHeader } from '../protocol/index.ts';
import type { CallerRole } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { localPerson, personOf } from './requestPerson.ts';

export interface Visitor {
	readonly caller: CallerRole;
	/** Opaque; without a sign-in layer a browser's user is one person, with the key or without. */
	readonly person: string;
	/** What the sign-in layer calls who is signed in, and where it signs them out. To be shown, not believed. */
	readonly name?: string;
	readonly signOut?: string;
}

export function visitorOf(context: Context<AppEnv>): Visitor {
	const caller = context.get('caller');
	if (caller === 'anonymous') return { caller, person: personOf(context) };
	if (caller !== 'member') return { caller, person: localPerson };
	const name = principalName(context.req.raw.headers);
	const signOut = context.req.header(signOutHeader);
	return {
		caller,
		person: personOf(context),
		...defined({ name, signOut }),
	};
}

/** The name among the identity headers of whatever vendor: as it is, or after `UTF-8''` percent-encoded. */
function principalName(headers: Headers): string | undefined {
	const [, value] =
		[...headers].find(([name]) => /^x-[\w-]+-client-principal-name$/.test(name)) ?? [];
	const encoded = /^UTF-8''(.*)$/.exec(value ?? '')?.[1];
	if (encoded === undefined) return value;
	try {
		return decodeURIComponent(encoded);
	} catch {
		return value;
	}
}
