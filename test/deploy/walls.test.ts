/** Every service in deploy/ runs without rights it does not need, so that a model that takes over a process has none. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

type Json = Readonly<Record<string, unknown>>;
const record = (value: unknown): Json => (value ?? {}) as Json;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

test('the files that start something are known here', () => {
	const known = [
		'Dockerfile',
		'auth.json',
		'auth.schema.json',
		'batch-job.yaml',
		'docker-compose.yml',
		'envoy.yaml',
		'grafana.json',
		'haproxy.cfg',
		'helm',
		'kubernetes',
		'kubernetes.yaml',
		'nginx.conf',
		'prometheus-rules.yaml',
	];
	assert.deepEqual(readdirSync(folder).sort(), known);
});

/** What a service of the compose file lacks. */
function lacks(service: Json): string[] {
	const options = list(service['security_opt']).map(String);
	const mounts = list(service['volumes']).map(String);
	return [
		['a read-only root', service['read_only'] === true],
		[
			'no capability',
			list(service['cap_drop']).includes('ALL') && service['cap_add'] === undefined,
		],
		['no new privileges', options.includes('no-new-privileges:true')],
		['the profile for system calls', !options.some((option) => /unconfined|seccomp/.test(option))],
		[
			'a user that is not root',
			typeof service['user'] === 'string' && !/^(root|0)\b/.test(service['user']),
		],
		['a limit of processes', Number(service['pids_limit']) > 0],
		[
			'a temp folder without programs',
			list(service['tmpfs']).some((one) => /^\/tmp:.*noexec/.test(String(one))),
		],
		[
			'namespaces of its own',
			!['privileged', 'pid', 'ipc', 'userns_mode', 'devices'].some((name) => name in service),
		],
		['no socket of Docker', !mounts.some((mount) => mount.includes('docker.sock'))],
		[
			'settings that it cannot change',
			mounts.filter((mount) => mount.startsWith('.')).every((mount) => mount.endsWith(':ro')),
		],
	].flatMap(([what, has]) => (has ? [] : [String(what)]));
}

test('each service of the compose file has every wall, and a service without one is found', () => {
	const { services } = parse(read('docker-compose.yml')) as { services: Record<string, Json> };
	assert.ok(Object.keys(services).length >= 2);
	for (const [name, service] of Object.entries(services))
		assert.deepEqual(lacks(service), [], name);
	assert.equal(lacks({}).length, 6);
	assert.equal(
		lacks({ ...services['models'], privileged: true, security_opt: ['seccomp:unconfined'] }).length,
		3,
	);
});

/** What a container of a pod lacks. */
function lacksInPod(pod: Json, container: Json): string[] {
	const own = record(container['securityContext']);
	const shared = record(pod['securityContext']);
	const mounts = list(container['volumeMounts']).map(record);
	const volumes = new Map(list(pod['volumes']).map((one) => [record(one)['name'], record(one)]));
	return [
		['a read-only root', own['readOnlyRootFilesystem'] === true],
		['no capability', list(record(own['capabilities'])['drop']).includes('ALL')],
		['no new privileges', own['allowPrivilegeEscalation'] === false],
		['no privileged mode', own['privileged'] !== true],
		['the profile for system calls', record(shared['seccompProfile'])['type'] === 'RuntimeDefault'],
		['a user that is not root', shared['runAsNonRoot'] === true && Number(shared['runAsUser']) > 0],
		['no token of the cluster', pod['automountServiceAccountToken'] === false],
		['namespaces of its own', !['hostNetwork', 'hostPID', 'hostIPC'].some((name) => name in pod)],
		[
			'settings and keys that it cannot change',
			mounts.every((mount) => {
				const volume = volumes.get(mount['name']) ?? {};
				return !('secret' in volume || 'configMap' in volume) || mount['readOnly'] === true;
			}),
		],
		['no folder of the machine', [...volumes.values()].every((volume) => !('hostPath' in volume))],
	].flatMap(([what, has]) => (has ? [] : [String(what)]));
}

test('each container of the Kubernetes manifests has every wall, and one without is found', () => {
	const pods = ['kubernetes.yaml', 'kubernetes/inference.yaml', 'batch-job.yaml']
		.flatMap((name) => parseAllDocuments(read(name)))
		.map((document) => document.toJS() as Json)
		.map((item) => record(record(record(item['spec'])['template'])['spec']))
		.filter((pod) => 'containers' in pod);
	assert.equal(pods.length, 6);
	for (const pod of pods)
		for (const container of [...list(pod['containers']), ...list(pod['initContainers'])].map(
			record,
		))
			assert.deepEqual(lacksInPod(pod, container), [], String(container['name']));
	assert.equal(lacksInPod({}, {}).length, 6);
});

test('the image runs as a user without rights, and its program as that user cannot change it', () => {
	const lines = read('Dockerfile').split('\n');
	const user = lines.findLastIndex((line) => line.startsWith('USER '));
	assert.equal(lines[user], 'USER node');
	assert.ok(lines.slice(user).every((line) => !/^(COPY|RUN|ADD) /.test(line)));
	for (const line of lines.filter((one) => /chown/.test(one)))
		assert.doesNotMatch(line, /chown\S* [^&]*\/app/, line);
});
