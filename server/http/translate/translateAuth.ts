/** Reads the credentials of a request to the translate interface. */

import type { Context } from 'hono';
import { defined } from '../../protocol/defined.ts';
import { isKeyShaped } from '../../services/limits/keyStore.ts';
import type { Credentials } from '../../services/translate/translateAccess.ts';
import type { CallerRole } from '../callerRoles.ts';
import type { AppEnv } from '../env.ts';

/** Whether the daemon's own key counts in the forms of the translate interface: not through a sign-in layer. */
export const isDirect = (caller: CallerRole): boolean =>
	caller === 'local' || caller === 'stranger';

/** What the request shows of its caller. */
export function readCredentials(context: Context<AppEnv>): Credentials {
	const query = new URL(context.req.url).searchParams;
	const parameter = (name: string): string | undefined => {
		for (const [key, value] of query) if (key.toLowerCase() === name) return value;
		return undefined;
	};
	const key = context.req.header('ocp-apim-subscription-key') ?? parameter('subscription-key');
	const region =
		context.req.header('ocp-apim-subscription-region') ?? parameter('subscription-region');
	const ownKey = context.get('ownKey');
	const caller = context.get('caller');
	const shown = /^Bearer\s+(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
	// The daemon's key and those that people were given are no tokens of the translate interface.
	const isKey = shown !== undefined && (ownKey(shown) || isKeyShaped(shown));
	const bearer = isKey ? undefined : shown;
	const resourceId = context.req.header('ocp-apim-resourceid');
	return {
		...(key === undefined || key === '' ? {} : { key }),
		...defined({ region, bearer, resourceId, personKey: context.get('personKey') }),
		customPath: context.req.path.includes('/translator/text/'),
		isOwner:
			caller === 'owner' ||
			caller === 'studio' ||
			(isDirect(caller) && key !== undefined && ownKey(key)),
		isMember: caller === 'member',
		keyRequired: context.get('keyRequired'),
	};
}
