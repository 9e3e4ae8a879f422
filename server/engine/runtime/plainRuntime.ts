/**
 * {@link Runtime} over onnxruntime-node's own `session.run`: the fall-back where the C API cannot
 * be opened. Equal results; it blocks the process during a run and copies every output.
 */

import type { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import { nativePath } from '../../store/nativePath.ts';
import { checkedConfig } from '../modelFiles/sessionConfig.ts';
import { openCapiRuntime } from './capiRuntime.ts';
import { loadError, runError } from './loadError.ts';
import { findPackage, loadOrt, type Ort } from './nativePackages.ts';
import {
	type Binding,
	type Runtime,
	type Session,
	type TensorInfo,
	weightsFolderKey,
} from './runtime.ts';
import { stepMade } from './steps.ts';
import { elementCount, type Tensor, type TensorData, type TensorType } from './tensorType.ts';

/** Opens the fall-back runtime. `fallbackReason`: why the faster one does not work, when it was tried. */
export async function openPlainRuntime(fallbackReason?: string): Promise<Runtime> {
	// The binding makes the process's environment with its first session unless there is one, and
	// cannot turn off its telemetry: where the C API opens at all, it comes first here too.
	await openCapiRuntime().catch(() => {});
	const ort = loadOrt();
	return {
		kind: 'session.run',
		version: findPackage().version,
		...defined({ fallbackReason }),
		open: async (graph, options) => {
			const provider = options.executionProvider ?? 'cpu';
			try {
				const config = checkedConfig(options.config);
				if (typeof graph !== 'string') config.push([weightsFolderKey, nativePath(graph.folder)]);
				const settings: InferenceSession.SessionOptions = {
					executionProviders: [
						provider === 'cpu' || provider === 'qnn'
							? provider
							: { name: provider, deviceId: options.deviceId ?? 0 },
					] as InferenceSession.ExecutionProviderConfig[],
					intraOpNumThreads: options.threads,
					interOpNumThreads: 1,
					graphOptimizationLevel: 'all',
					logSeverityLevel: 4,
					extra: nested(config),
				};
				const session = await (typeof graph === 'string'
					? ort.InferenceSession.create(nativePath(graph), settings)
					: ort.InferenceSession.create(graph.bytes, settings));
				return wrap(ort, session, provider);
			} catch (error) {
				throw error instanceof AppError ? error : loadError(graph, error);
			}
		},
	};
}

/** `{'session.a.b': 'x'}` → `{session: {a: {b: 'x'}}}`, the form the binding takes. */
function nested(
	config: readonly (readonly [key: string, value: string])[],
): Record<string, unknown> {
	// Without a prototype no name leads out of the object.
	const empty = (): Record<string, unknown> => Object.create(null);
	const root = empty();
	for (const [key, value] of config) {
		const path = key.split('.');
		let node = root;
		for (const part of path.slice(0, -1)) {
			const next = (node[part] ?? empty()) as Record<string, unknown>;
			node[part] = next;
			node = next;
		}
		node[path[path.length - 1] ?? key] = value;
	}
	return root;
}

function infos(metadata: readonly InferenceSession.ValueMetadata[]): Map<string, TensorInfo> {
	const found = new Map<string, TensorInfo>();
	for (const value of metadata) {
		if (!value.isTensor) continue;
		const dims = value.shape.map((dim) => (typeof dim === 'number' ? dim : -1));
		found.set(value.name, { name: value.name, type: value.type as TensorType, dims });
	}
	return found;
}

function wrap(
	ort: Ort,
	session: InferenceSession,
	executionProvider: Session['executionProvider'],
): Session {
	const inputs = infos(session.inputMetadata);
	const outputs = infos(session.outputMetadata);
	return {
		inputs,
		outputs,
		executionProvider,
		createBinding: () => createBinding(ort, session, inputs),
		close: () => {
			void session.release();
		},
	};
}

interface Bound {
	readonly data: TensorData;
	readonly dims: readonly number[];
}

function createBinding(
	ort: Ort,
	session: InferenceSession,
	inputs: ReadonlyMap<string, TensorInfo>,
): Binding {
	const feeds = new Map<string, OrtTensor>();
	const outputs = new Map<string, Bound | undefined>();
	let results: InferenceSession.OnnxValueMapType = {};
	return {
		input(name, data, dims) {
			const type = inputs.get(name)?.type;
			if (type === undefined) throw new AppError('internal', `The graph has no '${name}'.`);
			const count = elementCount(dims);
			const view = data.length === count ? data : data.subarray(0, count);
			feeds.set(name, feed(ort, type, view, dims));
		},
		output(name, data, dims) {
			outputs.set(name, { data, dims });
		},
		outputAny(name) {
			outputs.set(name, undefined);
		},
		clearOutputs() {
			outputs.clear();
			results = {};
		},
		expectWork() {
			// Every run blocks here, whatever its length.
		},
		take(name): Tensor {
			const result = results[name] as OrtTensor | undefined;
			if (result === undefined) throw new AppError('internal', `Output '${name}' is not bound.`);
			return { type: result.type as TensorType, dims: result.dims, data: bits(result.data) };
		},
		async run(signal) {
			if (signal?.aborted === true) throw new AppError('cancelled');
			try {
				results = await session.run(Object.fromEntries(feeds), [...outputs.keys()]);
			} catch (error) {
				throw runError(error);
			} finally {
				stepMade();
			}
			for (const [name, bound] of outputs) {
				if (bound === undefined) continue;
				const result = results[name] as OrtTensor;
				const wanted = bound.dims.join();
				if (result.dims.join() !== wanted) {
					throw runError(new Error(`Output '${name}' is ${result.dims.join()}, not ${wanted}.`));
				}
				(bound.data as Float32Array).set(bits(result.data) as Float32Array);
			}
		},
		release() {
			feeds.clear();
			outputs.clear();
			results = {};
		},
	};
}

/**
 * On a Node that has Float16Array the library's tensor turns half bits into one, which its own native
 * part cannot read; a plain object of the same shape is passed instead.
 */
function feed(ort: Ort, type: TensorType, data: TensorData, dims: readonly number[]): OrtTensor {
	if (type !== 'float16') return new ort.Tensor(type as 'float32', data as Float32Array, [...dims]);
	return {
		type,
		dims: [...dims],
		data,
		location: 'cpu',
		size: data.length,
	} as unknown as OrtTensor;
}

/** Newer Node gives float16 as Float16Array; the engine keeps the bits. */
function bits(data: OrtTensor.DataType): TensorData {
	const view = data as TensorData;
	return view.constructor.name === 'Float16Array'
		? new Uint16Array(view.buffer, view.byteOffset, view.length)
		: view;
}
