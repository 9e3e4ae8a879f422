/** Where onnxruntime-node keeps its native library on each platform. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../protocol/index.ts';

/** File names of the library per platform, most specific first. */
export function libraryNames(platform: NodeJS.Platform): readonly string[] {
	if (platform === 'win32') return ['onnxruntime.dll'];
	if (platform === 'darwin') return ['libonnxruntime.1.dylib', 'libonnxruntime.dylib'];
	return ['libonnxruntime.so.1', 'libonnxruntime.so'];
}

/**
 * Folder of the library inside an onnxruntime-node package.
 * The N-API folder's number changes between versions, so it is looked up.
 */
function libraryFolder(packageFolder: string, platform: string, arch: string): string {
	const bin = join(packageFolder, 'bin');
	const api = existsSync(bin)
		? readdirSync(bin).find((name) => name.startsWith('napi-'))
		: undefined;
	return join(bin, api ?? 'napi-v6', platform, arch);
}

/**
 * Absolute path of the ONNX Runtime library that onnxruntime-node ships.
 * An absolute path matters on Windows, where the system folder has an old library of the same name.
 * @throws AppError `not_supported` naming the folder searched
 */
export function findLibrary(
	packageFolder: string,
	platform: NodeJS.Platform = process.platform,
	arch: string = process.arch,
): string {
	const folder = libraryFolder(packageFolder, platform, arch);
	for (const name of libraryNames(platform)) {
		const path = join(folder, name);
		if (existsSync(path)) return path;
	}
	throw new AppError(
		'not_supported',
		`ONNX Runtime has no library for ${platform}-${arch}: looked in ${folder}.`,
	);
}
