/** `GET /metrics` in Prometheus' text format. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { Gauge } from '../net/metrics.ts';
import { metrics } from '../protocol/routes/status.ts';
import { sharedGauges } from '../services/daemonMetrics.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';

export function registerMetricsRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, metrics, async ({ context }) => {
		const rows = await backend.host.stats();
		const gauges: Gauge[] = [
			{ name: 'nearglot_models_loaded', value: rows.length },
			{ name: 'nearglot_resident_bytes', value: process.memoryUsage.rss() },
			...sharedGauges(backend.shared),
		];
		for (const { model, stats } of rows) {
			const add = (name: string, value: number) =>
				gauges.push({ name: `nearglot_model_${name}`, labels: { model }, value });
			const { task } = stats;
			const addOfQueue = (name: string, value: number) =>
				gauges.push({ name: `nearglot_model_${name}`, labels: { model, task }, value });
			addOfQueue('running', stats.running);
			addOfQueue('waiting', stats.waiting);
			addOfQueue('admitted', stats.admittedTotal);
			addOfQueue('refused', stats.refusedTotal);
			addOfQueue('waited_seconds', stats.waitedMsTotal / 1000);
			add('open_sequences', stats.openSequences);
			add('cached_prefixes', stats.cachedPrefixes);
			add('kv_bytes', stats.kvBytes);
			add('kv_limit_bytes', stats.kvLimitBytes);
			add('resident_bytes', stats.residentBytes);
		}
		return context.body(backend.metrics.render(gauges), 200, {
			'content-type': 'text/plain; version=0.0.4; charset=utf-8',
		});
	});
}
