/** What the gateway counts. */

import { createMetrics, type Metrics } from '../../net/metrics.ts';

/** Time to the first byte of the app. */
export const upstreamSeconds = 'nearglot_gateway_upstream_seconds';

/** Upper bounds of the latency buckets, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const help: Readonly<Record<string, string>> = {
	nearglot_gateway_requests_total: 'Requests by outcome and status class.',
	nearglot_gateway_logins_total: 'Sign-ins by provider, flow and result.',
	nearglot_gateway_refreshes_total: 'Refreshes by result.',
	nearglot_gateway_provider_calls_total: 'Calls to sign-in providers to refresh tokens.',
	nearglot_gateway_store_errors_total:
		'Requests answered 503 because the store could not be reached.',
	nearglot_gateway_identity_missing_total:
		'Signed-in requests stopped because identity headers were missing. Must stay 0.',
	nearglot_gateway_rate_limited_total: 'Requests answered 429.',
	nearglot_gateway_open_streams: 'Exchanges and upgraded connections open now.',
	[upstreamSeconds]: 'Time to the first byte of the app.',
};

/** What the gateway may count. */
export const gatewayMetricNames: readonly string[] = Object.keys(help);

export function gatewayMetrics(): Metrics {
	const zeros = [
		'nearglot_gateway_identity_missing_total',
		'nearglot_gateway_rate_limited_total',
		'nearglot_gateway_store_errors_total',
	];
	return createMetrics({ help, buckets, shown: [upstreamSeconds], zeros });
}
