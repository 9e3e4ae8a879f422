/** A network as settings write it: an address, or an address and the length of its prefix. */

import { isIP } from 'node:net';

export interface Network {
	readonly address: string;
	readonly family: 'ipv4' | 'ipv6';
	/** Bits that count; all of them for a single address. */
	readonly prefix: number;
}

/** Reads `10.0.0.0/8`, `fd00::/8` or `192.168.1.1`; undefined for everything else. */
export function parseNetwork(text: string): Network | undefined {
	const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? [];
	const version = isIP(address);
	if (version === 0) return undefined;
	const width = version === 4 ? 32 : 128;
	const prefix = bits === undefined ? width : Number(bits);
	return prefix > width ? undefined : { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix };
}
