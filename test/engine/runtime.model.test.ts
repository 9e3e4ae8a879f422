/** Both runtimes open graphs, agree, refuse broken files, and the slower one stands in. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { float16ToFloat32, toFloat16 } from '../../server/engine/runtime/float16.ts';
import { findLibrary, libraryNames } from '../../server/engine/runtime/library.ts';
import { findPackage } from '../../server/engine/runtime/nativePackages.ts';
import { defaultCacheBytes } from '../../server/engine/runtime/processMemory.ts';
import type { Runtime } from '../../server/engine/runtime/runtime.ts';
import { physicalCores } from '../../server/engine/runtime/threads.ts';
import { compareRuntimes } from '../../server/engine/verify/compareRuntimes.ts';
import { chooseRuntime, openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { GraphBuilder } from '../fixtures/graphBuilder.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();

test('the C API is what opens here, and it agrees with session.run', async () => {
	const fast = await openRuntime(false);
	const plain = await openRuntime(true);
	assert.equal(fast.kind, 'c-api');
	assert.equal(fast.fallbackReason, undefined);
	assert.equal(plain.kind, 'session.run');
	assert.equal(await compareRuntimes(fast, plain), undefined);
});

test('a runtime that gives other results is not used, and the reason is said', async () => {
	const plain = await openRuntime(true);
	const wrong: Runtime = {
		kind: 'c-api',
		version: 'x',
		open: async (path, options) => {
			const session = await plain.open(path, options);
			return {
				...session,
				createBinding: () => {
					const binding = session.createBinding();
					return {
						...binding,
						input: (name, data, dims) =>
							binding.input(
								name,
								name === 'query' ? (data.slice().fill(1 as never) as typeof data) : data,
								dims,
							),
					};
				},
			};
		},
	};
	const warnings: string[] = [];
	const listen = (warning: Error): void => void warnings.push(warning.message);
	process.on('warning', listen);
	const chosen = await chooseRuntime(
		async () => wrong,
		async (reason) => ({ ...plain, ...(reason === undefined ? {} : { fallbackReason: reason }) }),
	);
	assert.equal(chosen.kind, 'session.run');
	assert.match(chosen.fallbackReason ?? '', /does not agree/);
	const failing = await chooseRuntime(
		async () => {
			throw new Error('no such library');
		},
		async (reason) => ({ ...plain, fallbackReason: reason ?? '' }),
	);
	assert.match(failing.fallbackReason ?? '', /no such library/);
	await new Promise((resolve) => setImmediate(resolve));
	process.off('warning', listen);
	assert.equal(warnings.length, 2);
});

test('memory that is bound is read and written in place; other outputs are copied out', async () => {
	const path = join(folder, 'add.onnx');
	const builder = new GraphBuilder(path);
	builder.input('a', 'float32', ['n']);
	builder.input('b', 'float32', ['n']);
	builder.node('Add', ['a', 'b'], {}, 'sum');
	builder.node('Mul', ['a', 'b'], {}, 'product');
	builder.output('sum', 'float32', ['n']);
	builder.output('product', 'float32', ['n']);
	builder.save();
	for (const plain of [false, true]) {
		const session = await (await openRuntime(plain)).open(path, { threads: 1 });
		assert.deepEqual(
			[...session.inputs.values()].map(({ name, type, dims }) => [name, type, dims]),
			[
				['a', 'float32', [-1]],
				['b', 'float32', [-1]],
			],
		);
		const binding = session.createBinding();
		const a = Float32Array.of(1, 2, 3);
		const sum = new Float32Array(3);
		binding.input('a', a, [3]);
		binding.input('b', Float32Array.of(10, 20, 30), [3]);
		binding.output('sum', sum, [3]);
		binding.outputAny('product');
		await binding.run();
		assert.deepEqual([...sum], [11, 22, 33]);
		assert.deepEqual(binding.take('product'), {
			type: 'float32',
			dims: [3],
			data: Float32Array.of(10, 40, 90),
		});
		a[0] = 5;
		await binding.run();
		assert.equal(sum[0], 15, 'refilled memory is read again');
		binding.output('sum', new Float32Array(2), [2]);
		await assert.rejects(binding.run(), {
			code: 'internal',
			message: /^The model's graph failed while it ran\./,
		});
		binding.output('sum', sum, [3]);
		await binding.run();
		assert.equal(sum[0], 15, 'the session works after an error');
		binding.release();
		session.close();
	}
});

/** A graph of many steps, so that a run can be met in its middle: x · w · w · … */
function longGraph(): string {
	const path = join(folder, 'long.onnx');
	const builder = new GraphBuilder(path, { seed: 8 });
	let x = builder.input('x', 'float32', [256, 256]);
	const w = builder.normal('w', [256, 256], 1 / 16);
	for (let k = 0; k < 300; k++) x = builder.node('MatMul', [x, w], {}, k === 299 ? 'y' : undefined);
	builder.output('y', 'float32', [256, 256]);
	builder.save();
	return path;
}

