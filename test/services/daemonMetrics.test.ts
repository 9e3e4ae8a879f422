/** What daemon and gateway count is written in one way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatewayMetrics } from '../../server/gateway/observe/gatewayMetrics.ts';
import { daemonMetrics } from '../../server/services/daemonMetrics.ts';

test('daemon and gateway write counters, gauges and histograms alike', () => {
	for (const [metrics, counter] of [
		[daemonMetrics(), 'nearglot_model_loads_total'],
		[gatewayMetrics(), 'nearglot_gateway_refreshes_total'],
	] as const) {
		metrics.count(counter, { result: 'a "b" \\ c' });
		metrics.count(counter, { result: 'a "b" \\ c' }, 2);
		const text = metrics.render([{ name: 'open', value: 4 }]);
		assert.match(text, new RegExp(`# HELP ${counter} .+\n# TYPE ${counter} counter\n`));
		assert.ok(text.includes(`${counter}{result="a \\"b\\" \\\\ c"} 3\n`), text);
		assert.ok(text.endsWith('# TYPE open gauge\nopen 4\n'));
		assert.equal(metrics.value(counter, { result: 'a "b" \\ c' }), 3);
	}
});

test('the times of the app are there from the first minute, and fall into their buckets', () => {
	const metrics = gatewayMetrics();
	const name = 'nearglot_gateway_upstream_seconds';
	assert.match(metrics.render(), new RegExp(`${name}_count 0\n`));
	metrics.observe(name, 0.004);
	const text = metrics.render();
	assert.match(text, new RegExp(`${name}_bucket{le="0.0025"} 0\n${name}_bucket{le="0.005"} 1\n`));
	assert.match(text, new RegExp(`${name}_bucket{le="\\+Inf"} 1\n${name}_sum 0.004\n`));
});
