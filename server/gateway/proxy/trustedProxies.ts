/**
 * For whom the peer calls. Every proxy adds the address it was called from at the end of
 * `X-Forwarded-For`, so only as many of the last values count as there are proxies of one's own; what is
 * before them can be forged.
 */

import { BlockList, isIP } from 'node:net';
import type { GatewaySettings } from '../config/gatewaySettings.ts';
import { parseNetwork } from '../config/network.ts';
import { type RawHeaders, valuesOf } from './rawHeaders.ts';

export interface ForwardedFacts {
	readonly host: string | undefined;
	readonly proto: string | undefined;
	/** Always an address, in one spelling. */
	readonly clientIp: string;
	/** The client and the proxies it came through, the peer last: what the app may be told. */
	readonly chain: readonly string[];
}

export class TrustedProxies {
	readonly #hops: number;
	readonly #peers = new BlockList();
	readonly #anyPeer: boolean;

	/**
	 * @param hops How many proxies stand in front; 0 trusts nobody.
	 * @param peers Networks the nearest of them calls from; undefined: any.
	 */
	constructor(hops: number, peers: readonly string[] | undefined) {
		this.#hops = hops;
		this.#anyPeer = peers === undefined;
		for (const text of peers ?? []) {
			const network = parseNetwork(text);
			// Parsed settings hold none that cannot be read; such a one stands for nobody.
			if (network) this.#peers.addSubnet(network.address, network.prefix, network.family);
		}
	}

	/** Whether a peer may say for whom it calls. */
	has(peer: string): boolean {
		const address = addressOf(peer);
		if (this.#hops === 0 || address === undefined) return false;
		return this.#anyPeer || this.#peers.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
	}

	/** What the proxies said. The nearest one writes host and scheme: of several values its is the last. */
	read(raw: RawHeaders, peer: string, settings: GatewaySettings): ForwardedFacts {
		const { convention, hostHeader, protoHeader } = settings.forwardProxy;
		const own = addressOf(peer) ?? 'unknown';
		if (!this.has(peer)) {
			return { host: undefined, proto: undefined, clientIp: own, chain: [own] };
		}
		const said = listed(raw, 'x-forwarded-for').slice(-this.#hops).map(addressOf);
		// A value that is no address says nothing, and neither do those before it.
		const known = said.slice(said.lastIndexOf(undefined) + 1) as string[];
		const chain = [...known, own];
		const believed = convention !== 'NoProxy';
		return {
			host: believed ? listed(raw, hostHeader).at(-1) : undefined,
			proto: believed ? listed(raw, protoHeader).at(-1)?.toLowerCase() : undefined,
			clientIp: chain[0]!,
			chain,
		};
	}
}

function listed(raw: RawHeaders, name: string): string[] {
	return valuesOf(raw, name)
		.flatMap((value) => value.split(','))
		.map((value) => value.trim())
		.filter((value) => value !== '');
}

/**
 * The address in a value, in one spelling: `203.0.113.7:4711`, `[2001:DB8::1]:443`, `::ffff:10.0.0.1`.
 * Undefined for everything else (`unknown`, `_hidden`, names).
 */
function addressOf(value: string): string | undefined {
	const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(value)?.[1];
	const withPort = /^([\d.]+):\d{1,5}$/.exec(value)?.[1];
	// The zone (`fe80::1%eth0`) is a name of this machine's own.
	const address = (bracketed ?? withPort ?? value).replace(/%[\w.-]+$/, '');
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
	if (bracketed !== undefined && isIP(address) !== 6) return undefined;
	if (isIP(mapped) !== 6) return isIP(mapped) === 4 ? mapped : undefined;
	return new URL(`http://[${mapped}]/`).hostname.slice(1, -1);
}
