/** The names of execution providers, the same at every door: requests, command line, model files. */

import type { ExecutionProvider } from './modelTypes.ts';

const names: ReadonlyMap<string, ExecutionProvider> = new Map<string, ExecutionProvider>([
	['cpu', 'cpu'],
	['cuda', 'cuda'],
	['dml', 'dml'],
	['directml', 'dml'],
	['webgpu', 'webgpu'],
	['coreml', 'coreml'],
	['qnn', 'qnn'],
]);

/** For error messages and descriptions. */
export const executionProviderNames: readonly string[] = [...names.keys()];

/** The provider of a name in any letter case, also as the runtime has it (`CUDAExecutionProvider`). */
export function executionProviderOf(name: string): ExecutionProvider | undefined {
	return names.get(name.toLowerCase().replace(/executionprovider$/, ''));
}
