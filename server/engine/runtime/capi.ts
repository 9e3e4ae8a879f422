/**
 * ONNX Runtime's C API through koffi. Only this file knows addresses, indices and prototypes; all
 * other files see typed functions that throw on a bad status.
 */

import { AppError } from '../../protocol/index.ts';
import { nativePath } from '../../store/nativePath.ts';
import { findLibrary } from './library.ts';
import { findPackage, type Koffi, libraryProblem, loadKoffi } from './nativePackages.ts';
import { preloadVisualC } from './visualC.ts';

/** An address; 0 is null. */
export type Pointer = bigint;

/** What koffi gives for a prototype. `async` takes a callback as its last argument. */
type NativeFunction = ((...args: readonly unknown[]) => unknown) & {
	readonly async: (...args: readonly unknown[]) => void;
};

/** Index in `OrtApi` and C prototype. Entries of that table are only ever appended. */
const statusCalls = {
	CreateEnvWithGlobalThreadPools: [
		119,
		'int level, const char* id, void* threading, _Out_ void** out',
	],
	DisableTelemetryEvents: [6, 'void* env'],
	CreateThreadingOptions: [121, '_Out_ void** out'],
	SetGlobalIntraOpNumThreads: [147, 'void* options, int threads'],
	SetGlobalInterOpNumThreads: [148, 'void* options, int threads'],
	SetGlobalSpinControl: [149, 'void* options, int allow'],
	CreateSessionOptions: [10, '_Out_ void** out'],
	RegisterCustomOpsLibrary: [29, 'void* options, PATH path, _Out_ void** library'],
	SetIntraOpNumThreads: [24, 'void* options, int threads'],
	SetInterOpNumThreads: [25, 'void* options, int threads'],
	DisablePerSessionThreads: [120, 'void* options'],
	SetSessionLogSeverityLevel: [22, 'void* options, int level'],
	SetSessionGraphOptimizationLevel: [23, 'void* options, int level'],
	AddSessionConfigEntry: [130, 'void* options, const char* key, const char* value'],
	AddInitializer: [150, 'void* options, const char* name, void* value'],
	SessionOptionsAppendExecutionProvider: [
		216,
		'void* options, const char* name, const char** keys, const char** values, size_t count',
	],
	SessionOptionsAppendExecutionProvider_CUDA_V2: [204, 'void* options, void* cuda'],
	CreateCUDAProviderOptions: [205, '_Out_ void** out'],
	UpdateCUDAProviderOptions: [
		206,
		'void* cuda, const char** keys, const char** values, size_t count',
	],
	CreateSession: [7, 'void* env, PATH path, void* options, _Out_ void** out'],
	CreateSessionFromArray: [
		8,
		'void* env, const void* data, size_t length, void* options, _Out_ void** out',
	],
	CreatePrepackedWeightsContainer: [166, '_Out_ void** out'],
	CreateSessionWithPrepackedWeightsContainer: [
		168,
		'void* env, PATH path, void* options, void* container, _Out_ void** out',
	],
	CreateSessionFromArrayWithPrepackedWeightsContainer: [
		169,
		'void* env, const void* data, size_t length, void* options, void* container, _Out_ void** out',
	],
	SessionGetInputCount: [30, 'void* session, _Out_ size_t* out'],
	SessionGetOutputCount: [31, 'void* session, _Out_ size_t* out'],
	SessionGetInputTypeInfo: [33, 'void* session, size_t index, _Out_ void** out'],
	SessionGetOutputTypeInfo: [34, 'void* session, size_t index, _Out_ void** out'],
	SessionGetInputName: [36, 'void* session, size_t index, void* allocator, _Out_ void** out'],
	SessionGetOutputName: [37, 'void* session, size_t index, void* allocator, _Out_ void** out'],
	CastTypeInfoToTensorInfo: [55, 'void* info, _Out_ void** out'],
	GetTensorElementType: [60, 'void* info, _Out_ int* out'],
	GetDimensionsCount: [61, 'void* info, _Out_ size_t* out'],
	GetDimensions: [62, 'void* info, _Out_ int64_t* dims, size_t count'],
	GetTensorTypeAndShape: [65, 'void* value, _Out_ void** out'],
	GetTensorMutableData: [51, 'void* value, _Out_ void** out'],
	CreateCpuMemoryInfo: [69, 'int allocator, int memory, _Out_ void** out'],
	CreateTensorWithDataAsOrtValue: [
		49,
		'void* memory, void* data, size_t bytes, const int64_t* dims, size_t rank, int type, _Out_ void** out',
	],
	GetAllocatorWithDefaultOptions: [78, '_Out_ void** out'],
	AllocatorFree: [76, 'void* allocator, void* data'],
	CreateIoBinding: [134, 'void* session, _Out_ void** out'],
	BindInput: [136, 'void* binding, const char* name, void* value'],
	BindOutput: [137, 'void* binding, const char* name, void* value'],
	BindOutputToDevice: [138, 'void* binding, const char* name, void* memory'],
	GetBoundOutputNames: [
		139,
		'void* binding, void* allocator, _Out_ void** names, _Out_ void** lengths, _Out_ size_t* count',
	],
	GetBoundOutputValues: [
		140,
		'void* binding, void* allocator, _Out_ void** values, _Out_ size_t* count',
	],
	CreateRunOptions: [39, '_Out_ void** out'],
	RunOptionsSetTerminate: [46, 'void* options'],
	RunOptionsUnsetTerminate: [47, 'void* options'],
	RunWithBinding: [133, 'void* session, void* options, void* binding'],
} as const satisfies Record<string, readonly [number, string]>;

