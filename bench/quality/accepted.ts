/** Whether a short translation is one of those that a set gives. */

/** Case, surrounding space and closing punctuation aside. */
function plain(text: string): string {
	return text
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[\s.!:…]+$/u, '')
		.trim();
}

/**
 * Share (0 to 1) of the outputs that equal a reference of their own source. A source that occurs several times
 * accepts the references of all its rows and counts once.
 */
export function acceptedShare(
	sources: readonly string[],
	outputs: readonly string[],
	references: readonly string[],
): number {
	const accepted = new Map<string, Set<string>>();
	for (const [index, source] of sources.entries()) {
		const own = accepted.get(source) ?? new Set<string>();
		accepted.set(source, own.add(plain(references[index] ?? '')));
	}
	const right = new Set(
		sources.filter((source, index) => accepted.get(source)?.has(plain(outputs[index] ?? ''))),
	);
	return accepted.size === 0 ? 0 : right.size / accepted.size;
}
