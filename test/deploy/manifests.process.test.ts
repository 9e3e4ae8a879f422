/** What is shipped for Kubernetes: made of the chart, of the form that each interface has, with numbers that there are. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import * as z from 'zod';
// @ts-expect-error: the scripts are plain JavaScript
import { chartFiles, inference, renderChart } from '../../scripts/helmChart.mjs';
import { listenOps } from '../../server/http/opsServer.ts';
import { Ending } from '../../server/net/ending.ts';
import { serverLoad } from '../../server/services/serverLoad.ts';
import { haproxyMissing } from '../support/haproxy.ts';
import { chartVariants, type Json, list, objects, record } from '../support/manifests.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8');
test('the files of deploy/ are those that the chart makes', async () => {
	for (const [name, text] of Object.entries(await chartFiles()))
		assert.equal(read(name), text, `${name}: node scripts/helmChart.mjs --write`);
});

/** Where the packages with the published schemas have an object, and the name of its type. */
function typeOf({ apiVersion, kind }: Json): [string, string] | undefined {
	const [group, version] = String(apiVersion).includes('/')
		? String(apiVersion).split('/')
		: [undefined, String(apiVersion)];
	const name = String(kind);
	if (group === undefined) return [`kubernetes-models/${version}/${name}`, `I${name}`];
	if (group === 'keda.sh')
		return [`@kubernetes-models/keda/keda.sh/${version}/${name}`, `I${name}`];
	if (group === 'gateway.networking.k8s.io')
		return [`@kubernetes-models/gateway-api/${group}/${version}/${name}`, `I${name}`];
	if (/inference|kserve/.test(group)) return undefined;
	return [`kubernetes-models/${group}/${version}/${name}`, `I${name}`];
}

const text = z.string().min(1);
const labels = z.record(z.string(), z.string().max(63));
const port = z.int().min(1).max(65_535);
const named = { metadata: z.strictObject({ name: text, annotations: labels.optional() }) };
/** Published definitions that no package has: what each must and may hold. */
const others: Readonly<Record<string, z.ZodType>> = {
	'inference.networking.k8s.io/v1/InferencePool': z.strictObject({
		apiVersion: z.string(),
		kind: z.string(),
		...named,
		spec: z.strictObject({
			selector: z.strictObject({ matchLabels: labels }),
			targetPorts: z
				.array(z.strictObject({ number: port }))
				.min(1)
				.max(8),
			endpointPickerRef: z.strictObject({
				group: z.string().optional(),
				kind: z.string().optional(),
				name: text,
				port: z.strictObject({ number: port }).optional(),
				failureMode: z.enum(['FailOpen', 'FailClose']).optional(),
			}),
		}),
	}),
	'serving.kserve.io/v1alpha1/ServingRuntime': z.strictObject({
		apiVersion: z.string(),
		kind: z.string(),
		...named,
		spec: z.strictObject({
			annotations: labels.optional(),
			supportedModelFormats: z
				.array(
					z.strictObject({
						name: text,
						version: z.string().optional(),
						autoSelect: z.boolean().optional(),
						priority: z.int().optional(),
					}),
				)
				.min(1),
			protocolVersions: z.array(z.string()).optional(),
			// A container of a pod: the pod of this file is checked as one, too.
			containers: z.array(z.looseObject({ name: text, image: text })).min(1),
			volumes: z.array(z.looseObject({ name: text })).optional(),
		}),
	}),
	'serving.kserve.io/v1beta1/InferenceService': z.strictObject({
		apiVersion: z.string(),
		kind: z.string(),
		...named,
		spec: z.strictObject({
			predictor: z.strictObject({
				minReplicas: z.int().optional(),
				maxReplicas: z.int().optional(),
				model: z.strictObject({
					modelFormat: z.strictObject({ name: text, version: z.string().optional() }),
					runtime: z.string().optional(),
					storageUri: z.string().optional(),
				}),
			}),
		}),
	}),
};

const all = async (): Promise<Json[]> => {
	const rendered = await Promise.all(chartVariants.map(([, values]) => renderChart(values)));
	const shipped = objects(read('kubernetes/kserve.yaml'));
	const pods = shipped
		.filter(({ kind }) => kind === 'ServingRuntime')
		.map(({ spec }) => {
			const { containers, volumes } = record(spec);
			return { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers, volumes } };
		});
	return [...rendered.flatMap(objects), ...shipped, ...pods, ...objects(read('batch-job.yaml'))];
};

