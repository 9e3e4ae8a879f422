/** Which proxies in front of the layer may say for whom they call. */

import { type Fields, listOf, numberOf } from './fields.ts';
import { parseNetwork } from './network.ts';
import type { Problems } from './problems.ts';
import type { GatewaySettings } from './settings.ts';

/** Earlier versions had the networks alone, and believed every address of theirs in the header. */
export function parseTrust(
	own: Fields,
	problems: Problems,
): Pick<GatewaySettings['forwardProxy'], 'trustedHops' | 'trustedPeers'> {
	const listed = Object.hasOwn(own, 'trustedProxies');
	const trustedPeers = listed ? listOf(own, 'trustedProxies') : undefined;
	for (const network of trustedPeers ?? []) {
		if (parseNetwork(network) === undefined)
			problems.error(
				'x-gateway.trustedProxies',
				`'${network}' must be an address or a network such as 10.0.0.0/8.`,
			);
	}
	if (Object.hasOwn(own, 'trustedHops') || !trustedPeers?.length)
		return { trustedHops: numberOf(own, 'trustedHops', 0), trustedPeers };
	problems.warn(
		'x-gateway.trustedProxies',
		'says from where a proxy calls, not how many there are, so one is assumed: write their number into x-gateway.trustedHops.',
	);
	return { trustedHops: 1, trustedPeers };
}
