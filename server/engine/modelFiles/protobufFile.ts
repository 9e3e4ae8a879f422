/** Walks protobuf fields of a file by position through a small read window; big fields are never read. */

import { setImmediate } from 'node:timers/promises';
import { graphLimits } from '../../hub/modelData/fileLimits.ts';

/** One field: its number, wire type, and either a varint value or the byte range of its contents. */
export interface ProtobufField {
	readonly number: number;
	/** 0 varint, 1 fixed 64, 2 bytes, 5 fixed 32. */
	readonly wire: number;
	/** The varint (exact up to 2⁵³, negative numbers as such); 0 for other wire types. */
	readonly value: number;
	readonly start: number;
	readonly end: number;
}

/** Bytes that are read by position: an open file, or memory. */
export interface ProtobufBytes {
	read(
		buffer: Uint8Array,
		offset: number,
		length: number,
		position: number,
	): Promise<{ readonly bytesRead: number }>;
}

/** Memory, read like a file. */
export function byteSource(bytes: Uint8Array): ProtobufBytes {
	return {
		read: async (buffer, offset, length, position) => {
			const part = bytes.subarray(position, position + length);
			buffer.set(part, offset);
			return { bytesRead: part.length };
		},
	};
}

const windowBytes = 64 * 1024;
/** Fields after which others have a turn: what lies in the window is read without waiting. */
const fieldsPerTurn = 4096;

/** Random access to the protobuf fields of a file. */
export class ProtobufFile {
	readonly #source: ProtobufBytes;
	readonly #size: number;
	#window: Buffer = Buffer.alloc(0);
	#windowStart = 0;
	#fields = 0;

	constructor(source: ProtobufBytes, size: number) {
		this.#source = source;
		this.#size = size;
	}

	/** The fields between two byte positions. Throws when the bytes are not protobuf, or too many in one file. */
	async *fields(start: number, end: number): AsyncGenerator<ProtobufField> {
		let at = start;
		while (at < end) {
			if (++this.#fields > graphLimits.maxFields)
				throw new Error(`more than ${graphLimits.maxFields} fields in one graph`);
			if (this.#fields % fieldsPerTurn === 0) await setImmediate();
			await this.#need(at);
			const [tag, afterTag] = this.#varint(at);
			const number = Math.floor(tag / 8);
			const wire = tag % 8;
			if (number === 0) throw new Error(`bad field at byte ${at}`);
			if (wire === 0) {
				const [value, next] = this.#varint(afterTag);
				yield { number, wire, value, start: afterTag, end: next };
				at = next;
				continue;
			}
			let from = afterTag;
			let length: number;
			if (wire === 2) [length, from] = this.#varint(afterTag);
			else if (wire === 1) length = 8;
			else if (wire === 5) length = 4;
			else throw new Error(`bad wire type ${wire} at byte ${at}`);
			at = from + length;
			if (length < 0 || at > end) throw new Error(`a field ends at byte ${at} of ${end}`);
			yield { number, wire, value: 0, start: from, end: at };
		}
	}

	/** The contents of a field as UTF-8 text, as long as a name may be. */
	async text(field: ProtobufField): Promise<string> {
		return (await this.bytes(field, graphLimits.maxNameBytes)).toString('utf8');
	}

	/** The contents of a field. Throws when they are longer than the limit. */
	async bytes(field: ProtobufField, limit: number): Promise<Buffer> {
		const length = field.end - field.start;
		if (length > limit) throw new Error(`a field of ${length} bytes where at most ${limit} belong`);
		if (field.start >= this.#windowStart && field.end <= this.#windowStart + this.#window.length) {
			return this.#window.subarray(field.start - this.#windowStart, field.end - this.#windowStart);
		}
		const buffer = Buffer.alloc(length);
		const { bytesRead } = await this.#source.read(buffer, 0, length, field.start);
		if (bytesRead !== length) throw new Error('the file ends too early');
		return buffer;
	}

	// A tag and a length take at most 20 bytes.
	async #need(at: number): Promise<void> {
		const wanted = Math.min(at + 20, this.#size);
		if (at >= this.#windowStart && wanted <= this.#windowStart + this.#window.length) return;
		const length = Math.min(windowBytes, this.#size - at);
		const buffer = Buffer.alloc(Math.max(length, 0));
		const { bytesRead } = await this.#source.read(buffer, 0, buffer.length, at);
		this.#window = buffer.subarray(0, bytesRead);
		this.#windowStart = at;
	}

	#varint(at: number): [value: number, next: number] {
		const first = at - this.#windowStart;
		const low = this.#window[first] ?? 0x80;
		if (low < 0x80) return [low, at + 1];
		let value = 0n;
		let shift = 0n;
		for (let position = first; position < this.#window.length; position++) {
			const byte = this.#window[position] as number;
			value |= BigInt(byte & 0x7f) << shift;
			if (byte < 0x80) {
				return [Number(BigInt.asIntN(64, value)), position + 1 + this.#windowStart];
			}
			shift += 7n;
			if (shift > 63n) break;
		}
		throw new Error(`bad number at byte ${at}`);
	}
}