const releaseCalls = {
	ReleaseStatus: 93,
	ReleaseSession: 95,
	ReleaseValue: 96,
	ReleaseRunOptions: 97,
	ReleaseTypeInfo: 98,
	ReleaseTensorTypeAndShapeInfo: 99,
	ReleaseSessionOptions: 100,
	ReleaseThreadingOptions: 122,
	ReleaseIoBinding: 135,
	ClearBoundOutputs: 142,
	ReleasePrepackedWeightsContainer: 167,
	ReleaseCUDAProviderOptions: 208,
} as const;

export type StatusCall = keyof typeof statusCalls;
export type ReleaseCall = keyof typeof releaseCalls;

/** An error ONNX Runtime reported. `code` is its `OrtErrorCode`. */
export class OrtError extends Error {
	readonly code: number;

	constructor(call: string, code: number, message: string) {
		super(`${call}: ${message}`);
		this.name = 'OrtError';
		this.code = code;
	}
}

/** The opened library. */
export interface CApi {
	readonly version: string;
	/** Calls a function that returns a status. @throws OrtError */
	call(name: StatusCall, ...args: readonly unknown[]): void;
	/** As {@link call}, for functions whose last parameter receives a pointer or number. */
	get(name: StatusCall, ...args: readonly unknown[]): Pointer;
	/** As {@link call}, on a thread of libuv's pool. */
	callAsync(name: StatusCall, ...args: readonly unknown[]): Promise<void>;
	getAsync(name: StatusCall, ...args: readonly unknown[]): Promise<Pointer>;
	release(name: ReleaseCall, pointer: Pointer): void;
	readString(pointer: Pointer, length?: number): string;
	/** Copies `length` elements of the C type from native memory. */
	copy(pointer: Pointer, cType: string, length: number): unknown;
}

/** Oldest `ORT_API_VERSION` that holds every function used here. */
const apiVersion = 20;

/**
 * When the handle is collected koffi closes the library under our function pointers, so it must be
 * reachable for as long as the process lives.
 */
const held = globalThis as { __nearglotOrtLibrary?: unknown; __nearglotVisualC?: unknown[] };

let opened: Promise<CApi> | undefined;

/** Opens the library once per process. @throws AppError `not_supported` when it cannot be opened */
export function openCApi(): Promise<CApi> {
	opened ??= load();
	return opened;
}

