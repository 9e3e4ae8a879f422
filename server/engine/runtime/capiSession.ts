/** A graph opened through the C API. */

import type { ExecutionProvider } from '../../protocol/index.ts';
import type { CApi, Pointer } from './capi.ts';
import { createCapiBinding } from './capiBinding.ts';
import { describeTypeInfo } from './capiTensor.ts';
import type { Session, TensorInfo } from './runtime.ts';

export interface CapiSessionParts {
	readonly session: Pointer;
	readonly memory: Pointer;
	readonly allocator: Pointer;
	readonly provider: ExecutionProvider;
	readonly isSmall: boolean;
	readonly threads: number;
}

/** Reads the graph's inputs and outputs and wraps the session. */
export function createCapiSession(api: CApi, parts: CapiSessionParts): Session {
	const { session, memory, allocator } = parts;
	const list = (
		count: 'SessionGetInputCount' | 'SessionGetOutputCount',
		nameOf: 'SessionGetInputName' | 'SessionGetOutputName',
		typeOf: 'SessionGetInputTypeInfo' | 'SessionGetOutputTypeInfo',
	): Map<string, TensorInfo> => {
		const found = new Map<string, TensorInfo>();
		const total = Number(api.get(count, session));
		for (let index = 0; index < total; index++) {
			const text = api.get(nameOf, session, index, allocator);
			const name = api.readString(text);
			api.call('AllocatorFree', allocator, text);
			const info = api.get(typeOf, session, index);
			try {
				found.set(name, { name, ...describeTypeInfo(api, info, name) });
			} finally {
				api.release('ReleaseTypeInfo', info);
			}
		}
		return found;
	};
	let closed = false;
	return {
		inputs: list('SessionGetInputCount', 'SessionGetInputName', 'SessionGetInputTypeInfo'),
		outputs: list('SessionGetOutputCount', 'SessionGetOutputName', 'SessionGetOutputTypeInfo'),
		executionProvider: parts.provider,
		createBinding() {
			return createCapiBinding(api, {
				session,
				memory,
				allocator,
				isSmall: parts.isSmall,
				threads: parts.threads,
				inputs: this.inputs,
				outputs: this.outputs,
			});
		},
		close() {
			if (closed) return;
			closed = true;
			api.release('ReleaseSession', session);
		},
	};
}
