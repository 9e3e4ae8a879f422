/** What hangs together in the objects of the chart: who may come to which port, and what asks whom. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { inference, renderChart } from '../../scripts/helmChart.mjs';
import { chartVariants, type Json, list, objects, record } from '../support/manifests.ts';

const read = (name: string) =>
	readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');

test('a value that is not there leaves no gap', async () => {
	for (const [what, values] of chartVariants) {
		const rendered = await renderChart(values);
		assert.doesNotMatch(rendered, /no value|<nil>|undefined|%!/, what);
	}
});

/** A policy for a part, as what may come to each of its ports: `undefined` stands for anybody. */
function openPorts(rendered: readonly Json[], part: string): ReadonlyMap<unknown, unknown> {
	const policy = rendered.find(
		({ kind, metadata }) =>
			kind === 'NetworkPolicy' && record(metadata)['name'] === `nearglot-${part}`,
	);
	assert.ok(policy, part);
	const spec = record(policy['spec']);
	assert.deepEqual(record(spec['podSelector'])['matchLabels'], { app: 'nearglot', part });
	return new Map(
		list(spec['ingress']).flatMap(({ ports, from }) =>
			list(ports).map((each) => [each['port'], from] as const),
		),
	);
}

test('people reach the gateway through their proxy alone, and its word on addresses is the only one', async () => {
	const of = async (values: object) => {
		const rendered = objects(await renderChart(values));
		const map = rendered.find(({ data }) => 'auth.json' in record(data));
		const file = JSON.parse(String(record(map?.['data'])['auth.json'])) as Json;
		return {
			ports: openPorts(rendered, 'gateway'),
			trusted: record(file['x-gateway'])['trustedProxies'],
		};
	};
	const controller = {
		namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } },
	};
	const usual = await of({});
	assert.deepEqual(
		[...usual.ports],
		[
			[8000, [controller]],
			[9090, undefined],
		],
	);
	assert.equal(usual.trusted, undefined);
	const networks = await of({ gateway: { trustedProxies: ['10.0.0.0/8'] } });
	assert.deepEqual(networks.ports.get(8000), [controller, { ipBlock: { cidr: '10.0.0.0/8' } }]);
	assert.deepEqual(networks.trusted, ['10.0.0.0/8']);
	const open = await of({ gateway: { ingressNamespace: '' } });
	assert.equal(open.ports.get(8000), undefined);
	for (const [values, from] of [
		[{}, [{ podSelector: { matchLabels: { app: 'nearglot', part: 'gateway' } } }]],
		[{ balancer: { forPrograms: true } }, undefined],
	] as const)
		assert.deepEqual(
			[...openPorts(objects(await renderChart(values)), 'balancer')],
			[
				[8080, from],
				[8081, undefined],
			],
		);
});

test('requests with keys leave the balancer for replicas alone', async () => {
	const rendered = objects(await renderChart());
	const policy = rendered.find(
		({ kind, metadata }) =>
			kind === 'NetworkPolicy' && record(metadata)['name'] === 'nearglot-balancer',
	);
	const spec = record(policy?.['spec']);
	assert.deepEqual(spec['policyTypes'], ['Ingress', 'Egress']);
	const replicas = [{ podSelector: { matchLabels: { app: 'nearglot', part: 'replicas' } } }];
	assert.deepEqual(
		list(spec['egress']).flatMap(({ ports, to }) => list(ports).map(({ port }) => [port, to])),
		[
			[8080, replicas],
			[9090, replicas],
			[53, undefined],
			[53, undefined],
		],
	);
});

test('the gateway can be scraped on its second port', async () => {
	const rendered = objects(await renderChart());
	const map = rendered.find(({ data }) => 'auth.json' in record(data));
	const file = JSON.parse(String(record(map?.['data'])['auth.json'])) as Json;
	const { adminHost, adminPort } = record(file['x-gateway']);
	assert.equal(adminHost, '0.0.0.0');
	const gateway = rendered.find(
		({ kind, metadata }) =>
			kind === 'Deployment' && record(metadata)['name'] === 'nearglot-gateway',
	);
	const template = record(record(gateway?.['spec'])['template']);
	const notes = record(record(template['metadata'])['annotations']);
	assert.equal(notes['prometheus.io/port'], String(adminPort));
	const [container] = list(record(template['spec'])['containers']);
	assert.ok(list(container?.['ports']).some((each) => each['containerPort'] === adminPort));
});

