/** Which replica gets a request: as balancers choose. */

import type { Replica } from './replica.ts';

export const policyNames = ['round robin', 'least connections', 'bounded hash'] as const;
export type PolicyName = (typeof policyNames)[number];

export type Policy = (conversation: number) => Replica | undefined;

/** Places of each replica on the ring; HAProxy has 256 for a server of weight 16. Of very many replicas less will do. */
const placesOf = (replicas: number): number => (replicas > 1000 ? 32 : 256);
/** Up to so many open requests for each replica nothing is spread: `txn.usual` of deploy/haproxy.cfg. */
const usual = 4;
/** `hash-balance-factor 150`: how much more than the mean a replica may have beyond that. */
const factor = 1.5;

const takes = (replica: Replica | undefined): replica is Replica =>
	replica?.isUp === true && !replica.isDraining;

/** Mixes a whole number to 32 bits. */
export function hashOf(value: number): number {
	let mixed = Math.imul(value ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
	mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
	return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * @param salt another ring for another number
 * @param openOf what is open of all, so that it need not be counted each time
 */
export function policyOf(
	name: PolicyName,
	replicas: readonly Replica[],
	salt: number,
	openOf: () => number,
): Policy {
	if (name === 'round robin') {
		let next = 0;
		return () => {
			for (let tries = 0; tries < replicas.length; tries++) {
				const replica = replicas[next++ % replicas.length];
				if (takes(replica)) return replica;
			}
			return undefined;
		};
	}
	if (name === 'least connections')
		return () => {
			let found: Replica | undefined;
			for (const replica of replicas)
				if (takes(replica) && (found === undefined || replica.open < found.open)) found = replica;
			return found;
		};
	const ring = replicas
		.flatMap((replica, at) =>
			Array.from({ length: placesOf(replicas.length) }, (_, place) => ({
				...{ replica, index: at },
				at: hashOf(hashOf(at + 1) + place * 7919 + salt),
			})),
		)
		.sort((left, right) => left.at - right.at);
	return (conversation) => {
		const up = replicas.length > 200 ? replicas.length : replicas.filter(takes).length;
		const slots = Math.ceil(factor * (openOf() + 1)) / Math.max(1, up);
		// As HAProxy shares them out: whole ones, those that are left to some of the servers, and one at least.
		const max = (at: number) =>
			openOf() <= usual * up
				? Number.POSITIVE_INFINITY
				: Math.max(1, Math.floor(slots * (at + 1)) - Math.floor(slots * at));
		const wanted = hashOf(conversation * 31 + salt + 17);
		let [low, high] = [0, ring.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((ring[middle]?.at ?? 0) < wanted) low = middle + 1;
			else high = middle;
		}
		for (let step = 0; step < ring.length; step++) {
			const { replica, index = 0 } = ring[(low + step) % ring.length] ?? {};
			if (takes(replica) && replica.open < max(index)) return replica;
		}
		return replicas.find(takes);
	};
}
