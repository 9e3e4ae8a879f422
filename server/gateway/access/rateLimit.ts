/** Counts events per address in a sliding minute. Kept in memory: with several copies each one counts. */

import { isIPv6 } from 'node:net';
import { LruMap } from '../../protocol/lruMap.ts';

const windowMs = 60_000;
const maxKeys = 50_000;

interface Bucket {
	start: number;
	previous: number;
	current: number;
}

export class RateLimit {
	readonly #buckets = new LruMap<string, Bucket>(maxKeys);
	readonly #perMinute: number;
	readonly #elapsed: () => number;

	/** @param elapsed milliseconds of a clock that is never set */
	constructor(perMinute: number, elapsed: () => number) {
		this.#perMinute = perMinute;
		this.#elapsed = elapsed;
	}

	/** Seconds to wait, or 0 when the caller may go on. */
	waitS(address: string): number {
		const bucket = this.#roll(callerOf(address));
		if (!bucket) return 0;
		const age = this.#elapsed() - bucket.start;
		const rate = bucket.current + bucket.previous * (1 - age / windowMs);
		return rate >= this.#perMinute ? Math.max(1, Math.ceil((windowMs - age) / 1000)) : 0;
	}

	add(address: string): void {
		const key = callerOf(address);
		const bucket = this.#roll(key) ?? { start: this.#elapsed(), previous: 0, current: 0 };
		bucket.current++;
		this.#buckets.set(key, bucket);
	}

	#roll(key: string): Bucket | undefined {
		const bucket = this.#buckets.get(key);
		if (!bucket) return undefined;
		const elapsed = this.#elapsed() - bucket.start;
		if (elapsed >= 2 * windowMs) {
			this.#buckets.delete(key);
			return undefined;
		}
		if (elapsed >= windowMs) {
			bucket.previous = bucket.current;
			bucket.current = 0;
			bucket.start += windowMs;
		}
		return bucket;
	}
}

/** Whom an address stands for: of IPv6 one customer has a whole /64, so that is what counts. */
function callerOf(address: string): string {
	if (!isIPv6(address)) return address;
	const [head = '', tail] = address.split('::');
	const groups = head === '' ? [] : head.split(':');
	const after = tail === undefined || tail === '' ? 0 : tail.split(':').length;
	const zeros = tail === undefined ? 0 : 8 - groups.length - after;
	const all = [...groups, ...Array<string>(zeros).fill('0'), ...(tail?.split(':') ?? [])];
	return `${all.slice(0, 4).join(':')}::/64`;
}
