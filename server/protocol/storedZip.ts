/** A ZIP file of texts, stored as they are: what an office document needs and no more. Every program reads it. */

/** CRC-32 of ISO 3309, as ZIP wants it. */
function crc32(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return (crc ^ 0xffffffff) >>> 0;
}

/** Midnight of 1 January 1980: the same texts are the same file. */
const date = 0x0021;
/** Names are UTF-8. */
const flags = 0x0800;
const version = 20;

/**
 * @param files names with `/`, and texts, which are written as UTF-8; below 4 GB together
 */
export function storedZip(
	files: readonly (readonly [name: string, text: string])[],
): Uint8Array<ArrayBuffer> {
	const encoder = new TextEncoder();
	const parts: Uint8Array[] = [];
	const directory: Uint8Array[] = [];
	let offset = 0;
	for (const [file, text] of files) {
		const [name, content] = [encoder.encode(file), encoder.encode(text)];
		// What the header of a file and its line in the directory have in common.
		const facts = [version, flags, 0, 0, date].map(short);
		const sizes = [crc32(content), content.length, content.length].map(long);
		const rest = [short(name.length), short(0)];
		const header = joined([long(0x04034b50), ...facts, ...sizes, ...rest, name, content]);
		directory.push(
			joined([
				...[long(0x02014b50), short(version), ...facts, ...sizes, ...rest],
				// No comment, the first disk, no attributes.
				...[short(0), short(0), short(0), long(0), long(offset), name],
			]),
		);
		parts.push(header);
		offset += header.length;
	}
	const list = joined(directory);
	const counts = [short(0), short(0), short(files.length), short(files.length)];
	const end = [long(0x06054b50), ...counts, long(list.length), long(offset), short(0)];
	return joined([...parts, list, ...end]);
}

const short = (value: number): Uint8Array => new Uint8Array([value & 0xff, (value >>> 8) & 0xff]);
const long = (value: number): Uint8Array =>
	joined([short(value & 0xffff), short((value >>> 16) & 0xffff)]);

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}
