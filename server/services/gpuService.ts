/** The graphics processors as a use-case: which there are, which one is chosen. */

import { type Gpu, type GpuDeps, listGpus } from '../engine/devices/gpus.ts';
import type { Device } from '../hub/catalogue.ts';
import type { ModelSettingsFile } from '../hub/modelSettings.ts';
import { AppError, type ExecutionProvider } from '../protocol/index.ts';

export interface GpuService {
	/** Asked of the system once in a while, not at every request. */
	list(): Promise<readonly Gpu[]>;
	/** Devices that models can be chosen for. */
	devices(): Promise<{ readonly devices: ReadonlySet<Device>; readonly cuda: boolean }>;
	/** Free memory of the chosen one, when a provider runs on it and the system knows. */
	freeBytes(provider: ExecutionProvider | undefined): Promise<number | undefined>;
	/** All memory of the chosen one, when a provider runs on it and the system knows. */
	totalBytes(provider: ExecutionProvider | undefined): Promise<number | undefined>;
	/** Id of the chosen one. */
	chosen(): number;
	/** Accepts the id as text; 400 names what there is. */
	choose(id: string): Promise<void>;
}

/** Milliseconds an answer of the system is used again. */
const freshMs = 30_000;

export function createGpuService(
	deps: GpuDeps,
	settings: ModelSettingsFile,
	/** Whether the runtime that is installed brings the provider along. */
	hasProvider: (name: 'cuda' | 'webgpu' | 'dml' | 'coreml') => boolean,
	now: () => number = () => performance.now(),
): GpuService {
	let known: { readonly at: number; readonly gpus: Promise<readonly Gpu[]> } | undefined;
	const list = () => {
		if (known === undefined || now() - known.at > freshMs)
			known = { at: now(), gpus: listGpus(deps) };
		return known.gpus;
	};
	return {
		list,
		devices: async () => {
			const gpus = await list();
			const cuda = gpus.some((gpu) => gpu.vendor === 'nvidia') && hasProvider('cuda');
			const other = gpus.length > 0 && (['webgpu', 'dml', 'coreml'] as const).some(hasProvider);
			return { devices: new Set<Device>(cuda || other ? ['GPU', 'CPU'] : ['CPU']), cuda };
		},
		freeBytes: async (provider) => {
			if (provider === undefined || provider === 'cpu') return undefined;
			// A load changes what is free, so this is never an old answer.
			known = undefined;
			const gpu = (await list()).find(({ id }) => id === settings.value.gpuDevice);
			return gpu?.freeBytes;
		},
		totalBytes: async (provider) => {
			if (provider === undefined || provider === 'cpu') return undefined;
			const gpu = (await list()).find(({ id }) => id === settings.value.gpuDevice);
			// Where nobody says what is free on it, loads are held against the memory of the machine.
			return gpu?.freeBytes === undefined ? undefined : gpu.memoryBytes;
		},
		chosen: () => settings.value.gpuDevice,
		choose: async (id) => {
			const gpus = await list();
			const number = /^\d{1,3}$/.test(id) ? Number(id) : Number.NaN;
			const exists = gpus.length === 0 ? number === 0 : gpus.some((gpu) => gpu.id === number);
			if (!exists) {
				const names = gpus.map((gpu) => `${gpu.id} (${gpu.name})`).join(', ');
				throw new AppError(
					'invalid_request',
					`There is no graphics processor ${JSON.stringify(id.slice(0, 40))}; found: ${names || 'none'}.`,
					{ param: 'id' },
				);
			}
			await settings.change(() => ({ gpuDevice: number }));
		},
	};
}
