/** The files in deploy/ hang together and use only settings this version knows. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { parseSettings } from '../../server/gateway/config/parseSettings.ts';
import { hexKeyProblem, secretProblem } from '../../server/gateway/keys/secretProblem.ts';

const folder = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'deploy');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const env = {
	GITHUB_CLIENT_SECRET: 's',
	NEARGLOT_GATEWAY_SECRET: 'secret of both sides',
	NEARGLOT_REDIS_URL: 'redis://redis:6379',
};

interface Probe {
	readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
	readonly name: string;
	readonly image: string;
	readonly args: readonly string[];
	readonly ports?: readonly { readonly name: string }[];
	readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
	readonly securityContext: { readonly allowPrivilegeEscalation: boolean };
	readonly readinessProbe?: Probe;
	readonly livenessProbe?: Probe;
}
interface Manifest {
	readonly apiVersion: string;
	readonly kind: string;
	readonly metadata: { readonly name: string };
	readonly data?: Readonly<Record<string, string>>;
	readonly stringData?: Readonly<Record<string, string>>;
	readonly spec: {
		readonly replicas: number;
		readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
		readonly template: {
			readonly metadata: { readonly labels: Readonly<Record<string, string>> };
			readonly spec: {
				readonly containers: readonly Container[];
				readonly volumes: readonly { readonly name: string }[];
			};
		};
	};
}

test('the example settings can be used as they are', () => {
	const { settings, warnings } = parseSettings(JSON.parse(read('auth.json')), env, 8000);
	assert.deepEqual(warnings, []);
	assert.equal(settings.headers.upstreamSecret, undefined);
	assert.equal(settings.headers.personSecret, env.NEARGLOT_GATEWAY_SECRET);
});

test('the compose file shows the app to nobody but the gateway', () => {
	interface Service {
		readonly command: readonly string[];
		readonly ports?: readonly string[];
		readonly network_mode?: string;
		readonly volumes: readonly string[];
		readonly environment: Readonly<Record<string, string>>;
		readonly build?: { readonly dockerfile: string };
	}
	const file = parse(read('docker-compose.yml')) as {
		services: Record<string, Service>;
		volumes: Record<string, unknown>;
	};
	const { gateway, models } = file.services;
	assert.ok(gateway && models);
	// A namespace of another container is gone when that is restarted.
	for (const service of [gateway, models]) assert.equal(service.network_mode, undefined);
	assert.equal(models.ports, undefined);
	assert.ok(models.command.includes('--require-key'));
	const port = models.command.find((part) => part.startsWith('--port='))!.slice('--port='.length);
	assert.ok(gateway.command.includes(`--upstream=http://models:${port}`));
	// What comes through the gateway without a key comes under the name of the service.
	assert.ok(models.command.includes('--host=0.0.0.0'));
	assert.ok(models.command.includes('--allow-host=models'));
	for (const service of [gateway, models]) {
		for (const volume of service.volumes) {
			const source = volume.split(':')[0]!;
			assert.ok(
				source.startsWith('.') ? existsSync(join(folder, source)) : source in file.volumes,
				volume,
			);
		}
	}
	assert.ok(existsSync(join(folder, '..', gateway.build!.dockerfile)));
	for (const name of ['GITHUB_CLIENT_SECRET', 'NEARGLOT_GATEWAY_SECRET'])
		assert.ok(name in gateway.environment);
	for (const name of ['NEARGLOT_KEY', 'NEARGLOT_GATEWAY_SECRET'])
		assert.ok(name in models.environment);
	assert.ok(!('NEARGLOT_KEY' in gateway.environment), 'the owner’s key stays with the models');
});

test('what the manifests leave to be replaced is refused as a secret', () => {
	const text = read('kubernetes.yaml');
	const placeholders = [...text.matchAll(/(?:NEARGLOT_KEY|NEARGLOT_GATEWAY_SECRET): (\S+)$/gm)];
	assert.equal(placeholders.length, 2);
	for (const [, value] of placeholders) assert.ok(secretProblem(value!), value);
	for (const [, value] of text.matchAll(/"(?:userIdKey|secret)": "([^"]+)"/g))
		assert.ok(hexKeyProblem(value!), value);
});

test('the Kubernetes manifest is complete: settings, keys, volumes, probes and selectors fit', () => {
	const documents = parseAllDocuments(read('kubernetes.yaml'));
	for (const document of documents) assert.deepEqual(document.errors, []);
	const all = documents.map((document) => document.toJS() as Manifest);
	for (const item of all) assert.ok(item.apiVersion && item.kind && item.metadata.name);
	const of = (kind: string, part = 'gateway') =>
		all.find((item) => item.kind === kind && item.metadata.name === `nearglot-${part}`)!;
	const { settings, warnings } = parseSettings(
		JSON.parse(of('ConfigMap').data!['auth.json']!),
		env,
		8000,
	);
	assert.deepEqual(warnings, []);
	assert.equal(settings.replicas, of('Deployment').spec.replicas);
	assert.equal(settings.store.kind, 'redis');
	JSON.parse(of('Secret').stringData!['keys.json']!);
	const ofGateway = of('Secret').stringData!;
	for (const name of Object.keys(env)) assert.ok(name in ofGateway, name);
	assert.ok(!('NEARGLOT_KEY' in ofGateway), 'the owner’s key stays with the models');
	const { template, selector } = of('Deployment').spec;
	assert.deepEqual(template.metadata.labels, selector.matchLabels);
	const volumes = template.spec.volumes.map((volume) => volume.name);
	for (const container of template.spec.containers) {
		for (const mount of container.volumeMounts ?? [])
			assert.ok(volumes.includes(mount.name), mount.name);
		assert.equal(container.securityContext.allowPrivilegeEscalation, false);
	}
	const [gateway] = template.spec.containers;
	assert.equal(gateway!.readinessProbe!.httpGet.path, '/.auth/readyz');
	assert.equal(gateway!.livenessProbe!.httpGet.path, '/.auth/healthz');
	assert.ok(gateway!.ports!.some((port) => port.name === gateway!.readinessProbe!.httpGet.port));
	assert.ok(gateway!.args.includes('--upstream=http://nearglot-balancer:8080'));
	const [models] = of('StatefulSet', 'replicas').spec.template.spec.containers;
	assert.equal(models!.readinessProbe!.httpGet.path, '/readyz');
	assert.equal(models!.livenessProbe!.httpGet.path, '/livez');
	assert.ok(models!.args.includes('--require-key'), 'whoever reaches its port needs the key');
	const mounts = gateway!.volumeMounts!.map((mount) => mount.mountPath);
	assert.ok(mounts.some((path) => settings.keys.file!.startsWith(path)));
});
