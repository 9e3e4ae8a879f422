/** Makes Ogg pages by hand. */

export interface Page {
	readonly serial?: number;
	readonly sequence: number;
	readonly granule?: bigint;
	/** `c`ontinued, `f`irst, `l`ast. */
	readonly flags?: string;
	/** Lengths of the packets' parts; 255 goes on in the next one. */
	readonly lacing: readonly number[];
	readonly body?: Uint8Array;
}

/** A page with its checksum; by default the bytes of its body count up from its sequence number. */
export function page({
	serial = 1,
	sequence,
	granule = 0n,
	flags = '',
	lacing,
	body,
}: Page): Buffer {
	const length = lacing.reduce((sum, value) => sum + value, 0);
	const head = Buffer.alloc(27 + lacing.length);
	head.write('OggS');
	head[5] = ['c', 'f', 'l'].reduce(
		(sum, flag, bit) => sum + (flags.includes(flag) ? 1 << bit : 0),
		0,
	);
	head.writeBigInt64LE(granule, 6);
	head.writeUInt32LE(serial, 14);
	head.writeUInt32LE(sequence, 18);
	head[26] = lacing.length;
	head.set(lacing, 27);
	const whole = Buffer.concat([head, body ?? new Uint8Array(length).fill(sequence)]);
	whole.writeUInt32LE(checksum(whole), 22);
	return whole;
}

/** CRC-32 of RFC 3533: polynomial 04c11db7, nothing reflected, begins with 0. */
export function checksum(bytes: Uint8Array): number {
	let crc = 0;
	for (const byte of bytes) {
		crc ^= byte << 24;
		for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
	}
	return crc >>> 0;
}

/** The page with which a stream begins; its packet is this text. */
export function firstPage(packet: string, serial = packet.length): Buffer {
	return page({
		...{ serial, sequence: 0, flags: 'f', lacing: [packet.length] },
		body: Buffer.from(packet, 'latin1'),
	});
}
