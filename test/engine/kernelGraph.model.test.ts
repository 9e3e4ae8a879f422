/** Graphs whose products of 4-bit weights run on the engine's own operator, and those that stay as they are. */

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { useInt4Kernel } from '../../server/engine/onnx/int4Kernel.ts';
import { decodeModel } from '../../server/engine/onnx/onnxModel.ts';
import { type RewrittenGraph, rewriteGraph } from '../../server/engine/onnx/rewriteGraph.ts';
import { toFloat16 } from '../../server/engine/runtime/float16.ts';
import { type Kernel, kernelFile, openKernel } from '../../server/engine/runtime/kernelLibrary.ts';
import { findPackage } from '../../server/engine/runtime/nativePackages.ts';
import type { Runtime } from '../../server/engine/runtime/runtime.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { GraphBuilder } from '../fixtures/graphBuilder.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();
const { version } = findPackage();
const runtime = await openRuntime(false);
const kernel = runtime.kernel !== undefined && 'key' in runtime.kernel ? runtime.kernel : undefined;
const options = { skip: kernel === undefined && `no kernel: ${JSON.stringify(runtime.kernel)}` };

interface Form {
	readonly block?: number;
	readonly level?: number;
	readonly zeros?: boolean;
	readonly external?: boolean;
	/** Activations, scales and results in float16, between casts. */
	readonly half?: boolean;
}

const inner = 416;
const columns = 84;

/** A graph of one product; returns its path. */
function writeProduct(
	name: string,
	{ block = 32, level = 4, zeros = false, external, half }: Form = {},
) {
	const path = join(folder, `${name}.onnx`);
	const g = new GraphBuilder(path, { seed: 5, externalData: external === true });
	const blocks = Math.ceil(inner / block);
	const x = g.input('x', 'float32', ['batch', 'rows', inner]);
	const q = g.bytes('q', [columns, blocks, block / 2]);
	const scales = Float32Array.from(
		{ length: columns * blocks },
		() => 0.01 + (g.random.bits() & 63) / 1000,
	);
	const s = half
		? g.weight('s', 'float16', [scales.length], Uint16Array.from(scales, toFloat16))
		: g.weight('s', 'float32', [scales.length], scales);
	const inputs = [half ? g.node('Cast', [x], { to: 10 }) : x, q, s];
	if (zeros) inputs.push(g.bytes('z', [columns, Math.ceil(blocks / 2)]));
	const attributes = { K: inner, N: columns, bits: 4, block_size: block, accuracy_level: level };
	const product = g.node('ms:MatMulNBits', inputs, attributes, half ? 'h' : 'y');
	g.output(half ? g.node('Cast', [product], { to: 1 }, 'y') : product, 'float32', [
		'batch',
		'rows',
		columns,
	]);
	g.save();
	return path;
}

async function run(
	using: Runtime,
	graph: string | RewrittenGraph,
	rows: number,
	threads: number,
): Promise<Float32Array> {
	const session = await using.open(graph, { threads });
	const binding = session.createBinding();
	try {
		const x = Float32Array.from({ length: 2 * rows * inner }, (_, k) => Math.sin(k * 1.7));
		const y = new Float32Array(2 * rows * columns);
		binding.input('x', x, [2, rows, inner]);
		binding.output('y', y, [2, rows, columns]);
		await binding.run();
		return y;
	} finally {
		binding.release();
		session.close();
	}
}

async function rewritten(path: string): Promise<RewrittenGraph> {
	const made = await rewriteGraph(path, { kernel: (kernel as Kernel).key });
	assert.ok(!('refused' in made), JSON.stringify(made));
	return made;
}

for (const form of [
	{},
	{ block: 64 },
	{ block: 128 },
	{ zeros: true },
	{ external: true },
	{ half: true, zeros: true },
] as readonly Form[]) {
	test(
		`a graph gives what MatMulNBits gives, with 1 to 4 threads the same bits: ${JSON.stringify(form)}`,
		options,
		async () => {
			const path = writeProduct(`same${JSON.stringify(form).replace(/\W/g, '')}`, form);
			const own = await rewritten(path);
			assert.ok(Buffer.from(own.bytes).includes('MatMulInt4'));
			const most = form.half ? 1e-3 : 1e-4;
			for (const rows of [1, 3, 40]) {
				const published = await run(runtime, path, rows, 1);
				const alone = await run(runtime, own, rows, 1);
				const largest = published.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
				for (const [k, value] of published.entries())
					assert.ok(Math.abs(value - (alone[k] as number)) < largest * most, `element ${k}`);
				for (const threads of [2, 3, 4])
					assert.deepEqual(await run(runtime, own, rows, threads), alone, `${threads} threads`);
			}
		},
	);
}

test('products that compute in single precision, or in other blocks, stay as they are', async () => {
	for (const form of [{ level: 0 }, { level: 1 }, { block: 16 }, { block: 256 }]) {
		const model = decodeModel(readFileSync(writeProduct('kept', form)));
		assert.match(useInt4Kernel(model) ?? '', /no product/);
		assert.equal(model.graph.nodes[0]?.op, 'MatMulNBits');
	}
});

test(
	'weights that do not fit what the operator is told are refused, not read',
	options,
	async () => {
		const path = join(folder, 'short.onnx');
		const g = new GraphBuilder(path);
		const x = g.input('x', 'float32', ['rows', 64]);
		const q = g.bytes('q', [16, 2, 16]);
		const s = g.weight('s', 'float32', [32], new Float32Array(32).fill(1));
		const attributes = { K: 64, N: 1600, bits: 4, block_size: 32, accuracy_level: 4 };
		g.output(g.node('ms:MatMulNBits', [x, q, s], attributes, 'y'), 'float32', ['rows', 1600]);
		g.save();
		await assert.rejects(runtime.open(await rewritten(path), { threads: 1 }), /weights do not fit/);
	},
);

test('the kernel is of the runtime that is shipped', () => {
	const own = openKernel(version, 'on');
	const refused = 'refused' in own ? own.refused : '';
	assert.doesNotMatch(refused, /was built for/);
	assert.match(text(openKernel('1.31.0', 'on')), /built for ONNX Runtime .* this is 1\.31\.0/);
});

test('what is missing, damaged, switched off or of another processor is not used', () => {
	const name = kernelFile(process.platform, process.arch);
	assert.deepEqual(openKernel(version, 'off'), {
		refused: 'it is switched off (NEARGLOT_KERNEL)',
		isWanted: true,
	});
	const empty = join(folder, 'empty');
	mkdirSync(empty);
	assert.match(text(openKernel(version, '', [empty])), /is missing/);
	writeFileSync(join(empty, name), 'not a library');
	assert.match(text(openKernel(version, '', [empty])), /is not what was built/);
	const real = fileURLToPath(
		new URL(`../../server/engine/kernel/libraries/${name}`, import.meta.url),
	);
	if (!existsSync(real)) return;
	const bytes = readFileSync(real);
	bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
	writeFileSync(join(empty, name), bytes);
	assert.match(text(openKernel(version, '', [empty])), /is not what was built/);
	copyFileSync(real, join(empty, name));
	assert.match(text(openKernel(version, 'sse9', [empty])), /this processor has no sse9/);
});

function text(found: ReturnType<typeof openKernel>): string {
	return 'refused' in found ? found.refused : `it opens: ${found.instructions}`;
}
