/**
 * The one small interface between the engine and ONNX Runtime. Two implementations: the C API
 * (asynchronous, in place, cancellable) and `session.run` (fall-back). Neither leaks outside.
 */

import type { ExecutionProvider } from '../../protocol/index.ts';
import type { GraphSource } from '../modelFiles/graphSource.ts';
import type { Kernel, NoKernel } from './kernelLibrary.ts';
import type { Tensor, TensorData, TensorType } from './tensorType.ts';

export type { Tensor, TensorData, TensorType };

/** Name, element type and shape of a graph input or output; −1 marks a symbolic dimension. */
export interface TensorInfo {
	readonly name: string;
	readonly type: TensorType;
	readonly dims: readonly number[];
}

/** A weight in a file, mapped once and used by several sessions of one model. */
export interface SharedWeight {
	readonly name: string;
	/** ONNX element type number. */
	readonly typeCode: number;
	readonly dims: readonly number[];
	readonly file: string;
	readonly offset: number;
	readonly length: number;
	/** The weight itself where it is not what the file has. */
	readonly bytes?: Uint8Array;
}

/** Sessions opened with equal keys share these weights, also in their packed form. */
export interface WeightSharing {
	readonly key: string;
	readonly weights: readonly SharedWeight[];
	/** Names of those that were made unsigned; graphs opened with them may use these. */
	readonly unsigned?: ReadonlySet<string>;
}

export interface SessionOptions {
	/** Intra-op threads. */
	readonly threads: number;
	readonly executionProvider?: ExecutionProvider;
	readonly deviceId?: number;
	/** The weights are few: a run takes less time than handing it to another thread. */
	readonly isSmall?: boolean;
	/** Configuration entries (`session.…`) of the model's own `session_options`; only those of `modelFiles/sessionConfig.ts` are taken. */
	readonly config?: Readonly<Record<string, string>>;
	/** Activations of 4-bit weights in single precision, on the CPU. */
	readonly exact?: boolean;
	/** Ignored where files cannot be mapped (`session.run`): each session then has its own. */
	readonly sharing?: WeightSharing;
}

/**
 * Configuration entry that says where the weights of a graph in memory are. Never taken from a model.
 * Source: onnxruntime_session_options_config_keys.h.
 */
export const weightsFolderKey = 'session.model_external_initializers_file_folder_path';

/** Opens graphs. One per process and kind. */
export interface Runtime {
	readonly kind: 'c-api' | 'session.run';
	/** Version of ONNX Runtime, e.g. `1.30.0`. */
	readonly version: string;
	/** Why the faster kind is not used, when it does not work; absent where this kind was asked for. */
	readonly fallbackReason?: string;
	/** The engine's own operators, which graphs in memory may have; absent where no library can be opened. */
	readonly kernel?: Kernel | NoKernel;
	/**
	 * Loads a graph.
	 * @throws AppError `unsupported_model` naming the file and the fault
	 */
	open(graph: GraphSource, options: SessionOptions): Promise<Session>;
}

/** A loaded graph. Runs of different bindings may overlap; one binding runs once at a time. */
export interface Session {
	readonly inputs: ReadonlyMap<string, TensorInfo>;
	readonly outputs: ReadonlyMap<string, TensorInfo>;
	readonly executionProvider: ExecutionProvider;
	createBinding(): Binding;
	/** Releases the graph; the caller has released its bindings and no run is in flight. */
	close(): void;
}

/**
 * Named inputs and outputs of a run. Everything bound is referenced until it is replaced or the
 * binding is released. Input and output may be the same memory where the graph works in place.
 */
export interface Binding {
	/** Binds memory as an input; the array may be refilled between runs without binding again. */
	input(name: string, data: TensorData, dims: readonly number[]): void;
	/** Binds memory that the run writes. */
	output(name: string, data: TensorData, dims: readonly number[]): void;
	/** Lets the run allocate this output; read it with {@link take}. */
	outputAny(name: string): void;
	/** Forgets all outputs. */
	clearOutputs(): void;
	/** Says how much the next run computes, in any unit (tokens): short runs are made synchronously. */
	expectWork(units: number): void;
	/** Copy of an output bound with {@link outputAny}, after a run. */
	take(name: string): Tensor;
	/**
	 * Runs the graph. Aborting ends the run between two nodes (C API) and rejects with `cancelled`;
	 * what it was writing is then undefined.
	 */
	run(signal?: AbortSignal): Promise<void>;
	release(): void;
}