test('every object has the form that its interface has, and no field that it has not', async () => {
	const typed: Json[] = [];
	for (const object of await all()) {
		const where = typeOf(object);
		if (where === undefined) {
			const name = `${object['apiVersion']}/${object['kind']}`;
			const schema = others[name];
			assert.ok(schema, name);
			const { error } = schema.safeParse(object);
			assert.equal(error, undefined, `${name}: ${error?.message}`);
			continue;
		}
		const { [where[1].slice(1)]: Model } = (await import(where[0])) as Record<
			string,
			new (
				data: Json,
			) => { validate(): void }
		>;
		assert.ok(Model, where[0]);
		new Model(object).validate();
		typed.push(object);
	}
	assert.deepEqual(strange(typed), '');
	const [first] = typed;
	const wrong = { ...first, metadata: { ...record(first?.['metadata']), nmae: 'typing error' } };
	assert.match(strange([wrong]), /nmae/, 'a field that there is not is found');
});

/** What the compiler says of fields that the published types do not have. */
function strange(typed: readonly Json[]): string {
	const folder = temporaryFolder('manifests');
	const lines = typed.map((object, at) => {
		const [module = '', type = ''] = typeOf(object) ?? [];
		const path = join(root, 'node_modules', `${module}.d.ts`);
		return `import type { ${type} as T${at} } from ${JSON.stringify(path)};\nexport const o${at}: T${at} = ${JSON.stringify(object)};`;
	});
	writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
	const compiler = join(root, 'node_modules/typescript/bin/tsc');
	const options = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'];
	const { stdout } = spawnSync(
		process.execPath,
		[compiler, ...options, '--module', 'nodenext', join(folder, 'objects.ts')],
		{ encoding: 'utf8', cwd: folder },
	);
	return stdout;
}

test('every number that is named here stands in what a server emits, with the type that routers take', async () => {
	const backend = { ending: new Ending(), load: async () => serverLoad([], []) };
	const ops = await listenOps(backend, { port: 0, host: '127.0.0.1', names: 'vllm' });
	let emitted = '';
	try {
		emitted = await (await fetch(`${ops.url}/metrics`)).text();
	} finally {
		await ops.close();
	}
	const texts = await Promise.all(chartVariants.map(([, values]) => renderChart(values)));
	const names = new Set(
		texts.join().match(/\b(?:nearglot|vllm:)_?\w*(?:waiting|running|ratio|perc)\b/g),
	);
	assert.ok(names.has('nearglot_requests_waiting'));
	for (const name of names) assert.match(emitted, new RegExp(`^# TYPE ${name} gauge$`, 'm'));
	const picker = objects(await renderChart(inference)).find(
		({ kind, data }) => kind === 'ConfigMap' && 'config.yaml' in record(data),
	);
	const config = parse(String(record(picker?.['data'])['config.yaml'])) as Json;
	assert.equal(config['kind'], 'EndpointPickerConfig');
	const plugins = list(config['plugins']);
	const extractor = plugins.find(({ type }) => type === 'core-metrics-extractor');
	const [engine] = list(record(extractor?.['parameters'])['engineConfigs']);
	assert.deepEqual(engine, {
		name: 'nearglot',
		queuedRequestsSpec: 'nearglot_requests_waiting',
		runningRequestsSpec: 'nearglot_requests_running',
		kvUsageSpec: 'nearglot_kv_cache_usage_ratio',
	});
	// What profiles and sources refer to is declared.
	const types = new Set(plugins.map(({ type }) => type));
	for (const [, named] of JSON.stringify(config).matchAll(/"pluginRef":"([^"]+)"/g))
		assert.ok(types.has(named), named);
});

test('the engine of the pool is named on its pods, and the pool scrapes the port that serves', async () => {
	const rendered = objects(await renderChart(inference));
	const pool = record(rendered.find(({ kind }) => kind === 'InferencePool')?.['spec']);
	const replicas = rendered.find(
		({ metadata }) => record(metadata)['name'] === 'nearglot-replicas',
	);
	const template = record(record(replicas?.['spec'])['template']);
	const podLabels = record(record(template['metadata'])['labels']);
	assert.equal(podLabels['llm-d.ai/engine-type'], 'nearglot');
	for (const [name, value] of Object.entries(record(record(pool['selector'])['matchLabels'])))
		assert.equal(podLabels[name], value);
	const [container] = list(record(template['spec'])['containers']);
	const args = (container?.['args'] ?? []) as string[];
	assert.ok(args.includes('--port=8080') && args.includes('--ops-port=8080'));
	assert.deepEqual(pool['targetPorts'], [{ number: 8080 }]);
});

