/** What a model that does not fit is refused with: there may be room later, or never on this device. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexedModel } from '../../server/daemon/modelIndex.ts';
import { makeRoom } from '../../server/daemon/modelRoom.ts';
import { totalMemory } from '../../server/net/roughMemory.ts';
import { AppError } from '../../server/protocol/index.ts';
import { isUnsent } from '../../server/protocol/unsent.ts';
import { createGpuService } from '../../server/services/gpuService.ts';
import { silentLogger } from '../../server/services/logger.ts';

const gib = 2 ** 30;

/** How a model of 30 GiB is refused on a device of so much. */
async function refused(totalBytes: number): Promise<AppError> {
	const model = { info: { id: 'm' }, description: { memoryEstimateBytes: 30 * gib } };
	const deps = {
		...{ slots: () => [], leaving: new Set<never>(), end: async () => {}, log: silentLogger },
		...{ freeBytes: () => 8 * gib, totalBytes: () => totalBytes, waitMs: 0 },
	};
	const { signal } = new AbortController();
	const error = await makeRoom(deps, model as IndexedModel, 'cuda', signal).catch((e) => e);
	assert.ok(error instanceof AppError);
	assert.equal(error.code, 'out_of_memory');
	return error;
}

test('a model may have room later on a device that is large enough, and never on a smaller one', async () => {
	assert.equal(isUnsent(await refused(48 * gib)), true);
	assert.equal(isUnsent(await refused(24 * gib)), false);
});

test('the memory of a container is that of its limit, and of a machine without one its own', () => {
	assert.equal(totalMemory(256 * gib, 8 * gib), 8 * gib);
	for (const none of [0, undefined, 2 ** 64]) assert.equal(totalMemory(256 * gib, none), 256 * gib);
});

test('the memory of a device is that of the chosen card, and for the processor there is none to say', async () => {
	const line = '0, NVIDIA L4, 24000, 1000\n1, NVIDIA H100, 80000, 1000\n';
	const gpus = createGpuService(
		{
			platform: 'linux',
			run: async (command) => (command === 'nvidia-smi' ? line : undefined),
			...{ read: async () => undefined, list: async () => [] },
		},
		{ value: { gpuDevice: 0 } } as never,
		() => true,
	);
	assert.equal(await gpus.totalBytes('cuda'), 24_000 * 2 ** 20);
	assert.equal(await gpus.totalBytes('cpu'), undefined);
});
