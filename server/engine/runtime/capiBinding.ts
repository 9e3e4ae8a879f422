/** {@link Binding} over IoBinding: memory of this process is read and written in place. */

import { AppError } from '../../protocol/index.ts';
import type { CApi, Pointer } from './capi.ts';
import { bindTensor, copyTensor } from './capiTensor.ts';
import { runError } from './loadError.ts';
import { startRunClock } from './runClock.ts';
import type { Binding, TensorInfo } from './runtime.ts';
import { stepMade } from './steps.ts';
import type { Tensor, TensorData } from './tensorType.ts';

export interface CapiBindingParts {
	readonly session: Pointer;
	readonly memory: Pointer;
	readonly allocator: Pointer;
	readonly isSmall: boolean;
	readonly threads: number;
	readonly inputs: ReadonlyMap<string, TensorInfo>;
	readonly outputs: ReadonlyMap<string, TensorInfo>;
}

/**
 * Expected wall time below which a run is made on this thread: handing it over and back costs more,
 * above all on a busy machine, and no message waits longer than one step.
 */
const synchronousBelowMs = 15;

const measureEvery = 16;
const pointerBytes = 8;

const maxHoldMs = 4;
let yieldedAt = 0;

/** Lets messages and aborts in when synchronous runs have followed each other for a while. */
async function breathe(): Promise<void> {
	if (performance.now() - yieldedAt < maxHoldMs) return;
	await new Promise((resolve) => setImmediate(resolve));
	yieldedAt = performance.now();
}

interface Bound {
	readonly value: Pointer;
	/** The reference that keeps the memory alive while it is bound. */
	readonly data: TensorData;
}

export function createCapiBinding(api: CApi, parts: CapiBindingParts): Binding {
	const binding = api.get('CreateIoBinding', parts.session);
	const runOptions = api.get('CreateRunOptions');
	const inputs = new Map<string, Bound>();
	const outputs = new Map<string, Bound | undefined>();
	let running = false;
	let released = false;
	let work = 1;
	let runs = 0;
	/** Processor time per unit of work, from the last run. */
	let unitMs = parts.isSmall ? 0 : Number.POSITIVE_INFINITY;
	const belowMs = synchronousBelowMs * Math.max(1, parts.threads);

	const free = (bound: Bound | undefined): void => {
		if (bound !== undefined) api.release('ReleaseValue', bound.value);
	};
	const idle = (what: string): void => {
		if (running || released) {
			throw new AppError('internal', `${what} while a run is in flight or after release.`);
		}
	};
	const info = (map: ReadonlyMap<string, TensorInfo>, name: string): TensorInfo => {
		const found = map.get(name);
		if (found === undefined) throw new AppError('internal', `The graph has no '${name}'.`);
		return found;
	};
	const destroy = (): void => {
		api.release('ReleaseIoBinding', binding);
		api.release('ReleaseRunOptions', runOptions);
		for (const bound of inputs.values()) free(bound);
		for (const bound of outputs.values()) free(bound);
		inputs.clear();
		outputs.clear();
	};

	return {
		input(name, data, dims) {
			idle('Binding an input');
			const value = bindTensor(api, parts.memory, info(parts.inputs, name).type, data, dims);
			api.call('BindInput', binding, name, value);
			free(inputs.get(name));
			inputs.set(name, { value, data });
		},
		output(name, data, dims) {
			idle('Binding an output');
			const value = bindTensor(api, parts.memory, info(parts.outputs, name).type, data, dims);
			api.call('BindOutput', binding, name, value);
			free(outputs.get(name));
			outputs.set(name, { value, data });
		},
		outputAny(name) {
			idle('Binding an output');
			info(parts.outputs, name);
			api.call('BindOutputToDevice', binding, name, parts.memory);
			free(outputs.get(name));
			outputs.set(name, undefined);
		},
		clearOutputs() {
			idle('Clearing outputs');
			api.release('ClearBoundOutputs', binding);
			for (const bound of outputs.values()) free(bound);
			outputs.clear();
		},
		expectWork(units) {
			work = Math.max(1, units);
		},
		take(name): Tensor {
			idle('Reading an output');
			// Values come in the order in which their names were first bound.
			const index = [...outputs.keys()].indexOf(name);
			const out: [Pointer | null] = [null];
			const count: [number | bigint] = [0];
			api.call('GetBoundOutputValues', binding, parts.allocator, out, count);
			const array = out[0] ?? 0n;
			const total = Number(count[0]);
			const values = new BigUint64Array(
				(api.copy(array, 'uint8_t', total * pointerBytes) as Uint8Array).slice().buffer,
			);
			try {
				const value = values[index];
				if (value === undefined) throw new AppError('internal', `Output '${name}' is not bound.`);
				return copyTensor(api, value, name);
			} finally {
				for (const value of values) api.release('ReleaseValue', value);
				api.call('AllocatorFree', parts.allocator, array);
			}
		},
		async run(signal) {
			idle('A second run');
			if (signal?.aborted === true) throw new AppError('cancelled');
			// Processor time, because on a busy machine the clock says little about the run. Asking for it
			// costs as much as a tiny run, so short runs are measured now and then.
			const isMeasured = !(unitMs * work < belowMs) || runs++ % measureEvery === 0;
			const spentMs = isMeasured ? startRunClock() : undefined;
			if (unitMs * work < belowMs) {
				try {
					api.call('RunWithBinding', parts.session, runOptions, binding);
				} catch (error) {
					throw runError(error);
				} finally {
					stepMade();
				}
				if (spentMs) unitMs = spentMs() / work;
				await breathe();
				return;
			}
			running = true;
			let stopped = false;
			const stop = (): void => {
				stopped = true;
				api.call('RunOptionsSetTerminate', runOptions);
			};
			signal?.addEventListener('abort', stop, { once: true });
			try {
				await api.callAsync('RunWithBinding', parts.session, runOptions, binding);
				if (spentMs) unitMs = spentMs() / work;
			} catch (error) {
				throw runError(error);
			} finally {
				stepMade();
				running = false;
				signal?.removeEventListener('abort', stop);
				if (stopped) api.call('RunOptionsUnsetTerminate', runOptions);
				if (released) destroy();
			}
		},
		release() {
			if (released) return;
			released = true;
			if (!running) destroy();
		},
	};
}