function loadLibrary(koffi: Koffi, path: string) {
	try {
		const needed: unknown[] = [];
		held.__nearglotVisualC = needed;
		preloadVisualC(path, (library) => needed.push(koffi.load(nativePath(library))));
		return koffi.load(nativePath(path));
	} catch (error) {
		throw libraryProblem(path, error) ?? error;
	}
}

async function load(): Promise<CApi> {
	const koffi = loadKoffi();
	const path = findLibrary(findPackage().folder);
	const library = loadLibrary(koffi, path);
	held.__nearglotOrtLibrary = library;

	const base = library.func('void* OrtGetApiBase()')() as Pointer;
	const [getApi, getVersion] = koffi.decode(base, koffi.array('void*', 2)) as [Pointer, Pointer];
	const version = (
		koffi.decode(getVersion, koffi.proto('const char* OrtGetVersionString()')) as NativeFunction
	)() as string;
	const api = (
		koffi.decode(getApi, koffi.proto('void* OrtGetApi(uint32_t version)')) as NativeFunction
	)(apiVersion) as Pointer;
	if (!api) {
		throw new AppError(
			'not_supported',
			`ONNX Runtime ${version} at ${path} is too old for this engine.`,
		);
	}

	const last = Math.max(
		...Object.values(statusCalls).map(([index]) => index),
		...Object.values(releaseCalls),
	);
	const table = koffi.decode(api, koffi.array('void*', last + 1)) as Pointer[];
	const bind = (name: string, index: number, result: string, args: string): NativeFunction =>
		koffi.decode(
			table[index] ?? 0n,
			koffi.proto(`${result} Ort_${name}(${args})`),
		) as NativeFunction;
	// Paths are ORTCHAR_T: UTF-16 on Windows, bytes elsewhere.
	const pathType = process.platform === 'win32' ? 'str16' : 'const char*';
	const functions = new Map<string, NativeFunction>();
	for (const [name, [index, args]] of Object.entries(statusCalls)) {
		functions.set(name, bind(name, index, 'void*', args.replace('PATH', pathType)));
	}
	for (const [name, index] of Object.entries(releaseCalls)) {
		functions.set(name, bind(name, index, 'void', 'void* pointer'));
	}
	const errorCode = bind('GetErrorCode', 1, 'int', 'void* status');
	const errorMessage = bind('GetErrorMessage', 2, 'const char*', 'void* status');

	const need = (name: string): NativeFunction => {
		const found = functions.get(name);
		if (found === undefined) throw new AppError('internal', `No C function '${name}'.`);
		return found;
	};
	const check = (name: string, status: Pointer | null): void => {
		if (!status) return;
		const error = new OrtError(name, errorCode(status) as number, errorMessage(status) as string);
		need('ReleaseStatus')(status);
		throw error;
	};
	const call: CApi['call'] = (name, ...args) => check(name, need(name)(...args) as Pointer | null);
	const callAsync: CApi['callAsync'] = (name, ...args) =>
		new Promise((resolve, reject) => {
			need(name).async(...args, (error: unknown, status: Pointer | null) => {
				try {
					if (error) throw error;
					check(name, status);
					resolve();
				} catch (thrown) {
					reject(thrown);
				}
			});
		});
	return {
		version,
		call,
		callAsync,
		get: (name, ...args) => {
			const out: [Pointer | null] = [null];
			call(name, ...args, out);
			return out[0] ?? 0n;
		},
		getAsync: async (name, ...args) => {
			const out: [Pointer | null] = [null];
			await callAsync(name, ...args, out);
			return out[0] ?? 0n;
		},
		release: (name, pointer) => {
			if (pointer) need(name)(pointer);
		},
		readString: (pointer, length) =>
			(length === undefined
				? koffi.decode.string(pointer)
				: koffi.decode.string(pointer, length)) as string,
		copy: (pointer, cType, length) => koffi.decode(pointer, 0, cType, length) as unknown,
	};
}
