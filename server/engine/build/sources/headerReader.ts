/** Reads a binary header from start to end, through a window, and never beyond its limits. */

import { sourceFault, sourceLimits } from './limits.ts';
import type { ByteSource } from './tensorSource.ts';

const windowBytes = 2 ** 20;

/**
 * Little-endian numbers and texts, one after the other. `need` fetches bytes, everything else takes them
 * at once: of a quarter of a million tokens, each is a text of its own.
 */
export class HeaderReader {
	readonly #source: ByteSource;
	readonly #signal: AbortSignal | undefined;
	readonly #decoder = new TextDecoder();
	#window = new Uint8Array(0);
	#view = new DataView(this.#window.buffer);
	/** Of the window's first byte. */
	#start = 0;
	#at = 0;

	constructor(source: ByteSource, signal?: AbortSignal) {
		this.#source = source;
		this.#signal = signal;
	}

	/** Of the next byte, in the file. */
	get position(): number {
		return this.#start + this.#at;
	}

	/** Bytes of the file that are left. */
	get rest(): number {
		return this.#source.size - this.position;
	}

	/** Whether so many bytes can be taken without waiting. */
	has(length: number): boolean {
		return this.#window.length - this.#at >= length;
	}

	/** @throws AppError `unsupported_model` where the file ends before, or the header is too long */
	async need(length: number): Promise<void> {
		if (this.has(length)) return;
		const { size, name } = this.#source;
		const from = this.position;
		if (length > this.rest) throw sourceFault(name, 'ends within its header');
		if (from + length > sourceLimits.maxHeaderBytes)
			throw sourceFault(name, `has a header of more than ${sourceLimits.maxHeaderBytes} bytes`);
		const wanted = Math.min(Math.max(length, windowBytes), size - from);
		this.#window = (await this.#source.read(from, wanted, this.#signal)) as Uint8Array<ArrayBuffer>;
		this.#view = new DataView(
			this.#window.buffer,
			this.#window.byteOffset,
			this.#window.byteLength,
		);
		this.#start = from;
		this.#at = 0;
	}

	#take(length: number): number {
		const at = this.#at;
		this.#at = at + length;
		return at;
	}

	u8 = (): number => this.#view.getUint8(this.#take(1));
	i8 = (): number => this.#view.getInt8(this.#take(1));
	u16 = (): number => this.#view.getUint16(this.#take(2), true);
	i16 = (): number => this.#view.getInt16(this.#take(2), true);
	u32 = (): number => this.#view.getUint32(this.#take(4), true);
	i32 = (): number => this.#view.getInt32(this.#take(4), true);
	f32 = (): number => this.#view.getFloat32(this.#take(4), true);
	f64 = (): number => this.#view.getFloat64(this.#take(8), true);
	u64 = (): number | bigint => exact(this.#view.getBigUint64(this.#take(8), true));
	i64 = (): number | bigint => exact(this.#view.getBigInt64(this.#take(8), true));

	/** A count or an offset: beyond 2^53 it is infinite, and so beyond every limit. */
	count(): number {
		const value = this.u64();
		return typeof value === 'number' ? value : Number.POSITIVE_INFINITY;
	}

	text(length: number): string {
		const at = this.#take(length);
		return this.#decoder.decode(this.#window.subarray(at, at + length));
	}
}

function exact(value: bigint): number | bigint {
	const number = Number(value);
	return Number.isSafeInteger(number) ? number : value;
}
