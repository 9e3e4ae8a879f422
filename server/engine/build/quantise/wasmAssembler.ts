/**
 * Just enough of WebAssembly's binary format (core specification 2.0, chapter 5) to write loops over
 * rows of numbers: one memory, functions of i32 and f32, vector instructions.
 */

/** Instructions, nested as they were put together. */
export type Code = readonly (number | Code)[];

/** Value types. */
export const valueType = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;
export type ValueType = (typeof valueType)[keyof typeof valueType];

const vector = (number: number): Code => [0xfd, unsigned(number)];
/** A load or store; `align` is the logarithm of the alignment promised. */
const memory =
	(opcode: Code, align: number) =>
	(offset = 0): Code => [opcode, align, unsigned(offset)];

export const op = {
	get: (local: number): Code => [0x20, unsigned(local)],
	set: (local: number): Code => [0x21, unsigned(local)],
	i32: (value: number): Code => [0x41, signed(value)],
	f32: (value: number): Code => [0x43, bytesOf(Float32Array.of(value))],
	/** Four copies of a number. */
	spread: vector(0x13),
	spreadI32: vector(0x11),
	splat: (value: number): Code => [op.f32(value), vector(0x13)],
	/** Repeats while `condition` leaves something else than 0. */
	loop: (body: Code, condition: Code): Code => [0x03, 0x40, body, condition, 0x0d, 0, 0x0b],
	when: (condition: Code, body: Code): Code => [condition, 0x04, 0x40, body, 0x0b],
	load: memory([0x28], 2),
	store: memory([0x36], 2),
	loadF32: memory([0x2a], 2),
	storeF32: memory([0x38], 2),
	storeByte: memory([0x3a], 0),
	loadVector: memory(vector(0x00), 4),
	storeVector: memory(vector(0x0b), 4),
	/** The lower half of a vector. */
	storeHalfVector: (offset = 0): Code => [memory(vector(0x5b), 3)(offset), 0],
	add: [0x6a],
	lessUnsigned: [0x49],
	greaterF32: [0x5e],
	subtractF32: [0x93],
	multiplyF32: [0x94],
	divideF32: [0x95],
	negateF32: [0x8c],
	/** To the nearest whole number, to the even one of two. */
	nearestF32: [0x90],
	/** Towards zero; NaN becomes 0. */
	truncateF32: [0xfc, 0x01],
	/** The first of two where the condition above them is not 0. */
	select: [0x1b],
	addF64: [0xa0],
	toF64: [0xbb],
	laneI32: (lane: number): Code => [vector(0x1b), lane],
	laneF32: (lane: number): Code => [vector(0x1f), lane],
	/** Bytes of the two vectors below, 0–15 and 16–31. */
	shuffle: (lanes: readonly number[]): Code => [vector(0x0d), lanes],
	shiftLeftVector: vector(0xab),
	addVector: vector(0xe4),
	subtractVector: vector(0xe5),
	multiplyVector: vector(0xe6),
	/** b < a ? b : a of the vectors a, b: a where b is NaN. */
	minVector: vector(0xea),
	/** a < b ? b : a of the vectors a, b: a where b is NaN. */
	maxVector: vector(0xeb),
	nearestVector: vector(0x6a),
	/** Towards zero; NaN becomes 0. */
	truncateVector: vector(0xf8),
	/** Two vectors of 32-bit numbers as one of 16 bits, negative ones as 0. */
	narrow32: vector(0x86),
	/** Two vectors of 16-bit numbers as one of bytes, negative ones as 0. */
	narrow16: vector(0x66),
	shiftRight16: vector(0x8d),
	andVector: vector(0x4e),
	orVector: vector(0x50),
} as const;

export interface WasmFunction {
	readonly parameters: readonly ValueType[];
	readonly results: readonly ValueType[];
	/** Numbered after the parameters. */
	readonly locals: readonly ValueType[];
	readonly body: Code;
}

/** What is used of the host; the server is compiled without the types of browsers. */
interface Host {
	readonly Memory: new (size: { initial: number }) => WasmMemory;
	readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
	readonly Instance: new (
		module: object,
		imports: { env: { memory: WasmMemory } },
	) => { readonly exports: unknown };
}

export interface WasmMemory {
	/** Replaced when the memory grows. */
	readonly buffer: ArrayBuffer;
	/** By pages of 64 KiB. */
	grow(pages: number): number;
}

/** The functions, compiled, and their memory. */
export function compile<Exports>(functions: Readonly<Record<string, WasmFunction>>): {
	readonly memory: WasmMemory;
	readonly exports: Exports;
} {
	const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: Host }).WebAssembly;
	const memory = new Memory({ initial: 1 });
	const { exports } = new Instance(new Module(assemble(functions)), { env: { memory } });
	return { memory, exports: exports as Exports };
}

/** A module over the memory `env.memory` that exports the functions by name. */
function assemble(functions: Readonly<Record<string, WasmFunction>>): Uint8Array<ArrayBuffer> {
	const all = Object.values(functions);
	const list = (items: readonly Code[]): Code => [unsigned(items.length), items];
	const section = (id: number, content: Code): Code => [id, sized(content)];
	return Uint8Array.from(
		flat([
			[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
			section(1, list(all.map((one) => [0x60, list1(one.parameters), list1(one.results)]))),
			section(2, list([[name('env'), name('memory'), 0x02, 0x00, 1]])),
			section(3, list(all.map((_, index) => unsigned(index)))),
			section(
				7,
				list(Object.keys(functions).map((key, index) => [name(key), 0x00, unsigned(index)])),
			),
			section(
				10,
				list(
					all.map(({ locals, body }) =>
						sized([list(locals.map((local) => [1, local])), body, 0x0b]),
					),
				),
			),
		]),
	);
}

const list1 = (items: readonly number[]): Code => [unsigned(items.length), items];

function name(text: string): Code {
	return list1([...new TextEncoder().encode(text)]);
}

function sized(content: Code): Code {
	return list1(flat(content));
}

function flat(code: Code): number[] {
	return code.flat(Number.POSITIVE_INFINITY as 1) as number[];
}

function bytesOf(numbers: Float32Array): Code {
	return [...new Uint8Array(numbers.buffer)];
}

/** LEB128. */
function unsigned(value: number): Code {
	return value < 128 ? [value] : [(value & 127) | 128, unsigned(value >>> 7)];
}

function signed(value: number): Code {
	const rest = value >> 7;
	const isLast = (rest === 0 && (value & 64) === 0) || (rest === -1 && (value & 64) !== 0);
	return isLast ? [value & 127] : [(value & 127) | 128, signed(rest)];
}
