/** Debian's Prometheus scrapes the second port of two servers, as a cluster's would. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gatewayMetricNames, gatewayMetrics } from '../../server/gateway/observe/gatewayMetrics.ts';
import { listenOps, opsMetricNames } from '../../server/http/opsServer.ts';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const skip =
	spawnSync('prometheus', ['--version']).status === 0
		? false
		: 'Prometheus is not installed (Debian package prometheus)';

const rules = fileURLToPath(new URL('../../deploy/prometheus-rules.yaml', import.meta.url));

test('the alerts are such that Prometheus takes, of numbers that there are, and fire when they should', {
	skip,
}, () => {
	const checked = spawnSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' });
	assert.equal(checked.status, 0, checked.stderr);
	const [known, asked] = [
		new Set([...opsMetricNames, ...gatewayMetricNames]),
		readFileSync(rules, 'utf8'),
	];
	for (const [name] of asked.matchAll(/\bnearglot_\w+/g)) assert.ok(known.has(name), name);
	const series = (name: string, values: string) => ({ series: `${name}{instance="a"}`, values });
	const file = join(temporaryFolder('alerts'), 'test.json');
	const names = [
		...['NotReady', 'RequestsWait', 'SharedStoreAway', 'ReplicaGone', 'NoneReady'],
		...['GatewayFails', 'GatewayStoreAway', 'IdentityMissing'],
	];
	const gateway = (name: string, values: string, labels = '') => ({
		series: `nearglot_gateway_${name}{instance="g"${labels}}`,
		values,
	});
	/** Numbers of a server in trouble from the twentieth minute on. */
	const from20 = (well: number, badly: number) => `${well}x19 ${badly}x40`;
	// An alert on the first one needs the 0 before it.
	for (const name of ['store_errors_total', 'identity_missing_total'])
		assert.match(gatewayMetrics().render(), new RegExp(`^nearglot_gateway_${name} 0$`, 'm'));
	writeFileSync(
		file,
		JSON.stringify({
			rule_files: [rules],
			tests: [
				{
					interval: '1m',
					input_series: [
						series('nearglot_ready', from20(1, 0)),
						series('nearglot_requests_waiting', from20(4, 5)),
						series('nearglot_shared_store_up', from20(1, 0)),
						{ series: 'up{job="nearglot",instance="a"}', values: from20(1, 0) },
						gateway('requests_total', '0+100x60', ',outcome="forwarded",status="2xx"'),
						gateway('requests_total', '0+1x19 20+20x40', ',outcome="forwarded",status="5xx"'),
						gateway('store_errors_total', '0x19 1+1x40'),
						gateway('identity_missing_total', '0x19 1x40'),
					],
					promql_expr_test: names.flatMap((name) =>
						['19m', '50m'].map((time) => ({
							expr: `count(ALERTS{alertname="Nearglot${name}",alertstate="firing"})`,
							eval_time: time,
							exp_samples: time === '50m' ? [{ labels: '{}', value: 1 }] : [],
						})),
					),
				},
				{
					interval: '1m',
					// One of two teams has a server that is ready, and the pods of the other are gone.
					input_series: [
						{ series: 'nearglot_ready{namespace="a",instance="a"}', values: '1x60' },
						{ series: 'nearglot_ready{namespace="b",instance="b"}', values: '1x19 0x40' },
						{ series: 'nearglot_requests_waiting{namespace="a",instance="a"}', values: '0x60' },
						{ series: 'nearglot_requests_waiting{namespace="b",instance="b"}', values: '8x60' },
					],
					promql_expr_test: ['NoneReady', 'RequestsWait'].map((name) => ({
						expr: `count by (namespace) (ALERTS{alertname="Nearglot${name}",alertstate="firing"})`,
						eval_time: '50m',
						exp_samples: [{ labels: '{namespace="b"}', value: 1 }],
					})),
				},
				{
					interval: '1m',
					// Nothing is scraped any more.
					input_series: [{ series: 'nearglot_ready{instance="a"}', values: '1x19 stale' }],
					promql_expr_test: ['19m', '40m'].map((time) => ({
						expr: 'count(ALERTS{alertname="NearglotNoneReady",alertstate="firing"})',
						eval_time: time,
						exp_samples: time === '40m' ? [{ labels: '{}', value: 1 }] : [],
					})),
				},
			],
		}),
	);
	const tested = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
	assert.equal(tested.status, 0, tested.stdout + tested.stderr);
});

test('Prometheus reads the totals of two servers, and the query that KEDA asks has an answer', {
	skip,
}, async () => {
	const servers = await Promise.all([0, 1].map(() => startTestServer({ fakeRunner: true })));
	const ops = await Promise.all(
		servers.map(({ backend }) => listenOps(backend, { port: 0, host: '127.0.0.1', names: 'vllm' })),
	);
	const folder = temporaryFolder('prometheus');
	const config = join(folder, 'prometheus.yml');
	const targets = ops.map(({ url }) => new URL(url).host);
	writeFileSync(
		config,
		JSON.stringify({
			global: { scrape_interval: '1s' },
			rule_files: [rules],
			scrape_configs: [{ job_name: 'nearglot', static_configs: [{ targets }] }],
		}),
	);
	const port = await freePort();
	const child = spawn(
		'prometheus',
		[
			`--config.file=${config}`,
			`--storage.tsdb.path=${join(folder, 'data')}`,
			`--web.listen-address=127.0.0.1:${port}`,
		],
		{ stdio: 'ignore' },
	);
	type Row = { readonly metric: { readonly instance?: string }; readonly value: [number, string] };
	const ask = async (query: string): Promise<Row[]> => {
		const address = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
		const response = await fetch(address).catch(() => undefined);
		if (response?.ok !== true) return [];
		return ((await response.json()) as { data: { result: Row[] } }).data.result;
	};
	try {
		await until('both are scraped', async () => {
			const up = await ask('up{job="nearglot"} == 1');
			return up.length === 2;
		});
		for (const name of [
			'nearglot_requests_waiting',
			'nearglot_requests_running',
			'nearglot_kv_cache_usage_ratio',
			'nearglot_models_loaded',
			'nearglot_resident_bytes',
			'nearglot_ready',
			'vllm:num_requests_waiting',
			'vllm:num_requests_running',
			'vllm:kv_cache_usage_perc',
		])
			assert.deepEqual(
				(await ask(name)).map(({ metric }) => metric.instance).sort(),
				[...targets].sort(),
				name,
			);
		assert.deepEqual(
			(await ask('sum(nearglot_ready)')).map(({ value }) => value[1]),
			['2'],
		);
		assert.equal((await ask('sum(nearglot_requests_waiting)')).length, 1);
		servers[1]?.backend.ending.begin();
		await until('one that ends is seen to', async () => {
			const [row] = await ask('sum(nearglot_ready)');
			return row?.value[1] === '1';
		});
	} finally {
		child.kill('SIGKILL');
		await Promise.all(ops.map((one) => one.close()));
		await Promise.all(servers.map((one) => one.close()));
	}
});
