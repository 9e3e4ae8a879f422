/** Which execution providers the installed runtime brings along, read off its files; nothing is loaded. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExecutionProvider } from '../../protocol/index.ts';
import { resolveNative } from '../runtime/nativePackages.ts';

export interface RuntimeFiles {
	readonly platform: NodeJS.Platform;
	readonly arch: string;
	/** Whether a file lies beside the runtime's library. */
	has(file: string): boolean;
}

/** The providers of the pinned runtime's npm package on a platform, and CUDA where its library was added. */
export function installedProviders(files: RuntimeFiles): ReadonlySet<ExecutionProvider> {
	const { platform, arch } = files;
	const found = new Set<ExecutionProvider>(['cpu']);
	if (platform === 'win32' || platform === 'darwin' || (platform === 'linux' && arch === 'x64'))
		found.add('webgpu');
	if (platform === 'win32') found.add('dml');
	if (platform === 'win32' && files.has('onnxruntime_providers_qnn.dll')) found.add('qnn');
	if (platform === 'darwin') found.add('coreml');
	const cuda =
		platform === 'win32' ? 'onnxruntime_providers_cuda.dll' : 'libonnxruntime_providers_cuda.so';
	if (files.has(cuda)) found.add('cuda');
	return found;
}

/** The runtime of this process. */
export function thisRuntime(): RuntimeFiles {
	const { platform, arch } = process;
	// The universal package comes without a runtime: then there is only what others serve.
	const entry = resolveNative('onnxruntime-node');
	const folder =
		entry === undefined ? undefined : join(dirname(entry), '..', 'bin', 'napi-v6', platform, arch);
	return {
		platform,
		arch,
		has: (file) => folder !== undefined && existsSync(join(folder, file)),
	};
}
