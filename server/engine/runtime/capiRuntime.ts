/** {@link Runtime} over the C API: environment, thread pool, session options, providers. */

import { AppError, type ExecutionProvider } from '../../protocol/index.ts';
import { nativePath } from '../../store/nativePath.ts';
import type { GraphSource } from '../modelFiles/graphSource.ts';
import { checkedConfig } from '../modelFiles/sessionConfig.ts';
import { type CApi, OrtError, openCApi, type Pointer } from './capi.ts';
import { createCapiSession } from './capiSession.ts';
import { prepareMapping } from './fileMapping.ts';
import { openKernel } from './kernelLibrary.ts';
import { loadError } from './loadError.ts';
import { type Runtime, weightsFolderKey } from './runtime.ts';
import { shareWeights } from './sharedWeights.ts';
import { physicalCores } from './threads.ts';

/** Names the generic provider call knows; CUDA has calls of its own. */
const providerNames: Readonly<Partial<Record<ExecutionProvider, string>>> = {
	dml: 'DML',
	webgpu: 'WebGPU',
	coreml: 'CoreML',
	qnn: 'QNN',
};

/** What ONNX Runtime reports as an error is thrown here, so it need not print it too. */
const logFatalOnly = 4;
const optimiseAll = 99;

interface Environment {
	readonly env: Pointer;
	/** CPU memory description for tensors over our own buffers. */
	readonly memory: Pointer;
	readonly allocator: Pointer;
	/** Threads of the process-wide pool; 0 when the environment was made without one. */
	threads: number;
}

let known: Environment | undefined;

/** ONNX Runtime allows one environment per process, with one pool that most sessions share. */
function ensureEnvironment(api: CApi, threads: number): Environment {
	if (known !== undefined) return known;
	const threading = api.get('CreateThreadingOptions');
	api.call('SetGlobalIntraOpNumThreads', threading, threads);
	api.call('SetGlobalInterOpNumThreads', threading, 1);
	api.call('SetGlobalSpinControl', threading, 1);
	const env = api.get('CreateEnvWithGlobalThreadPools', logFatalOnly, 'nearglot', threading);
	// The environment variable comes first, see telemetry.ts; on Windows this is all there is.
	api.call('DisableTelemetryEvents', env);
	api.release('ReleaseThreadingOptions', threading);
	known = {
		env,
		memory: api.get('CreateCpuMemoryInfo', 1, 0),
		allocator: api.get('GetAllocatorWithDefaultOptions'),
		threads,
	};
	return known;
}

/** Opens the C API runtime. @throws AppError or an error of koffi when it cannot be opened */
export async function openCapiRuntime(): Promise<Runtime> {
	const api = await openCApi();
	await prepareMapping();
	// Before anything else makes an environment without a pool.
	const environment = ensureEnvironment(api, physicalCores());
	const { env, memory, allocator } = environment;
	const kernel = openKernel(api.version);
	const runtime: Runtime = {
		kind: 'c-api',
		version: api.version,
		kernel,
		open: async (graph, options) => {
			const sessionOptions = api.get('CreateSessionOptions');
			const sharesPool = options.threads === environment.threads;
			const shared =
				options.sharing === undefined ? undefined : shareWeights(api, memory, options.sharing);
			try {
				api.call('SetSessionLogSeverityLevel', sessionOptions, logFatalOnly);
				api.call('SetSessionGraphOptimizationLevel', sessionOptions, optimiseAll);
				if (sharesPool) api.call('DisablePerSessionThreads', sessionOptions);
				else api.call('SetIntraOpNumThreads', sessionOptions, options.threads);
				for (const [key, value] of checkedConfig(options.config)) {
					api.call('AddSessionConfigEntry', sessionOptions, key, value);
				}
				if (typeof graph !== 'string') {
					api.call(
						'AddSessionConfigEntry',
						sessionOptions,
						weightsFolderKey,
						nativePath(graph.folder),
					);
					if (graph.ownOperators === true && 'file' in kernel)
						api.get('RegisterCustomOpsLibrary', sessionOptions, nativePath(kernel.file));
				}
				for (const [name, value] of shared?.values ?? []) {
					api.call('AddInitializer', sessionOptions, name, value);
				}
				const provider = options.executionProvider ?? 'cpu';
				appendProvider(api, sessionOptions, provider, options.deviceId ?? 0);
				const session = await createSession(api, env, graph, sessionOptions, shared?.container);
				const opened = createCapiSession(api, {
					session,
					memory,
					allocator,
					provider,
					isSmall: options.isSmall === true,
					threads: options.threads,
				});
				return {
					...opened,
					close: () => {
						opened.close();
						shared?.release();
					},
				};
			} catch (error) {
				shared?.release();
				if (sharesPool && lacksPool(error)) {
					environment.threads = 0;
					return await runtime.open(graph, options);
				}
				throw error instanceof AppError ? error : loadError(graph, error);
			} finally {
				api.release('ReleaseSessionOptions', sessionOptions);
			}
		},
	};
	return runtime;
}

/** @param container packed weights that several sessions share */
function createSession(
	api: CApi,
	env: Pointer,
	graph: GraphSource,
	options: Pointer,
	container: Pointer | undefined,
): Promise<Pointer> {
	if (typeof graph === 'string') {
		const path = nativePath(graph);
		return container === undefined
			? api.getAsync('CreateSession', env, path, options)
			: api.getAsync('CreateSessionWithPrepackedWeightsContainer', env, path, options, container);
	}
	const { bytes } = graph;
	return container === undefined
		? api.getAsync('CreateSessionFromArray', env, bytes, bytes.length, options)
		: api.getAsync(
				'CreateSessionFromArrayWithPrepackedWeightsContainer',
				env,
				bytes,
				bytes.length,
				options,
				container,
			);
}

/** True if someone else's environment, made without a pool, is the process's. */
function lacksPool(error: unknown): boolean {
	return error instanceof OrtError && error.message.includes('EnvCreatedWithGlobalThreadPools');
}

function appendProvider(
	api: CApi,
	options: Pointer,
	provider: ExecutionProvider,
	deviceId: number,
): void {
	if (provider === 'cpu') return;
	try {
		if (provider === 'cuda') {
			const cuda = api.get('CreateCUDAProviderOptions');
			try {
				api.call('UpdateCUDAProviderOptions', cuda, ['device_id'], [String(deviceId)], 1);
				api.call('SessionOptionsAppendExecutionProvider_CUDA_V2', options, cuda);
			} finally {
				api.release('ReleaseCUDAProviderOptions', cuda);
			}
			return;
		}
		const name = providerNames[provider] ?? provider;
		const keys = provider === 'dml' ? ['device_id'] : [];
		const values = provider === 'dml' ? [String(deviceId)] : [];
		api.call('SessionOptionsAppendExecutionProvider', options, name, keys, values, keys.length);
	} catch (error) {
		if (!(error instanceof OrtError)) throw error;
		throw new AppError(
			'not_supported',
			`The execution provider '${provider}' cannot be used here: ${startProblem(error.message)}. Choose 'cpu'.`,
			{ param: 'executionProvider', cause: error },
		);
	}
}

/** What the library says, without its own sources: `Failed to get a WebGPU adapter: No supported adapters`. */
function startProblem(message: string): string {
	const check = 'was false. ';
	const at = message.lastIndexOf(check);
	const said = at < 0 ? message.replace(/^[A-Z]\w+: /, '') : message.slice(at + check.length);
	const text = said.replace(/\s+/g, ' ').trim();
	return text.endsWith('.') ? text.slice(0, -1) : text;
}
