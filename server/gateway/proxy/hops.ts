/** Ends requests that come back: an upstream that leads to this layer would otherwise be asked without end. */

import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { ListenAddress } from '../config/publicUrl.ts';
import type { Problem } from './problem.ts';
import { type InjectedHeader, type RawHeaders, valuesOf } from './rawHeaders.ts';

/** Not Via: web servers stop compressing for requests that carry it. */
export const hopHeader = 'nearglot-gateway-hop';

export class Hops {
	/** Known to those a request of ours has passed only. */
	readonly #mark = randomBytes(9).toString('base64url');

	/** What is answered to a request that was here before. */
	problem(headers: RawHeaders): Problem | undefined {
		if (!this.#passed(headers).includes(this.#mark)) return undefined;
		return {
			status: 508,
			code: 'loop_detected',
			detail:
				'The request came back to the sign-in layer: its --upstream leads to itself. Start it with the address of the app.',
		};
	}

	/** The line that tells the layer its own requests, behind those of layers before it. */
	line(headers: RawHeaders): InjectedHeader {
		return [hopHeader, [...this.#passed(headers), this.#mark].join(', ')];
	}

	#passed(headers: RawHeaders): string[] {
		return valuesOf(headers, hopHeader)
			.flatMap((value) => value.split(','))
			.map((mark) => mark.trim())
			.filter((mark) => mark !== '');
	}
}

/** Whether an address is the one that is listened on, as far as can be told without asking the network. */
export function leadsBack(
	upstream: { readonly hostname: string; readonly port: number },
	listen: ListenAddress,
	boundPort: number,
): boolean {
	if (upstream.port !== boundPort) return false;
	const host = plain(upstream.hostname);
	const own = plain(listen.host);
	if (host === own || host === '0.0.0.0' || host === '::') return true;
	const isLoopback = (name: string) =>
		name === 'localhost' || name === '::1' || /^127\./.test(name);
	if (own !== '0.0.0.0' && own !== '::')
		// Of the loopback addresses only those of one name are one.
		return isLoopback(host) && isLoopback(own) && !(isIP(host) && isIP(own));
	const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
	return isLoopback(host) || addresses.some(({ address }) => address === host);
}

/** Without the brackets and the zone of an address. */
function plain(host: string): string {
	const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
	const [address = ''] = bare.toLowerCase().split('%', 1);
	return address;
}
