/** The lines of a file that is too large to hold, with where they lie. */

export interface FileLine {
	/** Bytes of the file; the line's end is not part of it. */
	readonly start: number;
	/** Where the next line begins. */
	readonly end: number;
	/** Counted from 0. */
	readonly number: number;
	/** The line, or `undefined` when it is longer than the limit. */
	readonly bytes: Buffer | undefined;
}

const newline = 0x0a;

/**
 * Lines of what is read, in order. Lines of nothing but white space are left out, but counted.
 * @param at where the first byte lies in the file, and which line it begins
 */
export async function* fileLines(
	content: AsyncIterable<Uint8Array>,
	maxBytes: number,
	at: { readonly byte: number; readonly line: number } = { byte: 0, line: 0 },
): AsyncIterable<FileLine> {
	let held: Buffer[] = [];
	let heldBytes = 0;
	let isTooLong = false;
	let start = at.byte;
	let number = at.line;
	const hold = (part: Buffer): void => {
		heldBytes += part.length;
		if (heldBytes > maxBytes) {
			isTooLong = true;
			held = [];
		} else if (part.length > 0) held.push(part);
	};
	const take = (endBytes: number): FileLine | undefined => {
		const end = start + heldBytes + endBytes;
		const bytes = held.length === 1 ? held[0] : Buffer.concat(held);
		const line = { start, end, number, bytes: isTooLong ? undefined : bytes };
		[held, heldBytes, isTooLong, start] = [[], 0, false, end];
		number++;
		return line.bytes !== undefined && isBlank(line.bytes) ? undefined : line;
	};
	for await (const chunk of content) {
		const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
		let from = 0;
		for (;;) {
			const to = bytes.indexOf(newline, from);
			if (to === -1) break;
			hold(bytes.subarray(from, to));
			const line = take(1);
			if (line !== undefined) yield line;
			from = to + 1;
		}
		// What is held on to must not hold on to a whole chunk.
		if (from < bytes.length) hold(Buffer.from(bytes.subarray(from)));
	}
	if (heldBytes > 0) {
		const line = take(0);
		if (line !== undefined) yield line;
	}
}

const isBlank = (bytes: Buffer): boolean => {
	for (const byte of bytes)
		if (
			byte !== 0x20 &&
			byte !== 0x0d &&
			byte !== 0x09 &&
			byte !== 0xef &&
			byte !== 0xbb &&
			byte !== 0xbf
		)
			return false;
	return true;
};
