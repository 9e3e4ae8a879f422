/** What the engine takes from the system it runs on, with the answers of systems that are not here. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fastestOf } from '../../server/engine/runtime/coreRecords.ts';
import { loadError, runError } from '../../server/engine/runtime/loadError.ts';
import { startRunClock } from '../../server/engine/runtime/runClock.ts';
import { preloadVisualC, visualCProblem } from '../../server/engine/runtime/visualC.ts';
import { roughlyUsableMemory } from '../../server/net/roughMemory.ts';
import { usableMemory } from '../../server/net/usableMemory.ts';
import {
	endCodeText,
	endsOutOfMemory,
	saysOutOfMemory,
} from '../../server/protocol/outOfMemory.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a run takes time on a clock of 15.6 ms, too', () => {
	let [ms, cpuMs] = [0, 0];
	const tickMs = 15.625;
	const coarse = {
		cpuUsage: () => ({ user: Math.floor(cpuMs / tickMs) * tickMs * 1000, system: 0 }),
		now: () => ms,
	};
	const run = (milliseconds: number) => {
		const spent = startRunClock(coarse);
		ms += milliseconds;
		cpuMs += milliseconds;
		return spent();
	};
	assert.equal(run(3), 3);
	assert.equal(run(1600) > 1500, true);
	for (let k = 0; k < 20; k++) assert.ok(run(4) > 0);
	const fine = { cpuUsage: () => ({ user: cpuMs * 1000, system: 0 }), now: () => ms };
	const spent = startRunClock(fine);
	cpuMs += 5;
	// The machine is busy with others.
	ms += 50;
	assert.equal(spent(), 5);
});

test('of a processor with fast and slow cores the fast ones count', () => {
	const core = (kind: number, size = 48): Buffer => {
		const record = Buffer.alloc(size);
		record.writeUInt32LE(size, 4);
		record.writeUInt8(kind, 9);
		return record;
	};
	assert.equal(fastestOf(Buffer.concat([core(1), core(1), core(0), core(0), core(0)])), 2);
	assert.equal(fastestOf(Buffer.concat([core(0), core(0, 64), core(0)])), 3);
	const cache = core(9);
	cache.writeUInt32LE(2, 0);
	assert.equal(fastestOf(Buffer.concat([core(1), cache])), 1);
	assert.equal(fastestOf(Buffer.alloc(0)), undefined);
	assert.equal(fastestOf(Buffer.alloc(40)), undefined, 'a size of 0 would never end');
});

const vmStat = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                                4212.
Pages active:                            301122.
Pages inactive:                          298811.
Pages speculative:                         1200.
Pages throttled:                              0.
Pages wired down:                         91214.
Pages purgeable:                           7011.
`;

test('on macOS memory that it keeps for files counts as usable', async () => {
	const system = {
		platform: 'darwin',
		freeBytes: () => 120e6,
		availableBytes: () => 120e6,
		totalBytes: () => 16e9,
		vmStat: async () => vmStat,
	} as const;
	assert.equal(await usableMemory(system), (4212 + 298_811 + 1200) * 16_384);
	for (const text of ['', vmStat.replace('Pages inactive', 'Pages'), vmStat.slice(40)])
		assert.equal(await usableMemory({ ...system, vmStat: async () => text }), 120e6);
	assert.equal(await usableMemory({ ...system, vmStat: () => Promise.reject(new Error()) }), 120e6);
	const linux = { ...system, platform: 'linux', availableBytes: () => 77 } as const;
	assert.equal(await usableMemory(linux), 77);
	assert.equal(await usableMemory({ ...linux, availableBytes: () => undefined }), 120e6);
	// Whoever may start no program.
	assert.equal(roughlyUsableMemory(system), 4e9);
	assert.equal(roughlyUsableMemory(linux), 77);
});

test('Windows without the Visual C++ runtime is told what to install; one that is packed is loaded first', () => {
	const folder = temporaryFolder('visualC');
	for (const name of ['msvcp140.dll', 'vcruntime140.dll']) writeFileSync(join(folder, name), '');
	const loaded: string[] = [];
	const load = (path: string) => void loaded.push(path);
	preloadVisualC(join(folder, 'onnxruntime.dll'), load, 'linux');
	assert.deepEqual(loaded, []);
	preloadVisualC(join(folder, 'onnxruntime.dll'), load, 'win32');
	assert.deepEqual(loaded, [join(folder, 'vcruntime140.dll'), join(folder, 'msvcp140.dll')]);
	const said = new Error('Failed to load shared library: The specified module could not be found.');
	assert.match(visualCProblem(said, 'win32', 'arm64')?.message ?? '', /vc_redist\.arm64\.exe/);
	assert.equal(visualCProblem(said, 'linux'), undefined);
	assert.equal(visualCProblem(new Error('Cannot find module'), 'win32'), undefined);
});

test('no memory left is recognised as each system says it', () => {
	for (const said of [
		'std::bad_alloc',
		'bad allocation',
		'Failed to allocate memory for requested buffer of size 1073741824',
		'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
		'Not enough memory resources are available to process this command.',
		'The paging file is too small: Insufficient system resources exist',
	]) {
		assert.ok(saysOutOfMemory(said), said);
		assert.equal(loadError('m.onnx', new Error(said)).code, 'out_of_memory', said);
		assert.equal(runError(new Error(said)).code, 'out_of_memory', said);
	}
	assert.equal(saysOutOfMemory('a bad allocator'), false);
	assert.ok(endsOutOfMemory(0xc0000017) && endsOutOfMemory(0xc000012d));
	for (const code of [null, 0, 1, 134, 0xc0000005]) assert.equal(endsOutOfMemory(code), false);
	assert.equal(endCodeText(3221225477), '0xC0000005');
	assert.equal(endCodeText(134), '134');
});
