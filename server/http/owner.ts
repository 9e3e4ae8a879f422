/** Whose caches a request may use and fill. */

import type { Context } from 'hono';
import type { Owned } from '../engine/api.ts';
import { conversationHeader } from '../protocol/conversationHeader.ts';
import type { InConversation } from '../services/chat/chatService.ts';
import type { Charged } from '../services/limits/account.ts';
import type { TranslateCaller } from '../services/translate/translateAccess.ts';
import type { AppEnv } from './env.ts';
import { requestedPriority } from './priority.ts';
import { anonymousPerson, personOf } from './requestPerson.ts';

/** Callers of the translate interface who have no key of their own there. */
const sharedCallers = new Set(['owner', 'member', 'anonymous']);

/** The person, or `undefined` where callers cannot be told apart: nothing is kept for those. */
export function ownerOf(context: Context<AppEnv>): string | undefined {
	const person = personOf(context);
	return person === anonymousPerson ? undefined : person;
}

/** As {@link ownerOf}, of a caller of the translate interface: people with keys of their own are people. */
export function translatorOwnerOf(
	context: Context<AppEnv>,
	caller: TranslateCaller,
): string | undefined {
	return sharedCallers.has(caller.id) ? ownerOf(context) : `${personOf(context)} ${caller.id}`;
}

/** Whether it gives way to people who wait. */
export interface Urgent {
	readonly priority: 'interactive' | 'batch';
}

/** A request with its owner and who pays for it; what a client wrote in the place of it is lost. */
export function owned<T extends object>(
	context: Context<AppEnv>,
	request: T,
): T & Owned & Charged & Urgent & InConversation {
	return {
		...request,
		owner: ownerOf(context),
		account: context.get('account'),
		priority: requestedPriority(context),
		conversation: context.req.header(conversationHeader),
	};
}
