/** Raw header lists (`[name, value, name, value, …]`) and the one way names are compared. */

export type RawHeaders = readonly string[];

/** A header line the layer adds. Values must be printable ASCII. */
export type InjectedHeader = readonly [name: string, value: string];

/**
 * The name with every separator an application server may fold (`_`, `.`, `~`, …) turned to `-`, so
 * that no spelling of a reserved name gets past the check.
 */
export function canonicalName(name: string): string {
	return name
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/^-/, '');
}

export function* headerPairs(raw: RawHeaders): Generator<readonly [string, string]> {
	for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at]!, raw[at + 1]!];
}

/** All values of a header, in order. */
export function valuesOf(raw: RawHeaders, name: string): string[] {
	const wanted = name.toLowerCase();
	const found: string[] = [];
	for (let at = 0; at + 1 < raw.length; at += 2) {
		if (raw[at]!.length === wanted.length && raw[at]!.toLowerCase() === wanted)
			found.push(raw[at + 1]!);
	}
	return found;
}

/** The only value of a header; undefined when it is absent or there twice. */
export function singleValue(raw: RawHeaders, name: string): string | undefined {
	const values = valuesOf(raw, name);
	return values.length === 1 ? values[0] : undefined;
}
