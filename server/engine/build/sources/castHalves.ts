/** Numbers of 16 bits as float32, in WebAssembly's vector instructions (halves.wat): a model has billions. */

import { halvesWasm } from './halvesWasm.ts';

/** Numbers that are worked on at a time: they stay in a processor's own memory. */
const numbersAtOnce = 32_768;
const pageBytes = 65_536;
/** Numbers of one turn of the kernel's loop. */
const group = 16;

/** Addresses of the halves, of what is behind them, and of the numbers that are written. */
type Cast = (from: number, end: number, into: number) => void;

interface Kernels {
	readonly bytes: Uint8Array;
	readonly numbers: Float32Array;
	readonly cast: Readonly<Record<'f16' | 'bf16', Cast>>;
}

/** What is used of the host; the server is compiled without the types of browsers. */
interface WasmHost {
	readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
	readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
	readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

let compiled: Kernels | undefined;

function kernels(): Kernels {
	if (compiled !== undefined) return compiled;
	const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: WasmHost })
		.WebAssembly;
	const memory = new Memory({ initial: (numbersAtOnce * 6) / pageBytes });
	const module = new Module(Uint8Array.from(Buffer.from(halvesWasm, 'base64')));
	const { exports } = new Instance(module, { env: { memory } });
	compiled = {
		bytes: new Uint8Array(memory.buffer, 0, numbersAtOnce * 2),
		numbers: new Float32Array(memory.buffer, numbersAtOnce * 2, numbersAtOnce),
		cast: exports as Kernels['cast'],
	};
	return compiled;
}

/**
 * @param type IEEE 754's binary16, or the upper half of float32
 * @param bytes little-endian, `2 · count`
 */
export function castHalves(type: 'f16' | 'bf16', bytes: Uint8Array, count: number): Float32Array {
	const { bytes: given, numbers, cast } = kernels();
	const found = new Float32Array(count);
	for (let at = 0; at < count; at += numbersAtOnce) {
		const to = Math.min(count, at + numbersAtOnce);
		given.set(bytes.subarray(2 * at, 2 * to));
		const length = Math.ceil((to - at) / group) * group;
		cast[type](0, 2 * length, given.length);
		found.set(to - at === numbersAtOnce ? numbers : numbers.subarray(0, to - at), at);
	}
	return found;
}
