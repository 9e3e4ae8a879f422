/** What the daemon counts. */

import { createMetrics, type Gauge, type Metrics } from '../net/metrics.ts';

export const sharedStoreHelp =
	'Whether the Redis that replicas share answers; only where one is named.';

const help: Readonly<Record<string, string>> = {
	nearglot_requests_total: 'Requests by route, status and model.',
	nearglot_overloaded_total: 'Requests that were refused because too much waits.',
	nearglot_limit_refusals_total:
		'Requests that were refused because a person has used up a limit, by limit.',
	nearglot_request_seconds: 'Seconds from request to end of answer.',
	nearglot_first_token_seconds: 'Seconds from request to the first token.',
	nearglot_prompt_tokens_total: 'Tokens of prompts.',
	nearglot_cached_tokens_total: 'Tokens of prompts that came from the prefix cache.',
	nearglot_generated_tokens_total: 'Tokens generated.',
	nearglot_model_loads_total: 'Loads of models.',
	nearglot_model_running: 'Requests being answered.',
	nearglot_model_waiting: 'Requests waiting for their turn.',
	nearglot_model_admitted: 'Requests that had their turn since the model was loaded.',
	nearglot_model_refused: 'Requests refused since then because too many waited.',
	nearglot_model_waited_seconds: 'How long the admitted requests waited, altogether.',
	nearglot_model_open_sequences: 'Sequences that hold cache cells.',
	nearglot_model_cached_prefixes: 'Finished requests whose caches are kept for the next ones.',
	nearglot_model_kv_bytes: 'Bytes of the key-value caches, running and kept.',
	nearglot_model_kv_limit_bytes: 'Bytes the key-value caches may take; 0 where none are kept.',
	nearglot_model_resident_bytes: 'Resident memory of the runner.',
	nearglot_models_loaded: 'Models in memory.',
	nearglot_resident_bytes: 'Resident memory of the daemon.',
	nearglot_shared_store_up: sharedStoreHelp,
	nearglot_loop_held_seconds:
		'Seconds of its own computing for which the daemon answered nobody, from 0.01 on.',
};

/** Every name that `/metrics` has; a histogram’s comes with `_bucket`, `_sum` and `_count`. */
export const daemonMetricNames: ReadonlySet<string> = new Set(Object.keys(help));

const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export function daemonMetrics(): Metrics {
	return createMetrics({ help, buckets, zeros: ['nearglot_overloaded_total'] });
}

/** How it stands with the store that replicas share, if there is one. */
export const sharedGauges = (shared: { readonly isThere: boolean } | undefined): Gauge[] =>
	shared === undefined ? [] : [{ name: 'nearglot_shared_store_up', value: Number(shared.isThere) }];