test('the gateway asks what is there: the balancer, the pool, or the replicas that are ready', async () => {
	for (const [values, address] of [
		[{}, 'http://nearglot-balancer:8080'],
		[{ balancer: { enabled: false }, batches: { unused: true } }, 'http://nearglot-ready:8080'],
		[inference, 'http://inference-gateway:80'],
	] as const) {
		const rendered = objects(await renderChart(values));
		const args = rendered
			.map(({ spec }) => record(record(record(spec)['template'])['spec']))
			.flatMap(({ containers }) => list(containers))
			.flatMap((container) => (container['args'] ?? []) as string[]);
		assert.ok(args.includes(`--upstream=${address}`), address);
		// What comes without a key, such as /health, comes under that name.
		const { hostname } = new URL(address);
		assert.ok(args.includes(`--allow-host=${hostname}`), hostname);
		const service = rendered.find(
			({ kind, metadata }) => kind === 'Service' && record(metadata)['name'] === hostname,
		);
		if (hostname === 'inference-gateway') continue;
		const spec = record(service?.['spec']);
		// None that is not ready, or ends, and one address for all of them.
		assert.equal(spec['publishNotReadyAddresses'], undefined, hostname);
		assert.equal(spec['clusterIP'], undefined, hostname);
	}
});

test('the chart is not made where a person reaches a replica without their files', async () => {
	const withoutBalancer = /batches\.store has to be set without the balancer/;
	const scaling = /batches\.store has to be set with autoscaling/;
	const pool = { ...inference, batches: { store: '' } };
	for (const [values, why] of [
		[{ balancer: { enabled: false } }, withoutBalancer],
		[pool, withoutBalancer],
		[{ autoscaling: { kind: 'hpa' } }, scaling],
		[{ autoscaling: { kind: 'keda' } }, scaling],
	] as const) {
		await assert.rejects(renderChart(values), why);
		for (const batches of [{ store: 's3://bucket/folder' }, { store: '', unused: true }])
			assert.match(await renderChart({ ...values, batches }), /kind: StatefulSet/);
	}
	assert.match(
		await renderChart({ balancer: { enabled: false }, replicas: { count: 1 } }),
		/kind: StatefulSet/,
	);
	// KServe chooses any replica.
	const [, service] = objects(read('kubernetes/kserve.yaml'));
	assert.equal(record(record(service?.['spec'])['predictor'])['maxReplicas'], 1);
});

test('while the pod of a replica is renewed its people wait, where only it has what is theirs', async () => {
	const config = await renderChart({}, (name: string) => /balancer/.test(name));
	const part = (name: string) =>
		config.split(/^ {4}(?=\S)/m).find((each: string) => each.startsWith(name)) ?? '';
	for (const status of ['nx', 'other', 'refused', 'timeout'])
		assert.match(part('resolvers lasting'), new RegExp(`hold ${status} 10m`));
	assert.match(part('backend kept'), /default-server .*resolvers lasting/);
	assert.match(part('backend servers'), /default-server .*resolvers cluster/);
});

test('another configuration of the balancer is other pods, also where no value has changed', () => {
	const template = read('helm/nearglot/templates/3-balancer.yaml');
	const [config = ''] = template.split('\n---\n');
	const digest = createHash('sha256').update(config).digest('hex').slice(0, 8);
	assert.match(template, new RegExp(`^ +nearglot/configuration: "${digest}"$`, 'm'), digest);
});

test('no probe that ends a container asks whether it is ready, which may wait for others for long', async () => {
	const rendered = chartVariants.map(async ([, values]) => objects(await renderChart(values)));
	const pods = [...(await Promise.all(rendered)).flat(), ...objects(read('kubernetes/kserve.yaml'))]
		.map(({ kind, spec }) =>
			kind === 'ServingRuntime' ? record(spec) : record(record(record(spec)['template'])['spec']),
		)
		.flatMap(({ containers }) => list(containers));
	const asked = (probes: readonly string[]) =>
		new Set(
			pods
				.flatMap((container) => probes.map((probe) => record(record(container[probe])['httpGet'])))
				.flatMap(({ path }) => (typeof path === 'string' ? [path] : [])),
		);
	assert.deepEqual([...asked(['startupProbe', 'livenessProbe'])].sort(), [
		'/.auth/healthz',
		'/livez',
	]);
	assert.ok(asked(['readinessProbe']).has('/readyz'));
});

test('which KEDA is needed stands where people read it', () => {
	for (const name of [
		...['kubernetes/keda.yaml', 'helm/nearglot/values.yaml'],
		...['helm/nearglot/templates/NOTES.txt', '../docs/team-server.md'],
	])
		assert.match(read(name), /2\.17 or later/, name);
});

test('KEDA counts the replicas of its own team, and keeps what there is without Prometheus', async () => {
	const of = async (selector: string) => {
		const [scaled] = objects(
			await renderChart({ autoscaling: { kind: 'keda', selector } }, (name: string) =>
				/autoscaling/.test(name),
			),
		);
		return record(scaled?.['spec']);
	};
	const spec = await of('namespace="team"');
	const [trigger] = list(spec['triggers']);
	assert.equal(
		record(trigger?.['metadata'])['query'],
		'sum(nearglot_requests_waiting{namespace="team"})',
	);
	assert.equal(record(spec['fallback'])['behavior'], 'currentReplicasIfHigher');
});
