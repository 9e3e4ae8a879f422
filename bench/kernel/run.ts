/**
 * `npm run bench -- kernel [--blocks 32,64,128] [--rows 1,8,64] [--rounds N] [--layers N] [--threads N] [--bars]`:
 * the products of 4-bit weights of a 0.5B model, layer after layer, by ONNX Runtime's MatMulNBits and by the
 * engine's own operator, in turns, in one process. Processor time, because the clock says little on a busy machine.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rewriteGraph } from '../../server/engine/onnx/rewriteGraph.ts';
import type { Binding, Runtime, Session } from '../../server/engine/runtime/runtime.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { GraphBuilder } from '../../test/fixtures/graphBuilder.ts';

const hidden = 896;
const inner = 4864;
/** Shapes of a layer's products: attention's output, gate and up as one, down. */
const shapes = [
	[hidden, hidden],
	[hidden, inner],
	[inner, hidden],
] as const;

/** How many times as fast as MatMulNBits in blocks of 32 the operator has to be, by rows. */
const bars: ReadonlyMap<number, number> = new Map([
	[1, 1.7],
	[8, 2.3],
	[64, 2],
]);

function writeChain(path: string, block: number, layers: number): void {
	const g = new GraphBuilder(path, { seed: block, externalData: true });
	let x = g.input('x', 'float32', ['rows', hidden]);
	for (let layer = 0; layer < layers; layer++) {
		for (const [k, n] of shapes) {
			const name = `l${layer}.${k}.${n}`;
			const q = g.bytes(`${name}.q`, [n, k / block, block / 2]);
			const data = Float32Array.from(
				{ length: (n * k) / block },
				() => (0.1 + (g.random.bits() & 15) / 100) / Math.sqrt(k),
			);
			const s = g.weight(`${name}.s`, 'float32', [data.length], data);
			const attributes = { K: k, N: n, bits: 4, block_size: block, accuracy_level: 4 };
			x = g.node('ms:MatMulNBits', [x, q, s], attributes, `${name}.y`);
		}
	}
	g.output(x, 'float32', ['rows', hidden]);
	g.save();
}

interface Entry {
	readonly session: Session;
	readonly binding: Binding;
	readonly y: Float32Array;
	readonly ms: number[];
}

function bind(session: Session, rows: number): Entry {
	const binding = session.createBinding();
	const x = Float32Array.from({ length: rows * hidden }, (_, k) => Math.sin(k * 0.37));
	const y = new Float32Array(rows * hidden);
	binding.input('x', x, [rows, hidden]);
	const [output = ''] = session.outputs.keys();
	binding.output(output, y, [rows, hidden]);
	return { session, binding, y, ms: [] };
}

async function timed({ binding, ms }: Entry, runs: number): Promise<void> {
	const before = process.cpuUsage();
	for (let run = 0; run < runs; run++) await binding.run();
	const { user, system } = process.cpuUsage(before);
	ms.push((user + system) / 1000 / runs);
}

const median = (list: readonly number[]): number =>
	[...list].sort((a, b) => a - b)[list.length >> 1] as number;

/** Milliseconds of both for each number of rows; their results differ by less than rounding does. */
async function compare(
	runtime: Runtime,
	folder: string,
	block: number,
	options: { rows: readonly number[]; rounds: number; layers: number; threads: number },
): Promise<Map<number, number>> {
	const path = join(folder, `block${block}.onnx`);
	writeChain(path, block, options.layers);
	if (runtime.kernel === undefined || !('key' in runtime.kernel))
		throw new Error(runtime.kernel?.refused ?? 'This runtime has no operators of its own.');
	const own = await rewriteGraph(path, { kernel: runtime.kernel.key });
	if ('refused' in own) throw new Error(own.refused);
	const { threads } = options;
	const sessions = [
		await runtime.open(path, { threads, isSmall: true }),
		await runtime.open(own, { threads, isSmall: true }),
	] as const;
	const ratios = new Map<number, number>();
	for (const rows of options.rows) {
		const [nbits, ours] = sessions.map((session) => bind(session, rows)) as [Entry, Entry];
		const runs = Math.max(1, Math.round(16 / rows));
		for (const entry of [nbits, ours]) await entry.binding.run();
		for (let round = 0; round < options.rounds; round++) {
			await timed(nbits, runs);
			await timed(ours, runs);
		}
		const largest = nbits.y.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
		const apart = nbits.y.reduce(
			(most, value, k) => Math.max(most, Math.abs(value - (ours.y[k] as number))),
			0,
		);
		const products = options.layers * shapes.reduce((sum, [k, n]) => sum + k * n, 0) * rows;
		const gops = (ms: number): string => ((2 * products) / ms / 1e6).toFixed(0);
		const least = Math.min(...nbits.ms) / Math.min(...ours.ms);
		ratios.set(rows, median(nbits.ms) / median(ours.ms));
		console.log(
			`block ${block}, ${rows} rows: MatMulNBits ${median(nbits.ms).toFixed(2)} ms (${gops(median(nbits.ms))} GOPS), ` +
				`own ${median(ours.ms).toFixed(2)} ms (${gops(median(ours.ms))} GOPS): ` +
				`${ratios.get(rows)?.toFixed(2)}× by medians, ${least.toFixed(2)}× by minima; ` +
				`results ${(apart / largest).toExponential(1)} apart`,
		);
		for (const { binding } of [nbits, ours]) binding.release();
	}
	for (const session of sessions) session.close();
	return ratios;
}

/** @returns exit status: 1 where a bar is missed */
export async function runKernelBench(args: string[]): Promise<number> {
	const { values } = parseArgs({
		args,
		options: {
			blocks: { type: 'string', default: '32,64,128' },
			rows: { type: 'string', default: '1,8,64' },
			rounds: { type: 'string', default: '9' },
			layers: { type: 'string', default: '24' },
			threads: { type: 'string', default: '1' },
			bars: { type: 'boolean', default: false },
		},
	});
	const numbers = (text: string): number[] => text.split(',').map(Number);
	const [rounds, layers, threads] = [values.rounds, values.layers, values.threads].map(Number) as [
		number,
		number,
		number,
	];
	const runtime = await openRuntime(false);
	const { kernel } = runtime;
	console.log(
		`ONNX Runtime ${runtime.version}, ${kernel !== undefined && 'instructions' in kernel ? kernel.instructions : 'no kernel'}, ${threads} thread(s)`,
	);
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-kernel-bench-'));
	let missed = 0;
	try {
		for (const block of numbers(values.blocks)) {
			const options = { rows: numbers(values.rows), rounds, layers, threads };
			const ratios = await compare(runtime, folder, block, options);
			for (const [rows, bar] of block === 32 && values.bars ? bars : []) {
				const found = ratios.get(rows);
				if (found === undefined || found >= bar) continue;
				missed++;
				console.log(`BAR MISSED: ${rows} rows ${found.toFixed(2)}×, at least ${bar}×`);
			}
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	return missed > 0 ? 1 : 0;
}
