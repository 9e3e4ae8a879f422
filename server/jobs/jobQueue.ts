/** Which shard is whose turn: a small port. What it forgets is put into it again from the store. */

import type { ShardRef } from './jobTypes.ts';
import type { ShardWait } from './shardWaits.ts';

export interface ShardLease extends ShardRef {
	/** Holds until the lease runs out, or somebody else has the shard. */
	readonly token: string;
	/** How often the shard was leased and not given back, this time included. */
	readonly tries: number;
}

/**
 * Shards come in the order of their turns, which begin at the one that is served now: a batch that is put in later waits
 * for nobody's whole batch, and batches that keep coming hold up none that is there. One that was left out for a while
 * (see `except`) goes on from where all are: its first shard comes at once, and what it has missed after the rest of it.
 * All calls reject with `store_unavailable` when the queue cannot be reached.
 */
export interface JobQueue extends AsyncDisposable {
	/** Grows whenever it may have lost what it held. */
	readonly losses: number;
	/**
	 * Those that are in it already stay as they are. Costs little when all are.
	 * @param stride turns from one of them to the next, from 1: as many as its person has batches under way, so that
	 * many of one person get a few times the share of a single one, not as many times as they are
	 */
	add(shards: readonly ShardRef[], stride: number): Promise<void>;
	/**
	 * The next shard, for so long; `undefined` when none waits. Leases that have run out wait again.
	 * @param except batches of which none is wanted; whatever they have in the queue is neither walked through nor held
	 * back from others
	 */
	lease(leaseMs: number, except?: ReadonlySet<string>): Promise<ShardLease | undefined>;
	/** Holds the lease for so long from now. False: it is lost. */
	renew(lease: ShardLease, leaseMs: number): Promise<boolean>;
	/** Takes a shard out. False: the lease is lost, and it is somebody else's. */
	complete(lease: ShardLease): Promise<boolean>;
	/** Lets it wait again, for somebody else, and does not count it as a try. */
	giveBack(lease: ShardLease, delayMs?: number): Promise<void>;
	/** Takes all shards of a batch out. */
	remove(batch: string): Promise<void>;
	/** Shards of a batch that are in it, as far as it knows without a look at each. */
	count(batch: string): Promise<number>;
	/** Of a queue that other machines have, too. */
	readonly workers?: QueueWorkers;
}

/** What the machines of a queue tell each other: a server that does no work itself says how it stands all the same. */
export interface QueueWorkers {
	/** Somebody works from the queue, for so long from now. */
	announce(forMs: number): Promise<void>;
	/** Whether somebody does. */
	isAny(): Promise<boolean>;
	/**
	 * Tells what this machine's shards of a batch wait for.
	 * @param wait `none` while they get on; absent: it has none any more
	 */
	report(batch: string, wait: ShardWait | 'none' | undefined, forMs: number): Promise<void>;
	/** What all wait for that have told of a batch; `undefined` while something of it gets on, or nobody has told. */
	waitOf(batch: string): Promise<ShardWait | undefined>;
}
