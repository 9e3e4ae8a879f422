/** How many fast cores a processor has, asked of the systems that count its slow ones with them. */

import { fastestOf, processorCores } from './coreRecords.ts';
import { loadKoffi } from './nativePackages.ts';

/** Cores of the fastest kind, each once; `undefined` where the system does not tell. */
export function fastCores(platform: NodeJS.Platform = process.platform): number | undefined {
	try {
		if (platform === 'darwin') return appleCores();
		if (platform === 'win32') return fastestOf(windowsRecords());
	} catch {
		// An older system without the call.
	}
	return undefined;
}

/** Apple's processors number their kinds of cores from the fastest on; Intel's have one kind. */
function appleCores(): number | undefined {
	const library = loadKoffi().load('/usr/lib/libSystem.B.dylib');
	const ask = library.func(
		'int sysctlbyname(const char* name, void* value, size_t* size, void* to, size_t bytes)',
	) as unknown as (
		name: string,
		value: Buffer,
		size: BigUint64Array,
		to: null,
		n: number,
	) => number;
	for (const name of ['hw.perflevel0.physicalcpu', 'hw.physicalcpu']) {
		const value = Buffer.alloc(8);
		if (ask(name, value, BigUint64Array.of(4n), null, 0) === 0 && value.readInt32LE() > 0)
			return value.readInt32LE();
	}
	return undefined;
}

function windowsRecords(): Buffer {
	const library = loadKoffi().load('kernel32.dll');
	const ask = library.func(
		'int __stdcall GetLogicalProcessorInformationEx(int relation, void* records, uint32_t* bytes)',
	) as unknown as (relation: number, records: Buffer | null, bytes: Uint32Array) => number;
	const bytes = Uint32Array.of(0);
	ask(processorCores, null, bytes);
	const records = Buffer.alloc(bytes[0] ?? 0);
	return ask(processorCores, records, bytes) === 0 ? Buffer.alloc(0) : records;
}
