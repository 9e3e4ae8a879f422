import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	type GpuDeps,
	listGpus,
	parseMac,
	parseNvidia,
	parseWindows,
} from '../../server/engine/devices/gpus.ts';
import { installedProviders } from '../../server/engine/devices/providers.ts';

const deps = (more: Partial<GpuDeps>): GpuDeps => ({
	platform: 'linux',
	run: async () => undefined,
	read: async () => undefined,
	list: async () => [],
	...more,
});

test('nvidia-smi gives names, total and free memory', () => {
	assert.deepEqual(parseNvidia('0, NVIDIA H200, 143771, 143000\n1, NVIDIA T4, 15360, 100\n'), [
		{
			id: 0,
			name: 'NVIDIA H200',
			vendor: 'nvidia',
			memoryBytes: 143771 * 2 ** 20,
			freeBytes: 143000 * 2 ** 20,
		},
		{
			id: 1,
			name: 'NVIDIA T4',
			vendor: 'nvidia',
			memoryBytes: 15360 * 2 ** 20,
			freeBytes: 100 * 2 ** 20,
		},
	]);
	assert.deepEqual(parseNvidia('NVIDIA-SMI has failed'), []);
});

test('Windows lists one or several adapters, without the basic one', () => {
	const one = '{"Name":"Intel(R) Iris(R) Xe Graphics","AdapterRAM":1073741824}';
	assert.deepEqual(parseWindows(one), [
		{ id: 0, name: 'Intel(R) Iris(R) Xe Graphics', vendor: 'intel', memoryBytes: 2 ** 30 },
	]);
	const two =
		'[{"Name":"Microsoft Basic Display Adapter"},{"Name":"AMD Radeon","AdapterRAM":4293918720}]';
	assert.deepEqual(parseWindows(two), [{ id: 0, name: 'AMD Radeon', vendor: 'amd' }]);
	assert.deepEqual(parseWindows('garbage'), []);
});

test('macOS names the chip', () => {
	const text = JSON.stringify({ SPDisplaysDataType: [{ sppci_model: 'Apple M3 Pro' }] });
	assert.deepEqual(parseMac(text), [{ id: 0, name: 'Apple M3 Pro', vendor: 'apple' }]);
});

test('Linux reads the cards from sysfs, and one card is not counted twice', async () => {
	const files: Record<string, string> = {
		'/sys/class/drm/card0/device/vendor': '0x1002\n',
		'/sys/class/drm/card0/device/device': '0x744c\n',
		'/sys/class/drm/card0/device/mem_info_vram_total': '25753026560\n',
		'/sys/class/drm/card0/device/mem_info_vram_used': '1000000000\n',
		'/sys/class/drm/card1/device/vendor': '0x10de\n',
	};
	const system = deps({
		list: async () => ['card0', 'card0-DP-1', 'card1', 'renderD128'],
		read: async (path) => files[path],
		run: async (command) => (command === 'nvidia-smi' ? '0, NVIDIA T4, 15360, 15000' : undefined),
	});
	const gpus = await listGpus(system);
	assert.deepEqual(
		gpus.map(({ id, vendor, freeBytes }) => ({ id, vendor, freeBytes })),
		[
			{ id: 0, vendor: 'nvidia', freeBytes: 15000 * 2 ** 20 },
			{ id: 1, vendor: 'amd', freeBytes: 24753026560 },
		],
	);
});

test('nothing found is an empty list, never an error', async () => {
	for (const platform of ['linux', 'win32', 'darwin'] as const)
		assert.deepEqual(await listGpus(deps({ platform })), []);
});

test('the providers of a platform follow its package, CUDA its added library', () => {
	const of = (platform: NodeJS.Platform, arch: string, has = false) =>
		[...installedProviders({ platform, arch, has: () => has })].sort();
	assert.deepEqual(of('linux', 'x64'), ['cpu', 'webgpu']);
	assert.deepEqual(of('linux', 'x64', true), ['cpu', 'cuda', 'webgpu']);
	assert.deepEqual(of('linux', 'arm64'), ['cpu']);
	assert.deepEqual(of('win32', 'x64'), ['cpu', 'dml', 'webgpu']);
	assert.deepEqual(of('win32', 'arm64'), ['cpu', 'dml', 'webgpu']);
	assert.ok(
		of('win32', 'arm64', true).includes('qnn'),
		'QNN by its library, which the package has not',
	);
	assert.deepEqual(of('darwin', 'arm64'), ['coreml', 'cpu', 'webgpu']);
});
