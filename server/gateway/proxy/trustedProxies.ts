/** Which peers may say for whom they call, and what they say. An empty list trusts nobody. */

import { BlockList, isIP } from 'node:net';
import type { GatewaySettings } from '../config/settings.ts';
import { type RawHeaders, valuesOf } from './rawHeaders.ts';

export interface ForwardedFacts {
	readonly host: string | undefined;
	readonly proto: string | undefined;
	readonly clientIp: string;
}

export class TrustedProxies {
	readonly #networks = new BlockList();

	constructor(networks: readonly string[]) {
		for (const network of networks) {
			const [address, bits] = network.split('/');
			const family = isIP(address ?? '') === 6 ? 'ipv6' : 'ipv4';
			if (bits === undefined) this.#networks.addAddress(address!, family);
			else this.#networks.addSubnet(address!, Number(bits), family);
		}
	}

	has(address: string): boolean {
		const plain = plainAddress(address);
		const family = isIP(plain);
		return family !== 0 && this.#networks.check(plain, family === 6 ? 'ipv6' : 'ipv4');
	}

	/**
	 * What the nearest trusted hop said. Of repeated or comma-separated values only the last one was
	 * written by that hop; the client address is the last one that is not itself a trusted proxy.
	 */
	read(raw: RawHeaders, peer: string, settings: GatewaySettings): ForwardedFacts {
		const { convention, hostHeader, protoHeader } = settings.forwardProxy;
		const nobody = { host: undefined, proto: undefined, clientIp: plainAddress(peer) };
		if (!this.has(peer)) return nobody;
		const chain = listed(raw, 'x-forwarded-for').map(plainAddress);
		const clientIp = chain.findLast((address) => !this.has(address)) ?? chain[0] ?? nobody.clientIp;
		if (convention === 'NoProxy') return { ...nobody, clientIp };
		return {
			host: listed(raw, hostHeader).at(-1),
			proto: listed(raw, protoHeader).at(-1)?.toLowerCase(),
			clientIp,
		};
	}
}

function listed(raw: RawHeaders, name: string): string[] {
	return valuesOf(raw, name)
		.flatMap((value) => value.split(','))
		.map((value) => value.trim())
		.filter((value) => value !== '');
}

/** `::ffff:10.0.0.1` and `10.0.0.1` are one address. */
export function plainAddress(address: string): string {
	return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
