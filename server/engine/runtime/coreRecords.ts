/** What Windows tells of the cores of its processors. */

/** The relation of records that stand for one core each. */
export const processorCores = 0;

/**
 * Cores of the highest efficiency class in records of `SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX`: relation and size
 * (4 bytes each), then flags and the class (1 byte each) of one core; a higher class is faster.
 */
export function fastestOf(records: Buffer): number | undefined {
	const counts = new Map<number, number>();
	let fastest = 0;
	for (let at = 0; at + 10 <= records.length; ) {
		const size = records.readUInt32LE(at + 4);
		if (size < 10) return undefined;
		if (records.readUInt32LE(at) === processorCores) {
			const kind = records.readUInt8(at + 9);
			counts.set(kind, (counts.get(kind) ?? 0) + 1);
			fastest = Math.max(fastest, kind);
		}
		at += size;
	}
	return counts.get(fastest);
}
