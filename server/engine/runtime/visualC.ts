/**
 * The Visual C++ runtime that ONNX Runtime's library for Windows needs. Windows does not come with it, so the packages
 * may bring it along beside the library; where neither has it, who runs a model hears what to install. That is found
 * out by files and numbers: what Windows says is in the language of its user.
 */

import { existsSync } from 'node:fs';
import { win32 } from 'node:path';
import { AppError } from '../../protocol/index.ts';

/** The libraries that `onnxruntime.dll` and its binding import, each behind those it imports itself. */
export const visualCLibraries: readonly string[] = [
	'vcruntime140.dll',
	'vcruntime140_1.dll',
	'msvcp140.dll',
	'msvcp140_1.dll',
	'msvcp140_atomic_wait.dll',
];

/** What is asked of the system; tests put another one in its place. */
export interface LibrarySystem {
	readonly platform: NodeJS.Platform;
	readonly arch: string;
	/** Folder of Windows' own libraries. */
	readonly systemFolder: string;
	exists(path: string): boolean;
	/** Number of Windows' error when the library is loaded; `undefined` where that cannot be asked. */
	errorOf(library: string): number | undefined;
}

/** This machine, as far as files tell. */
export const libraryFiles: Omit<LibrarySystem, 'errorOf'> = {
	platform: process.platform,
	arch: process.arch,
	systemFolder: win32.join(process.env['SystemRoot'] || 'C:\\Windows', 'System32'),
	exists: existsSync,
};

/**
 * Loads those that lie beside a library before it: by its whole path, as otherwise an older copy in the folder of the
 * system would be taken, which crashes.
 * @param load loads a library into the process and keeps it there
 */
export function preloadVisualC(
	library: string,
	load: (path: string) => void,
	{ platform, exists }: Pick<LibrarySystem, 'platform' | 'exists'> = libraryFiles,
): void {
	if (platform !== 'win32') return;
	for (const name of visualCLibraries) {
		const path = win32.join(win32.dirname(library), name);
		if (exists(path)) load(path);
	}
}

/** Numbers of Windows for a library that does not load. */
const moduleNotFound = 126;
/** An old runtime: it lacks a function, or the library's own start fails in it. */
const tooOld: ReadonlySet<number | undefined> = new Set([127, 1114]);
/** For another processor, or cut off. */
const notExecutable = 193;

/**
 * What to say where a library of Windows does not load; `undefined` where it is for another reason.
 * @param library its whole path
 */
export function visualCProblem(
	library: string,
	cause: unknown,
	system: LibrarySystem,
): AppError | undefined {
	const { platform, arch, systemFolder, exists } = system;
	if (platform !== 'win32' || !exists(library)) return undefined;
	const problem = (what: string) => new AppError('not_supported', what, { cause });
	const remedy = `Install it from https://aka.ms/vs/17/release/vc_redist.${arch}.exe and try again.`;
	const lacking = visualCLibraries
		// Windows on ARM has no second part of the first one.
		.filter((name) => arch !== 'arm64' || name !== 'vcruntime140_1.dll')
		.filter((name) =>
			[win32.dirname(library), systemFolder].every((folder) => !exists(win32.join(folder, name))),
		);
	if (lacking.length > 0)
		return problem(
			`Windows lacks the Microsoft Visual C++ 2015–2022 runtime (${lacking.join(', ')}), without which no model can run. ${remedy}`,
		);
	const error = system.errorOf(library);
	if (tooOld.has(error))
		return problem(
			`The Microsoft Visual C++ runtime of this Windows is too old for ${library} (error ${error}), so no model can run. ${remedy}`,
		);
	if (error === moduleNotFound)
		return problem(
			`A library that ${library} needs is missing in this Windows (error ${error}), so no model can run. Install Windows' updates and the Microsoft Visual C++ runtime: https://aka.ms/vs/17/release/vc_redist.${arch}.exe`,
		);
	if (error === notExecutable)
		return problem(
			`${library} is damaged or for another processor than ${arch} (error ${error}), so no model can run. Install Nearglot again.`,
		);
	return undefined;
}
