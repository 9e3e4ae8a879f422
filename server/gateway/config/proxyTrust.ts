/** Which proxies in front of the layer may say for whom they call. */

import { isIP } from 'node:net';
import { type Fields, listOf, numberOf } from './fields.ts';
import type { Problems } from './problems.ts';
import type { GatewaySettings } from './settings.ts';

/** Earlier versions had the networks alone, and believed every address of theirs in the header. */
export function parseTrust(
	own: Fields,
	problems: Problems,
): Pick<GatewaySettings['forwardProxy'], 'trustedHops' | 'trustedPeers'> {
	const listed = Object.hasOwn(own, 'trustedProxies');
	const trustedPeers = listed ? listOf(own, 'trustedProxies') : undefined;
	for (const network of trustedPeers ?? []) checkNetwork(network, problems);
	if (Object.hasOwn(own, 'trustedHops') || !trustedPeers?.length)
		return { trustedHops: numberOf(own, 'trustedHops', 0), trustedPeers };
	problems.warn(
		'x-gateway.trustedProxies',
		'says from where a proxy calls, not how many there are, so one is assumed: write their number into x-gateway.trustedHops.',
	);
	return { trustedHops: 1, trustedPeers };
}

function checkNetwork(network: string, problems: Problems): void {
	const [address, bits] = network.split('/');
	const family = isIP(address ?? '');
	const width = bits === undefined ? 0 : Number(bits);
	if (family === 0 || !Number.isInteger(width) || width < 0 || width > (family === 4 ? 32 : 128)) {
		problems.error(
			'x-gateway.trustedProxies',
			`'${network}' must be an address or a network such as 10.0.0.0/8.`,
		);
	}
}
