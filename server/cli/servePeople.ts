/** What `serve` is told about limits of people, and what replicas share. */

import type { PeopleOptions } from '../daemon/peopleBackend.ts';
import { defined } from '../protocol/defined.ts';
import type { ParsedArgs } from './args.ts';
import { UsageError } from './command.ts';
import { parseLimits } from './keyOptions.ts';

/** @throws UsageError for limits that are none */
export function peopleOptionsOf(options: ParsedArgs): PeopleOptions {
	const written = options.text('person-limits');
	const people = written === undefined ? undefined : parseLimits('--person-limits', written);
	const retentionDays = options.integer('usage-days', 1, 36_500);
	return defined({ people, retentionDays });
}

/**
 * Address of the Redis that replicas share. `--limits` and NEARGLOT_LIMITS are what it was called before.
 * @throws UsageError for what is no address, has a password on the command line, or contradicts itself
 */
export function sharedUrlOf(options: ParsedArgs, env: NodeJS.ProcessEnv): string | undefined {
	const given = [
		['--redis', options.text('redis')],
		['--limits', options.text('limits')],
		['NEARGLOT_REDIS', env['NEARGLOT_REDIS'] || undefined],
		['NEARGLOT_LIMITS', env['NEARGLOT_LIMITS'] || undefined],
	] as const;
	const found = given.flatMap(([name, url]) => (url === undefined ? [] : [{ name, url }]));
	for (const { name, url } of found) {
		if (!/^rediss?:\/\/\S+$/.test(url) || !URL.canParse(url))
			throw new UsageError(
				`${name} takes the address of a Redis or Valkey: redis://[user:password@]host:port[/number], with % and @ in a password percent-encoded.`,
			);
		if (name.startsWith('--') && new URL(url).password !== '')
			throw new UsageError(
				'Others on this machine can read the command line: put an address with a password into NEARGLOT_REDIS.',
			);
	}
	const [first] = found;
	const other = found.find(({ url }) => url !== first?.url);
	if (first !== undefined && other !== undefined)
		throw new UsageError(
			`${first.name} and ${other.name} name different addresses. Replicas share one Redis: name it once, with --redis or NEARGLOT_REDIS.`,
		);
	return first?.url;
}
