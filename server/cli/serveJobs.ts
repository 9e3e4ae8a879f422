/** What `serve` is told about batches: where they lie, who has the queue, and how much of them is done at a time. */

import { resolve } from 'node:path';
import { isS3, type JobsOptions } from '../daemon/jobsBackend.ts';
import { s3PlaceOf } from '../jobs/s3Place.ts';
import { defined } from '../protocol/defined.ts';
import { decimal, type ParsedArgs } from './args.ts';
import { UsageError } from './command.ts';

/** @throws UsageError for what cannot be, and for what would leave batches undone */
export function jobsOptionsOf(options: ParsedArgs, env: NodeJS.ProcessEnv): JobsOptions {
	const [named, second] = options.texts('queue').filter(isAddress);
	const queue = named ?? (env['NEARGLOT_QUEUE'] || undefined);
	const store = options.text('store');
	const width = options.integer('work', 0, 64);
	if (second !== undefined) throw new UsageError('Name one queue of batches.');
	if (queue !== undefined && !/^rediss?:\/\/./.test(queue))
		throw new UsageError(
			'The queue of batches is the address of a Redis or Valkey: redis://host:port or rediss://host:port.',
		);
	if (named !== undefined && new URL(named).password !== '')
		throw new UsageError(
			'Others on this machine can read the command line: put an address with a password into NEARGLOT_QUEUE.',
		);
	if (queue !== undefined && store === undefined)
		throw new UsageError(
			'Machines that share a queue share a store, too: --store DIR or --store s3://bucket.',
		);
	if (width === 0 && queue === undefined)
		throw new UsageError(
			'With --work 0 nobody would do the batches: name a queue, which others work from.',
		);
	if (store !== undefined && isS3(store)) s3PlaceOf(store);
	const place = store === undefined || isS3(store) ? store : resolve(store);
	return defined({ store: place, queue, width });
}

/** `--queue` takes a number of requests that may wait, or the address of the queue of batches. */
const isAddress = (text: string): boolean => text.includes('://');

/** @throws UsageError for what is no number in its range */
export function maxWaitingOf(options: ParsedArgs): number | undefined {
	const [text, second] = options.texts('queue').filter((each) => !isAddress(each));
	if (text === undefined) return undefined;
	const value = decimal(text);
	if (second === undefined && Number.isInteger(value) && value >= 1 && value <= 1_000_000)
		return value;
	throw new UsageError(
		`--queue takes a whole number from 1 to 1000000, or the address of a Redis; not '${second ?? text}'.`,
	);
}
