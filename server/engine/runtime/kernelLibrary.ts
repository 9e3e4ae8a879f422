/**
 * The library with the engine's own product of 4-bit weights and 8-bit activations (`kernel/source`), an
 * operator for ONNX Runtime. Where it is missing, is not what was built, or has nothing faster for this
 * processor, products run on ONNX Runtime's own kernels.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nativePath } from '../../store/nativePath.ts';
import { libraryHashes } from '../kernel/libraryHashes.ts';
import { loadKoffi, platformPackage, resolveNative } from './nativePackages.ts';

/** Version of ONNX Runtime whose table of functions the library was built for. */
export const kernelRuntime = '1.30.0';

/** The operator's domain and name in graphs. */
export const kernelOperator = { domain: 'nearglot', op: 'MatMulInt4' } as const;

/** A library that can be used. */
export interface Kernel {
	/** Absolute path of the library. */
	readonly file: string;
	/** The instructions it uses here, as `avx512-vnni`. */
	readonly instructions: string;
	/** Changes with the library and with the instructions: so may the last bits of results. */
	readonly key: string;
}

export interface NoKernel {
	readonly refused: string;
	/** It was asked for, so it is no fault. */
	readonly isWanted: boolean;
}

/** Paths that are not slower than ONNX Runtime's wherever they were measured. */
const measured: ReadonlySet<string> = new Set(['avx512-vnni', 'avx-vnni', 'avx2']);

const extensions: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({ win32: 'dll', darwin: 'dylib' }),
);

/** File name of the library of a platform. */
export const kernelFile = (platform: string, arch: string): string =>
	`matmul-${platform}-${arch}.${extensions.get(platform) ?? 'so'}`;

/** Where it may lie: among the sources, beside the bundles, in the package of the platform. */
function kernelFolders(): string[] {
	const here = dirname(fileURLToPath(import.meta.url));
	const manifest = resolveNative(`${platformPackage(process.platform, process.arch)}/package.json`);
	return [
		join(here, '..', 'kernel', 'libraries'),
		join(here, 'kernel'),
		// Bundles of a checkout.
		join(here, '..', 'server', 'engine', 'kernel', 'libraries'),
		...(manifest === undefined ? [] : [join(dirname(manifest), 'kernel')]),
	];
}

/**
 * Opens the library.
 * @param runtime version of ONNX Runtime in this process
 * @param wanted `off`, `on`, or the name of instructions; default: `NEARGLOT_KERNEL`, else what was measured
 * @param folders where it is looked for
 */
export function openKernel(
	runtime: string,
	wanted = process.env['NEARGLOT_KERNEL'] ?? '',
	folders: readonly string[] = kernelFolders(),
): Kernel | NoKernel {
	if (wanted === 'off') return { refused: 'it is switched off (NEARGLOT_KERNEL)', isWanted: true };
	const refuse = (refused: string): NoKernel => ({ refused, isWanted: false });
	if (runtime !== kernelRuntime)
		return refuse(`it was built for ONNX Runtime ${kernelRuntime}, and this is ${runtime}`);
	const { platform, arch } = process;
	const name = kernelFile(platform, arch);
	const hash = libraryHashes[`${platform}-${arch}`];
	if (hash === undefined) return refuse(`there is none for ${platform}-${arch}`);
	const file = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
	if (file === undefined) return refuse(`${name} is missing`);
	try {
		if (createHash('sha256').update(readFileSync(file)).digest('hex') !== hash)
			return refuse(`${name} is not what was built`);
		const instructions = chooseInstructions(file, wanted);
		if (instructions === undefined) return refuse(`this processor has no ${wanted}`);
		if (wanted === '' && !measured.has(instructions))
			return refuse(`it has nothing faster for this processor (${instructions})`);
		return { file, instructions, key: `${hash} ${instructions}` };
	} catch (error) {
		return refuse(error instanceof Error ? error.message : String(error));
	}
}

/** Loads the library; `undefined` where it or the processor lacks what is wanted. */
function chooseInstructions(file: string, wanted: string): string | undefined {
	const library = loadKoffi().load(nativePath(file));
	// When a handle is collected koffi closes the library under the runtime.
	const held = globalThis as { __nearglotKernels?: unknown[] };
	held.__nearglotKernels = [...(held.__nearglotKernels ?? []), library];
	const isNamed = wanted !== '' && wanted !== 'on';
	if (isNamed && library.func('int NearglotUsePath(const char* name)')(wanted) === 0)
		return undefined;
	return library.func('const char* NearglotPath()')() as string;
}
