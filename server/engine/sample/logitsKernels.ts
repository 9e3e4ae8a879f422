/**
 * The three passes over all logits of a position, in WebAssembly's vector instructions (logits.wat):
 * largest entry of every block, sum of exponentials, numbers of entries by magnitude. The logits are
 * copied into its memory; the engine works on those of one position at a time.
 */

import { AppError } from '../../protocol/index.ts';
import { logitsWasm } from './logitsWasm.ts';

/** Entries per block. */
export const blockSize = 64;
const blockBytes = blockSize * 4;

/** What is used of the host; the server is compiled without the types of browsers. */
interface WebAssemblyHost {
	readonly Memory: new (size: { initial: number }) => WasmMemory;
	readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
	readonly Instance: new (
		module: object,
		imports: { env: { memory: WasmMemory } },
	) => { readonly exports: unknown };
}

interface WasmMemory {
	/** Replaced when the memory grows. */
	readonly buffer: ArrayBuffer;
	/** By pages of 64 KiB. */
	grow(pages: number): number;
}

/** Functions of logits.wat; places are bytes of the memory. */
interface Exports {
	maxima(logits: number, end: number, largest: number): number;
	sum(logits: number, end: number, max: number): number;
	count(
		logits: number,
		end: number,
		largest: number,
		max: number,
		scale: number,
		counts: number,
		classes: number,
		min: number,
	): void;
}

/** Logits in the memory of the kernels. */
export interface LoadedLogits {
	/** The entries, then −∞ to the end of the last block. */
	readonly padded: Float32Array;
	/** Largest entry of each block, −∞ where all are −∞ or NaN. */
	readonly largest: Float32Array;
	readonly max: number;
}

/** Maximum classes that {@link LogitsKernels.count} tells apart. */
export const maxClasses = 26 * 512;
const pageBytes = 65_536;

/** The memory and what works on it: counts first, then the logits, then the largest entries. */
class LogitsKernels {
	readonly #memory: WasmMemory;
	readonly #exports: Exports;
	readonly #logits = (maxClasses + 4) * 4;
	#end = 0;
	#loaded: Float32Array | undefined;

	constructor() {
		const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyHost })
			.WebAssembly;
		this.#memory = new Memory({ initial: 1 });
		const module = new Module(Uint8Array.from(Buffer.from(logitsWasm, 'base64')));
		const { exports } = new Instance(module, { env: { memory: this.#memory } });
		this.#exports = exports as Exports;
	}

	/**
	 * Copies logits in; the rest of its last block is −∞. Copy and largest entries are valid until the
	 * next call.
	 */
	load(values: Float32Array): LoadedLogits {
		const blocks = Math.max(1, Math.ceil(values.length / blockSize));
		const lacking = this.#logits + blocks * (blockBytes + 4) - this.#memory.buffer.byteLength;
		if (lacking > 0) this.#memory.grow(Math.ceil(lacking / pageBytes));
		const { buffer } = this.#memory;
		this.#end = this.#logits + blocks * blockBytes;
		const padded = new Float32Array(buffer, this.#logits, blocks * blockSize);
		padded.set(values);
		padded.fill(Number.NEGATIVE_INFINITY, values.length);
		this.#loaded = padded;
		const max = this.#exports.maxima(this.#logits, this.#end, this.#end);
		return { padded, largest: new Float32Array(buffer, this.#end, blocks), max };
	}

	#expect({ padded }: LoadedLogits): void {
		if (padded !== this.#loaded)
			throw new AppError('internal', 'Other logits have been loaded since.');
	}

	/** Σ e^(entry − max). */
	sum(loaded: LoadedLogits): number {
		this.#expect(loaded);
		const { max } = loaded;
		return this.#exports.sum(this.#logits, this.#end, max);
	}

	/**
	 * Numbers of entries by the whole part of (max − entry) · scale in float32, for the whole parts
	 * below `classes`. Valid until the next call.
	 */
	count(loaded: LoadedLogits, scale: number, classes: number): Int32Array {
		this.#expect(loaded);
		const { max } = loaded;
		const counts = new Int32Array(this.#memory.buffer, 0, classes + 1).fill(0);
		const min = max - (classes + 1) / scale;
		this.#exports.count(this.#logits, this.#end, this.#end, max, scale, 0, classes, min);
		return counts.subarray(0, classes);
	}
}

export const logitsKernels = new LogitsKernels();
