/**
 * The Visual C++ runtime that ONNX Runtime's library for Windows needs. Windows does not come with it, so the packages
 * may bring it along beside the library; where neither has it, who runs a model hears what to install.
 */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../protocol/index.ts';

/** The libraries that `onnxruntime.dll` and its binding import, each behind those it imports itself. */
export const visualCLibraries: readonly string[] = [
	'vcruntime140.dll',
	'vcruntime140_1.dll',
	'msvcp140.dll',
	'msvcp140_1.dll',
	'msvcp140_atomic_wait.dll',
];

/**
 * Loads those that lie beside a library before it: by its whole path, as otherwise an older copy in the folder of the
 * system would be taken, which crashes.
 * @param load loads a library into the process and keeps it there
 */
export function preloadVisualC(
	library: string,
	load: (path: string) => void,
	platform: NodeJS.Platform = process.platform,
): void {
	if (platform !== 'win32') return;
	for (const name of visualCLibraries) {
		const path = join(dirname(library), name);
		if (existsSync(path)) load(path);
	}
}

/** `ERROR_MOD_NOT_FOUND` of Windows, in words or as a number: a library that the library needs is missing. */
const notFound = /specified module could not be found|\berror 126\b|\(126\)/i;

/** What to say where a library of Windows does not load; `undefined` where it is for another reason. */
export function visualCProblem(
	cause: unknown,
	platform: NodeJS.Platform = process.platform,
	arch: string = process.arch,
): AppError | undefined {
	const said = cause instanceof Error ? cause.message : String(cause);
	if (platform !== 'win32' || !notFound.test(said)) return undefined;
	return new AppError(
		'not_supported',
		`Windows lacks the Microsoft Visual C++ 2015–2022 runtime, without which no model can run. Install it from https://aka.ms/vs/17/release/vc_redist.${arch}.exe and try again.`,
		{ cause },
	);
}