test('a run is ended in its middle, lets no other one in, and its memory outlives it', async () => {
	const session = await (await openRuntime(false)).open(longGraph(), { threads: 1 });
	const size = [256, 256];
	const bind = () => {
		const binding = session.createBinding();
		const y = new Float32Array(256 * 256);
		binding.input('x', new Float32Array(256 * 256).fill(0.5), size);
		binding.output('y', y, size);
		return { binding, y };
	};
	const { binding, y } = bind();
	await binding.run();
	const expected = y.slice();
	assert.ok(expected.some((value) => value !== 0));
	/** True when the run ended before its result was there. */
	const isEnded = async (abort: (stop: AbortController) => void): Promise<boolean> => {
		y.fill(0);
		const stop = new AbortController();
		const run = binding.run(stop.signal);
		abort(stop);
		const reason = await run.then(
			() => undefined,
			(error: unknown) => error,
		);
		if (reason === undefined) return false;
		assert.equal((reason as { code?: string }).code, 'cancelled');
		assert.notDeepEqual(y, expected);
		await binding.run();
		assert.deepEqual(y, expected, 'the same run can be made again');
		return true;
	};
	assert.ok(await isEnded((stop) => stop.abort()));
	// On a busy machine a run may be over before this thread has its turn.
	let ended = false;
	for (let k = 0; k < 10 && !ended; k++)
		ended = await isEnded((stop) => setImmediate(() => stop.abort()));
	assert.ok(ended);
	y.fill(0);
	const inFlight = binding.run();
	await assert.rejects(binding.run(), /in flight/);
	assert.throws(() => binding.input('x', new Float32Array(256 * 256), size), /in flight/);
	binding.release();
	// What the run reads and writes must still be there.
	const other = bind();
	await Promise.all([inFlight, other.binding.run()]);
	assert.deepEqual(y, expected);
	assert.deepEqual(other.y, expected);
	await assert.rejects(binding.run(), /after release/);
	other.binding.release();
	session.close();
});

test('files that are no graphs are refused by name', async () => {
	const broken = join(folder, 'broken.onnx');
	writeFileSync(broken, 'not a graph');
	for (const plain of [false, true]) {
		const runtime = await openRuntime(plain);
		for (const path of [broken, join(folder, 'missing.onnx')]) {
			await assert.rejects(runtime.open(path, { threads: 1 }), (error: unknown) => {
				assert.ok(error instanceof Error && 'code' in error);
				assert.equal(error.code, 'unsupported_model');
				return error.message.includes(path);
			});
		}
	}
	await assert.rejects(
		(await openRuntime(false)).open(broken, { threads: 1, executionProvider: 'qnn' }),
		{
			code: 'not_supported',
		},
	);
});

test('the library is found by platform and architecture', () => {
	const fake = join(folder, 'package');
	for (const [platform, arch, file] of [
		['win32', 'x64', 'onnxruntime.dll'],
		['darwin', 'arm64', 'libonnxruntime.1.dylib'],
		['linux', 'arm64', 'libonnxruntime.so.1'],
	] as const) {
		const place = join(fake, 'bin', 'napi-v6', platform, arch);
		mkdirSync(place, { recursive: true });
		writeFileSync(join(place, file), '');
		assert.equal(findLibrary(fake, platform, arch), join(place, file));
	}
	assert.throws(() => findLibrary(fake, 'darwin', 'x64'), /darwin-x64/);
	assert.ok(libraryNames('linux').length > 0);
	assert.match(findPackage().version, /^1\.30\./);
});

test('threads and cache limits suit the machine', () => {
	const cores = physicalCores();
	assert.ok(Number.isInteger(cores) && cores >= 1);
	const gib = 2 ** 30;
	assert.equal(defaultCacheBytes(0.1 * gib, 4 * gib), gib / 4);
	assert.equal(defaultCacheBytes(4 * gib, 16 * gib), gib);
	assert.ok(defaultCacheBytes(100 * gib, 128 * gib) <= 17 * gib);
});

test('half floats are converted both ways', () => {
	for (const [value, bits] of [
		[1, 0x3c00],
		[-2, 0xc000],
		[65504, 0x7bff],
		[Infinity, 0x7c00],
		[2 ** -24, 1],
		[0.1, 0x2e66],
	] as const) {
		assert.equal(toFloat16(value), bits);
	}
	const all = Uint16Array.from({ length: 65_536 }, (_, k) => k);
	const floats = float16ToFloat32(all);
	for (const bits of all) {
		const value = floats[bits] as number;
		if (!Number.isNaN(value)) assert.equal(toFloat16(value), bits);
	}
});
