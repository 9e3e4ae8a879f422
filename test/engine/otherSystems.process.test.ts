/** What the engine takes from the system it runs on, with the answers of systems that are not here. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastestOf } from '../../server/engine/runtime/coreRecords.ts';
import { loadError, runError } from '../../server/engine/runtime/loadError.ts';
import { startRunClock } from '../../server/engine/runtime/runClock.ts';
import {
	type LibrarySystem,
	preloadVisualC,
	visualCLibraries,
	visualCProblem,
} from '../../server/engine/runtime/visualC.ts';
import { roughlyUsableMemory } from '../../server/net/roughMemory.ts';
import { usableMemory } from '../../server/net/usableMemory.ts';
import {
	endCodeText,
	endsOutOfMemory,
	saysOutOfMemory,
} from '../../server/protocol/outOfMemory.ts';

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

/** A Windows in some language with these files. */
function windows(files: readonly string[], arch = 'x64', error?: number): LibrarySystem {
	const there = new Set([library, ...files].map((path) => path.toLowerCase()));
	return {
		platform: 'win32',
		arch,
		systemFolder: 'C:\\Windows\\System32',
		exists: (path) => there.has(path.toLowerCase()),
		errorOf: () => error,
	};
}
const library = 'C:\\Jörg M\\ort\\onnxruntime.dll';
const beside = visualCLibraries.map((name) => `C:\\Jörg M\\ort\\${name}`);
const ofSystem = visualCLibraries.map((name) => `C:\\Windows\\System32\\${name}`);

test('a Visual C++ runtime that is packed is loaded before the library, by its path', () => {
	const loaded: string[] = [];
	const load = (path: string) => void loaded.push(path);
	preloadVisualC(library, load, { ...windows(beside), platform: 'linux' });
	assert.deepEqual(loaded, []);
	preloadVisualC(library, load, windows(ofSystem));
	assert.deepEqual(loaded, []);
	preloadVisualC(library, load, windows(beside.slice(1)));
	assert.deepEqual(loaded, beside.slice(1));
});

test('Windows without the Visual C++ runtime is told what to install, whatever language it speaks', () => {
	const told = (said: string, system: LibrarySystem) =>
		visualCProblem(library, new Error(said), system)?.message;
	for (const said of [
		'Failed to load shared library: The specified module could not be found.',
		'Failed to load shared library: Das angegebene Modul wurde nicht gefunden.',
		'Failed to load shared library: Le module spécifié est introuvable.',
		'Failed to load shared library: No se puede encontrar el módulo especificado.',
		'Failed to load shared library: 指定されたモジュールが見つかりません。',
		'',
	]) {
		const message = told(said, windows([], 'arm64', 126)) ?? '';
		assert.match(message, /lacks the Microsoft Visual C\+\+.*vc_redist\.arm64\.exe/, said);
		assert.doesNotMatch(message, /vcruntime140_1/, 'Windows on ARM has none');
		assert.match(told(said, windows(ofSystem.slice(1))) ?? '', /\(vcruntime140\.dll\)/);
		assert.match(told(said, windows(ofSystem, 'x64', 127)) ?? '', /too old.*vc_redist\.x64/);
		assert.match(told(said, windows(ofSystem, 'x64', 1114)) ?? '', /too old/);
		assert.match(told(said, windows(ofSystem, 'x64', 126)) ?? '', /is missing in this Windows/);
		assert.match(told(said, windows(beside, 'x64', 193)) ?? '', /Install Nearglot again/);
		// For another reason.
		for (const error of [0, 5, undefined])
			assert.equal(told(said, windows(beside, 'x64', error)), undefined);
		assert.equal(told(said, { ...windows([]), platform: 'linux' }), undefined);
		assert.equal(told(said, { ...windows([]), exists: () => false }), undefined);
	}
});

test('no memory left is recognised as each system says it', () => {
	for (const said of [
		'std::bad_alloc',
		'bad allocation',
		'Failed to allocate memory for requested buffer of size 1073741824',
		'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
		'Array buffer allocation failed',
		'WebAssembly.Memory(): could not allocate memory',
		'ENOMEM: not enough memory, read',
		// Numbers with words of Windows in English, German, French, Spanish and Japanese.
		'CreateFileMappingW fail, errcode = 1455 - The paging file is too small for this operation to complete.',
		'CreateFileMappingW fail, errcode = 1455 - Die Auslagerungsdatei ist zu klein, um diesen Vorgang durchzuführen.',
		'MapViewOfFile fail, errcode = 8 - Mémoire insuffisante pour exécuter cette commande.',
		'ReadFile weights.onnx_data fail, errcode = 1450 - Recursos insuficientes en el sistema para completar el servicio solicitado.',
		'VirtualAlloc failed. error code: 14 - このコマンドを実行するための十分なメモリがありません。',
		'Exception(1) tid(1) 8007000E Für diesen Vorgang sind nicht genügend Arbeitsspeicherressourcen verfügbar.',
		'ExecuteCommandList HRESULT=0x8007000E',
	]) {
		assert.ok(saysOutOfMemory(said), said);
		assert.equal(loadError('m.onnx', new Error(said)).code, 'out_of_memory', said);
		assert.equal(runError(new Error(said)).code, 'out_of_memory', said);
	}
	const noMemory = Object.assign(new Error('spawn'), { code: 'ENOMEM' });
	assert.equal(runError(noMemory).code, 'out_of_memory');
	for (const said of [
		'a bad allocator',
		'open fail, errcode = 2 - The system cannot find the file specified.',
		'open fail, errcode = 80',
		'open fail, errcode = 112',
		'HRESULT=0x80070002',
	])
		assert.equal(saysOutOfMemory(said), false, said);
	for (const code of [0xc0000017, 0xc000009a, 0xc000012d, 0xe0000008])
		assert.ok(endsOutOfMemory(code));
	for (const code of [null, 0, 1, 134, 0xc0000005]) assert.equal(endsOutOfMemory(code), false);
	assert.equal(endCodeText(3221225477), '0xC0000005');
	assert.equal(endCodeText(134), '134');
});

test('where Windows may find the path of a model too long, the error says how to shorten it', () => {
	const folder = `C:\\${'a folder\\'.repeat(30)}onnx`;
	const said = new Error('Failed to get the weakly canonical path: ü - More data available.');
	const graph = { name: 'model.onnx', bytes: new Uint8Array(), folder };
	for (const source of [graph, `${folder}\\model.onnx`]) {
		const told = loadError(source, said, 'win32').message;
		assert.match(told, /available\. Its path has 288 letters, .* \(nearglot models move\)\.$/);
		assert.doesNotMatch(loadError(source, said, 'linux').message, /letters/);
	}
	const short = loadError('R:\\model.onnx', said, 'win32').message;
	assert.match(short, /available\. The drive does not tell .* \(nearglot models move\)\.$/);
	assert.equal(
		loadError('R:\\model.onnx', new Error('It is cut off.'), 'win32').message,
		'The graph file R:\\model.onnx cannot be loaded: It is cut off.',
	);
});
