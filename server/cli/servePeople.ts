/** What `serve` is told about limits of people and who counts them. */

import type { PeopleOptions } from '../daemon/peopleBackend.ts';
import { defined } from '../protocol/defined.ts';
import type { ParsedArgs } from './args.ts';
import { UsageError } from './command.ts';
import { parseLimits } from './keyOptions.ts';

/** @throws UsageError for limits that are none, and for an address that is none */
export function peopleOptionsOf(options: ParsedArgs, env: NodeJS.ProcessEnv): PeopleOptions {
	const written = options.text('person-limits');
	const people = written === undefined ? undefined : parseLimits('--person-limits', written);
	const retentionDays = options.integer('usage-days', 1, 36_500);
	const shared = options.text('limits') ?? env['NEARGLOT_LIMITS'];
	if (shared && !/^rediss?:\/\/\S+$/.test(shared))
		throw new UsageError(
			'--limits takes the address of a Redis or Valkey: redis://[user:password@]host:port[/number].',
		);
	if (options.text('limits') !== undefined && shared && new URL(shared).password !== '')
		throw new UsageError(
			'Others on this machine can read the command line: put an address with a password into NEARGLOT_LIMITS.',
		);
	return defined({ people, retentionDays, shared: shared || undefined });
}
