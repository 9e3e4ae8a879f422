/** What `serve` is told about batches: where they lie, and how much of them is done at a time. */

import { resolve } from 'node:path';
import type { JobsOptions } from '../daemon/jobsBackend.ts';
import { defined } from '../protocol/defined.ts';
import type { ParsedArgs } from './args.ts';

/** @throws UsageError for a number that is out of range */
export function jobsOptionsOf(options: ParsedArgs): JobsOptions {
	const store = options.text('store');
	const width = options.integer('work', 1, 64);
	return defined({ store: store === undefined ? undefined : resolve(store), width });
}
