/** The parts of the daemon that know people: keys, limits, usage. */

import { join } from 'node:path';
import { sentenceOf } from '../protocol/index.ts';
import type { UsageLimits } from '../protocol/limitTypes.ts';
import { type ForwardClock, forwardClock } from '../services/limits/forwardClock.ts';
import { KeyStore } from '../services/limits/keyStore.ts';
import { type LimitCounts, LocalCounts } from '../services/limits/limitCounts.ts';
import { People } from '../services/limits/payingPeople.ts';
import { openRedisUsage } from '../services/limits/redisUsage.ts';
import { SharedCounts } from '../services/limits/replicaCounts.ts';
import { UsageBook } from '../services/limits/usageBook.ts';
import { UsageFileStore } from '../services/limits/usageDatabase.ts';
import type { Logger } from '../services/logger.ts';
import type { RedisLink } from '../services/shared/redisLink.ts';
import { redisCounts } from '../services/shared/sharedCounts.ts';

/** Where they lie in the user's data folder. */
export const peopleFiles = (dataDir: string) => ({
	keys: join(dataDir, 'keys.db'),
	usage: join(dataDir, 'usage.db'),
});

/** Of a daemon, which answers others meanwhile, and of a command, which does nothing else. */
export const busyMs = { daemon: 40, command: 5000 } as const;

/** Days after which usage is forgotten, unless the server was told otherwise. */
export const usualRetentionDays = 400;

export interface PeopleSettings {
	readonly dataDir: string;
	readonly limits?: PeopleOptions | undefined;
}

/** What a server was told at its start. */
export interface PeopleOptions {
	/** UsageLimits of everybody whom a sign-in layer names, in place of those in the key store. */
	readonly people?: UsageLimits;
	readonly retentionDays?: number;
}

/**
 * @param onRefused told which limit has refused a request: `tokens_per_day`
 * @param link what replicas share: they count together
 */
export function createPeople(
	{ dataDir, limits = {} }: PeopleSettings,
	log: Logger,
	onRefused: (limit: string) => void,
	link?: RedisLink,
): People {
	const files = peopleFiles(dataDir);
	const clock = forwardClock(Date.now);
	const file = new UsageFileStore(files.usage, busyMs.daemon);
	try {
		const seenMs = file.seenMs();
		const aheadMs = seenMs === undefined ? 0 : seenMs - clock.now();
		if (aheadMs > 3_600_000)
			log.warn('the clock is behind the time noted earlier, which counts for keys and limits', {
				hours: Math.round(aheadMs / 3_600_000),
			});
		if (seenMs !== undefined) clock.note(seenMs);
	} catch (error) {
		log.warn('usage cannot be read; it is counted from now on', { reason: sentenceOf(error) });
	}
	const retentionDays = limits.retentionDays ?? usualRetentionDays;
	const book = new UsageBook({
		...{ store: link === undefined ? file : openRedisUsage(link, retentionDays), file, clock, log },
		retentionDays,
	});
	const counts = link === undefined ? new LocalCounts(clock, book) : countsOf(link, clock, log);
	return new People({
		...{ counts, book, peopleLimits: limits.people },
		onRefused,
		keys: new KeyStore(files.keys, clock, busyMs.daemon),
	});
}

function countsOf(link: RedisLink, clock: ForwardClock, log: Logger): LimitCounts {
	const counts = new SharedCounts(redisCounts(link), clock, (failure) => {
		if (failure === undefined) log.warn('replicas count limits together again');
		else
			log.warn('the store of limits is away: this replica counts alone, work goes on', {
				reason: failure,
			});
	});
	link.onBack(() => void counts.rejoin().catch(() => {}));
	return counts;
}
