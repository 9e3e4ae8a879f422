/**
 * The search for scales, in WebAssembly's vector instructions (blocks.wat): it looks at every number a dozen times,
 * and a model has billions.
 */

import { blocksWasm } from './blocksWasm.ts';

/**
 * Quantises numbers from `from` to `end`, whole blocks of `blockBytes` bytes, all addresses in the memory:
 * codes (bytes, or halves of bytes) to `codes`, a scale per block to `scales`, a zero point per block, a byte each,
 * to `points`. `tries` to `triesEnd` are what the scale of a block is divided by; `weights`: how much each
 * number counts. A block with numbers that are not finite has a scale that is not.
 */
export type BlockKernel = (
	from: number,
	end: number,
	codes: number,
	scales: number,
	points: number,
	blockBytes: number,
	tries: number,
	triesEnd: number,
	weights: number,
) => void;

/** By `bits`, whether there are zero points, and whether numbers have weights. */
export type KernelName = `${4 | 8}${'asymmetric' | 'symmetric'}${'' | 'Weighted'}`;

interface BlockMemory {
	/** Replaced when the memory grows. */
	readonly buffer: ArrayBuffer;
	/** By pages of 64 KiB. */
	grow(pages: number): number;
}

/** What is used of the host; the server is compiled without the types of browsers. */
interface WasmHost {
	readonly Memory: new (size: { initial: number }) => BlockMemory;
	readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
	readonly Instance: new (
		module: object,
		imports: { env: { memory: BlockMemory } },
	) => { readonly exports: unknown };
}

export interface BlockKernels {
	readonly memory: BlockMemory;
	readonly exports: Readonly<Record<KernelName, BlockKernel>>;
}

let compiled: BlockKernels | undefined;

export function blockKernels(): BlockKernels {
	if (compiled !== undefined) return compiled;
	const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: WasmHost })
		.WebAssembly;
	const memory = new Memory({ initial: 1 });
	const module = new Module(Uint8Array.from(Buffer.from(blocksWasm, 'base64')));
	const { exports } = new Instance(module, { env: { memory } });
	compiled = { memory, exports: exports as BlockKernels['exports'] };
	return compiled;
}

export function kernelName(bits: 4 | 8, asymmetric: boolean, weighted: boolean): KernelName {
	return `${bits}${asymmetric ? 'asymmetric' : 'symmetric'}${weighted ? 'Weighted' : ''}`;
}
