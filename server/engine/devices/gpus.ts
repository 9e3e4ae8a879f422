/**
 * The graphics processors of this machine. ONNX Runtime's Node binding lists none, so each system is
 * asked in its own way; what cannot be found out is left out, and no means ever fails a request.
 */

export interface Gpu {
	/** Index as the execution provider counts. */
	readonly id: number;
	readonly name: string;
	readonly vendor: 'nvidia' | 'amd' | 'intel' | 'apple' | 'qualcomm' | 'other';
	readonly memoryBytes?: number;
	readonly freeBytes?: number;
}

export interface GpuDeps {
	readonly platform: NodeJS.Platform;
	/** Output of a program of that name, or `undefined` when it is absent, fails or takes too long. */
	run(command: string, args: readonly string[]): Promise<string | undefined>;
	/** Text of a file, or `undefined`. */
	read(path: string): Promise<string | undefined>;
	/** Names in a folder; empty when there is none. */
	list(path: string): Promise<readonly string[]>;
}

const vendors: readonly (readonly [RegExp, Gpu['vendor']])[] = [
	[/nvidia|0x10de/i, 'nvidia'],
	[/amd|radeon|advanced micro|0x1002/i, 'amd'],
	[/intel|0x8086/i, 'intel'],
	[/apple/i, 'apple'],
	[/qualcomm|adreno|0x5143/i, 'qualcomm'],
];

const vendorOf = (text: string): Gpu['vendor'] =>
	vendors.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';

/** All that can be found, NVIDIA's own list first (it knows free memory), then the system's. */
export async function listGpus(deps: GpuDeps): Promise<readonly Gpu[]> {
	const nvidia = parseNvidia(
		await deps.run('nvidia-smi', [
			'--query-gpu=index,name,memory.total,memory.free',
			'--format=csv,noheader,nounits',
		]),
	);
	const others =
		deps.platform === 'win32'
			? parseWindows(
					await deps.run('powershell', [
						'-NoProfile',
						'-NonInteractive',
						'-Command',
						'Get-CimInstance Win32_VideoController | Select-Object Name,AdapterRAM | ConvertTo-Json -Compress',
					]),
				)
			: deps.platform === 'darwin'
				? parseMac(await deps.run('system_profiler', ['SPDisplaysDataType', '-json']))
				: await readDrm(deps);
	const rest = others.filter((gpu) => nvidia.length === 0 || gpu.vendor !== 'nvidia');
	return [...nvidia, ...rest].map((gpu, id) => ({ ...gpu, id }));
}

/** `index, name, total MiB, free MiB` a line. */
export function parseNvidia(text: string | undefined): Gpu[] {
	return (text ?? '')
		.split('\n')
		.map((line) => line.split(',').map((cell) => cell.trim()))
		.filter((cells) => cells.length >= 4 && /^\d+$/.test(cells[0] ?? ''))
		.map(([id, name, total, free]) => ({
			id: Number(id),
			name: name ?? '',
			vendor: 'nvidia',
			...mebibytes('memoryBytes', total),
			...mebibytes('freeBytes', free),
		}));
}

function mebibytes<K extends string>(key: K, text: string | undefined): Partial<Record<K, number>> {
	const value = Number(text);
	return Number.isFinite(value) && value > 0
		? ({ [key]: value * 2 ** 20 } as Record<K, number>)
		: {};
}

/** JSON of `Win32_VideoController`: one object or a list. `AdapterRAM` is capped at 4 GiB there. */
export function parseWindows(text: string | undefined): Gpu[] {
	const value = parseJson(text);
	const rows = (Array.isArray(value) ? value : [value]) as {
		Name?: unknown;
		AdapterRAM?: unknown;
	}[];
	return rows
		.filter(
			(row) => typeof row?.Name === 'string' && !/basic (display|render)|remote/i.test(row.Name),
		)
		.map((row, id) => {
			const name = String(row.Name);
			const memory = Number(row.AdapterRAM);
			const known = Number.isFinite(memory) && memory > 0 && memory < 4_293_918_720;
			return { id, name, vendor: vendorOf(name), ...(known ? { memoryBytes: memory } : {}) };
		});
}

/** JSON of `system_profiler SPDisplaysDataType`. */
export function parseMac(text: string | undefined): Gpu[] {
	const value = parseJson(text) as { SPDisplaysDataType?: unknown } | undefined;
	const rows = Array.isArray(value?.SPDisplaysDataType) ? value.SPDisplaysDataType : [];
	return (rows as Record<string, unknown>[]).map((row, id) => {
		const name = String(row['sppci_model'] ?? row['_name'] ?? 'GPU');
		const memory = String(row['spdisplays_vram'] ?? '').match(/(\d+)\s*(GB|MB)/);
		return {
			id,
			name,
			vendor: vendorOf(`${name} ${String(row['spdisplays_vendor'] ?? '')}`),
			...(memory === null
				? {}
				: { memoryBytes: Number(memory[1]) * (memory[2] === 'GB' ? 2 ** 30 : 2 ** 20) }),
		};
	});
}

async function readDrm(deps: GpuDeps): Promise<Gpu[]> {
	const folder = '/sys/class/drm';
	const cards = (await deps.list(folder)).filter((name) => /^card\d+$/.test(name)).sort();
	const found = await Promise.all(
		cards.map(async (card): Promise<Gpu | undefined> => {
			const vendor = (await deps.read(`${folder}/${card}/device/vendor`))?.trim();
			if (vendor === undefined) return undefined;
			const device = (await deps.read(`${folder}/${card}/device/device`))?.trim() ?? '';
			const total = Number(await deps.read(`${folder}/${card}/device/mem_info_vram_total`));
			const used = Number(await deps.read(`${folder}/${card}/device/mem_info_vram_used`));
			return {
				id: 0,
				name: `${vendorOf(vendor)} GPU ${device}`.trim(),
				vendor: vendorOf(vendor),
				...(total > 0 ? { memoryBytes: total } : {}),
				...(total > 0 && Number.isFinite(used) ? { freeBytes: total - used } : {}),
			};
		}),
	);
	return found.filter((gpu) => gpu !== undefined);
}

function parseJson(text: string | undefined): unknown {
	try {
		return text === undefined ? undefined : JSON.parse(text);
	} catch {
		// Some systems print warnings instead of JSON; then nothing is known.
		return undefined;
	}
}
