/** Which proxies in front of the layer may say for whom they call. */

import type { Problems } from './configProblems.ts';
import type { GatewaySettings } from './gatewaySettings.ts';
import { parseNetwork } from './network.ts';
import type { OwnSettings } from './schema.ts';

/** Earlier versions had the networks alone, and believed every address of theirs in the header. */
export function parseTrust(
	{ trustedHops, trustedProxies: trustedPeers }: OwnSettings,
	problems: Problems,
): Pick<GatewaySettings['forwardProxy'], 'trustedHops' | 'trustedPeers'> {
	for (const network of trustedPeers ?? []) {
		if (parseNetwork(network) === undefined)
			problems.error(
				'x-gateway.trustedProxies',
				`'${network}' must be an address or a network such as 10.0.0.0/8.`,
			);
	}
	if (trustedHops !== undefined || !trustedPeers?.length)
		return { trustedHops: trustedHops ?? 0, trustedPeers };
	problems.warn(
		'x-gateway.trustedProxies',
		'says from where a proxy calls, not how many there are, so one is assumed: write their number into x-gateway.trustedHops.',
	);
	return { trustedHops: 1, trustedPeers };
}
