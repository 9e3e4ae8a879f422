/** Protobuf wire format: reads fields of a message without copying, writes them back. */

/** One field of a message. */
export interface WireField {
	readonly number: number;
	/** 0 varint, 1 fixed 64, 2 bytes, 5 fixed 32. */
	readonly wire: number;
	/** Value of a varint. */
	readonly value: bigint;
	/** Contents of a bytes field, or the 4 or 8 bytes of a fixed one. */
	readonly bytes: Uint8Array;
	/** The whole field, tag included: what is written back when it is not understood. */
	readonly raw: Uint8Array;
}

const noBytes = new Uint8Array(0);

/** Fields of a message in order. @throws Error when the bytes are not protobuf */
export function* readFields(message: Uint8Array): Generator<WireField> {
	let at = 0;
	const varint = (): bigint => {
		let value = 0n;
		for (let shift = 0n; shift < 70n; shift += 7n) {
			const byte = message[at++];
			if (byte === undefined) throw new Error('The message ends inside a number.');
			value |= BigInt(byte & 0x7f) << shift;
			if (byte < 0x80) return value;
		}
		throw new Error('A number is longer than 64 bits.');
	};
	while (at < message.length) {
		const start = at;
		const tag = varint();
		const number = Number(tag >> 3n);
		const wire = Number(tag & 7n);
		if (number === 0) throw new Error(`Field number 0 at byte ${start}.`);
		if (wire === 0) {
			const value = varint();
			yield { number, wire, value, bytes: noBytes, raw: message.subarray(start, at) };
			continue;
		}
		const length = wire === 2 ? Number(varint()) : wire === 1 ? 8 : wire === 5 ? 4 : -1;
		if (length < 0) throw new Error(`Wire type ${wire} at byte ${start}.`);
		const from = at;
		at += length;
		if (at > message.length) throw new Error(`A field of ${length} bytes ends after the message.`);
		const bytes = message.subarray(from, at);
		yield { number, wire, value: 0n, bytes, raw: message.subarray(start, at) };
	}
}

/** Collects fields of a message. */
export class WireWriter {
	readonly #parts: Uint8Array[] = [];
	#length = 0;

	/** Appends a field as it was read. */
	raw(bytes: Uint8Array): this {
		this.#parts.push(bytes);
		this.#length += bytes.length;
		return this;
	}

	/** Appends a varint field; negative numbers take ten bytes, as protobuf's int64 does. */
	int(number: number, value: number | bigint): this {
		return this.raw(varintBytes(BigInt(number) << 3n)).raw(
			varintBytes(BigInt.asUintN(64, BigInt(value))),
		);
	}

	/** Appends a bytes, string or message field. */
	bytes(number: number, value: Uint8Array): this {
		return this.raw(varintBytes((BigInt(number) << 3n) | 2n))
			.raw(varintBytes(BigInt(value.length)))
			.raw(value);
	}

	text(number: number, value: string): this {
		return this.bytes(number, Buffer.from(value, 'utf8'));
	}

	float(number: number, value: number): this {
		return this.raw(varintBytes((BigInt(number) << 3n) | 5n)).raw(
			new Uint8Array(Float32Array.of(value).buffer),
		);
	}

	/** All fields in one piece. */
	finish(): Uint8Array {
		const whole = new Uint8Array(this.#length);
		let at = 0;
		for (const part of this.#parts) {
			whole.set(part, at);
			at += part.length;
		}
		return whole;
	}
}

function varintBytes(value: bigint): Uint8Array {
	const bytes: number[] = [];
	let left = value;
	while (left >= 0x80n) {
		bytes.push(Number(left & 0x7fn) | 0x80);
		left >>= 7n;
	}
	bytes.push(Number(left));
	return Uint8Array.from(bytes);
}

/** UTF-8 text of a field. */
export function fieldText(field: WireField): string {
	return Buffer.from(field.bytes.buffer, field.bytes.byteOffset, field.bytes.length).toString(
		'utf8',
	);
}

/** Signed number of a varint field. */
export function fieldInt(field: WireField): number {
	return Number(BigInt.asIntN(64, field.value));
}
