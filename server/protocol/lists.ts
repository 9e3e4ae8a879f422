/** Lists of any length. As arguments of one call (`push(...list)`) a long one overflows the stack. */

/** Puts values behind those of a list. */
export function pushAll<T>(list: T[], values: Iterable<T>): void {
	for (const value of values) list.push(value);
}

/** The largest of the values, and at least `least`. */
export function largestOf(values: Iterable<number>, least: number): number {
	let largest = least;
	for (const value of values) if (value > largest) largest = value;
	return largest;
}