test('replicas that share batches name one store and one queue; others say that theirs are their own', async () => {
	const replica = async (store: string) => {
		const rendered = objects(await renderChart({ batches: { store } }));
		const found = rendered.find(({ metadata }) => record(metadata)['name'] === 'nearglot-replicas');
		const pod = record(record(record(found?.['spec'])['template'])['spec']);
		const [container = {}] = list(pod['containers']);
		const claims = rendered
			.filter(({ kind }) => kind === 'PersistentVolumeClaim')
			.map(({ metadata }) => record(metadata)['name']);
		return {
			claims,
			stores: ((container['args'] ?? []) as string[]).filter((arg) => arg.startsWith('--store')),
			queue: list(container['env']).some(({ name }) => name === 'NEARGLOT_QUEUE'),
			mounts: list(container['volumeMounts']).map(({ mountPath }) => mountPath),
			volumes: list(pod['volumes']).map(({ name }) => name),
		};
	};
	const alone = await replica('');
	assert.deepEqual([alone.stores, alone.queue, alone.claims], [[], false, ['nearglot-models']]);
	assert.match(read('helm/nearglot/templates/NOTES.txt'), /if not \.Values\.batches\.store/);
	const bucket = await replica('s3://bucket/folder');
	assert.deepEqual([bucket.stores, bucket.queue], [['--store=s3://bucket/folder'], true]);
	assert.deepEqual(bucket.mounts, alone.mounts);
	const folder = await replica('/batches');
	assert.deepEqual([folder.stores, folder.queue], [['--store=/batches'], true]);
	assert.deepEqual(folder.claims, ['nearglot-models', 'nearglot-batches']);
	assert.ok(folder.mounts.includes('/batches') && folder.volumes.includes('batches'));
});

test('options of containers are options of the program; ports and labels that are named are there', async () => {
	const help = (command: string) =>
		spawnSync(process.execPath, [join(root, 'bin/nearglot.cjs'), command, '--help'], {
			encoding: 'utf8',
		}).stdout;
	const known = new Map(['serve', 'gateway', 'batch'].map((name) => [name, help(name)]));
	for (const [what, values] of chartVariants) {
		const rendered = objects(await renderChart(values));
		const pods = rendered
			.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
			.map(({ spec }) => record(record(spec)['template']));
		for (const pod of pods)
			for (const container of list(record(pod['spec'])['containers'])) {
				const [command = '', ...options] = (container['args'] ?? []) as string[];
				const said = known.get(command);
				if (said === undefined) continue;
				for (const option of options)
					assert.ok(said.includes(option.split('=')[0] ?? option), `${what}: ${command} ${option}`);
				const ports = new Set(list(container['ports']).map(({ name }) => name));
				for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
					const asked = record(record(container[probe])['httpGet'])['port'];
					assert.ok(asked === undefined || ports.has(asked), `${what}: ${probe} ${asked}`);
				}
			}
		for (const { kind, spec } of rendered) {
			const { selector } = record(spec);
			const wanted = kind === 'Service' ? selector : record(selector)['matchLabels'];
			if (wanted === undefined || kind === 'NetworkPolicy') continue;
			const found = pods.some(({ metadata }) =>
				Object.entries(record(wanted)).every(
					([name, value]) => record(record(metadata)['labels'])[name] === value,
				),
			);
			assert.ok(found, `${what}: ${kind} selects ${JSON.stringify(wanted)}`);
		}
	}
});

const balancerConfig = async (store: string): Promise<string> => {
	const map = objects(await renderChart({ batches: { store } })).find(
		({ data }) => 'haproxy.cfg' in record(data),
	);
	return String(record(map?.['data'])['haproxy.cfg']);
};

test('the balancer of the chart is a configuration that HAProxy takes', {
	skip: haproxyMissing,
}, async () => {
	for (const store of ['', '/batches']) {
		const path = join(temporaryFolder('balancer'), 'haproxy.cfg');
		writeFileSync(path, await balancerConfig(store));
		const env = { ...process.env, NAMESPACE: 'team' };
		const { status, stderr } = spawnSync('haproxy', ['-c', '-f', path], { encoding: 'utf8', env });
		assert.equal(status, 0, stderr);
	}
});

test('the balancer of the chart tells conversations apart as deploy/haproxy.cfg does', async () => {
	const rules = (config: string) =>
		config
			.split('\n')
			.map((line) => line.trim())
			.filter((line) =>
				/^(?:acl|http-request (?:set-var|track|disable)|use_backend|default_backend)/.test(line),
			);
	// Whether batches are shared is told to one by its environment, to the other by a value.
	const kept = ' !{ env(NEARGLOT_BATCHES_SHARED) -m str yes }';
	const shipped = rules(read('haproxy.cfg').replace(kept, ''));
	assert.ok(shipped.length > 15 && shipped.includes('use_backend kept if kept'));
	assert.deepEqual(rules(await balancerConfig('')), shipped);
	const shared = shipped.filter((rule) => rule !== 'use_backend kept if kept');
	assert.deepEqual(rules(await balancerConfig('/batches')), shared);
});
