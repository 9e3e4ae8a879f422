/**
 * The packages with native code, `onnxruntime-node` and `koffi`. A checkout and the extension hold them
 * themselves; with the command line npm installs the one package of this platform, which holds both.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { AppError, errno } from '../../protocol/index.ts';
import { nativePath } from '../../store/nativePath.ts';
import { findLibrary } from './library.ts';
import { thisSystem, unsupportedReason } from './supportedSystem.ts';
import { disableTelemetry } from './telemetry.ts';
import { libraryFiles, visualCProblem } from './visualC.ts';

export type Koffi = typeof import('koffi')['default'];
export type Ort = typeof import('onnxruntime-node');

/** npm package that holds the native packages for a platform; scripts/packageNpm.mjs makes it. */
export const platformPackage = (platform: string, arch: string): string =>
	`@nearglot/runtime-${platform}-${arch}`;

let found: NodeJS.Require | undefined;

/** A `require` that finds the native packages; where there are none, one that does not. */
function nativeRequire(): NodeJS.Require {
	found ??= findNative(createRequire(import.meta.url));
	return found;
}

/** Path of a module of the native packages, which is not loaded; `undefined` where there is none. */
export function resolveNative(name: string): string | undefined {
	try {
		return nativeRequire().resolve(name);
	} catch {
		return undefined;
	}
}

/** @param own looks from here: beside the bundles, then upwards */
function findNative(
	own: NodeJS.Require,
	platform: string = process.platform,
	arch: string = process.arch,
): NodeJS.Require {
	if (resolves(own, 'onnxruntime-node/package.json')) return own;
	const manifest = `${platformPackage(platform, arch)}/package.json`;
	return resolves(own, manifest) ? createRequire(own.resolve(manifest)) : own;
}

function resolves(from: NodeJS.Require, name: string): boolean {
	try {
		from.resolve(name);
		return true;
	} catch {
		return false;
	}
}

/** Native threads run on stacks koffi allocates; its default of 128 KiB is too thin for a prefill. */
const stacks = { async_stack_size: 8 << 20, sync_stack_size: 16 << 20 };

/**
 * Koffi with the stacks the engine needs: they can be set before the first library is loaded, whoever loads it.
 * @throws AppError `not_supported` where the package is missing
 */
export function loadKoffi(): Koffi {
	const koffi = load<Koffi>('koffi');
	// Several copies of this module may live in one process.
	const held = globalThis as { __nearglotStacks?: true };
	if (held.__nearglotStacks === undefined) koffi.config(stacks);
	held.__nearglotStacks = true;
	return koffi;
}

/** @throws AppError `not_supported` where the package is missing */
export const loadOrt = (): Ort => load<Ort>('onnxruntime-node');

/** The one place where native code comes into a process, and with it ONNX Runtime. */
function load<T>(name: string): T {
	const require = nativeRequire();
	if (!resolves(require, name)) throw missing(name);
	disableTelemetry();
	try {
		return require(name) as T;
	} catch (error) {
		throw ortProblem(name, error) ?? unsupported(error) ?? error;
	}
}

/** What to say when the binding of ONNX Runtime is there and does not load. */
function ortProblem(name: string, cause: unknown): AppError | undefined {
	if (name !== 'onnxruntime-node' || errno(cause) !== 'ERR_DLOPEN_FAILED') return undefined;
	return libraryProblem(findLibrary(findPackage().folder), cause);
}

/** What to say when a library of ONNX Runtime is there and does not load; `undefined` where nothing is known. */
export const libraryProblem = (library: string, cause: unknown): AppError | undefined =>
	visualCProblem(library, cause, { ...libraryFiles, errorOf: windowsErrorOf });

/** Looks for what a library needs in its own folder and in those of the system. */
const searchedFolders = 0x1100;

/** Number of Windows' error when a library is loaded; 0 when it loads, `undefined` where that cannot be asked. */
function windowsErrorOf(library: string): number | undefined {
	try {
		const kernel = loadKoffi().load('kernel32.dll');
		const loadLibrary = kernel.func(
			'void* __stdcall LoadLibraryExW(str16 path, void* file, uint32_t flags)',
		) as unknown as (path: string, file: null, flags: number) => unknown;
		const lastError = kernel.func('uint32_t __stdcall GetLastError()') as unknown as () => number;
		return loadLibrary(nativePath(library), null, searchedFolders) ? 0 : lastError();
	} catch {
		return undefined;
	}
}

/** What to say when a native package does not load because of the system it is on. */
function unsupported(cause: unknown): AppError | undefined {
	const reason = unsupportedReason(thisSystem());
	return reason === undefined ? undefined : new AppError('not_supported', reason, { cause });
}

/** What to say when a native package is not there. */
export function missing(name: string): AppError {
	const { platform, arch } = process;
	const reason = unsupported(undefined);
	if (reason !== undefined) return reason;
	return new AppError(
		'not_supported',
		`${name} for ${platform}-${arch} is not installed, so no model can run here. ` +
			`Install the archive of ${platformPackage(platform, arch)} beside the command line's, as docs/start/install.md says, or the editor's package for this platform.`,
	);
}

/** Folder and version of the installed onnxruntime-node. @throws AppError `not_supported` when there is none */
export function findPackage(): { readonly folder: string; readonly version: string } {
	const manifest = resolveNative('onnxruntime-node/package.json');
	if (manifest === undefined) throw missing('onnxruntime-node');
	const parsed: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
	const version =
		typeof parsed === 'object' && parsed !== null && 'version' in parsed
			? String(parsed.version)
			: 'unknown';
	return { folder: dirname(manifest), version };
}
