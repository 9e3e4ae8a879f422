/** Every so many of a list, so that all kinds have their turn. */
export function some<T>(all: readonly T[], count: number): T[] {
	const step = Math.max(1, all.length / count);
	return Array.from(
		{ length: Math.min(count, all.length) },
		(_, index) => all[Math.floor(index * step)] as T,
	);
}
