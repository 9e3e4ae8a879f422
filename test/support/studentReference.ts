/**
 * What a student says, in plain double arithmetic: marian-fork's equations, products of bytes as bergamot's
 * WebAssembly or as exact ones.
 */

import type { ByteMatrix, MadeStudent } from '../fixtures/student.ts';

export interface ReferenceOptions {
	/** Pairs of products end at 16 bits, as SSSE3's instruction has them, and sums are of single precision. */
	readonly saturates: boolean;
	/** Lowest byte of an activation. */
	readonly lowest: -127 | -128;
	/** The only tokens that can be said. */
	readonly tokens?: readonly number[];
	readonly maxLength: number;
}

type Rows = Float64Array[];

/** Tokens of the answer, without the end; and how far the best token was from the second at each. */
export function studentSays(
	student: MadeStudent,
	source: readonly number[],
	options: ReferenceOptions,
): { readonly tokens: number[]; readonly margins: number[] } {
	const { shape, matrices, vectors } = student;
	const { size, heads } = shape;
	const matrix = (name: string) => matrices.get(name) as ByteMatrix;
	const vector = (name: string) => vectors.get(name) as Float32Array;
	const sourceTable = matrix(shape.separate === true ? 'encoder_Wemb' : 'Wemb');
	const targetTable = matrix(shape.separate === true ? 'decoder_Wemb' : 'Wemb');
	const embedded = (table: ByteMatrix, id: number | undefined, position: number): Float64Array => {
		const row = new Float64Array(size);
		const half = size / 2;
		for (let k = 0; k < half; k++) {
			const angle = position * 10_000 ** (-k / (half - 1));
			row[k] = Math.sin(angle);
			row[half + k] = Math.cos(angle);
		}
		if (id !== undefined)
			for (let k = 0; k < size; k++)
				row[k] =
					(row[k] as number) +
					(Math.sqrt(size) * (table.bytes[id * size + k] as number)) / table.multiplier;
		return row;
	};
	const affine = (name: string, letter: string, x: Float64Array) =>
		multiply(matrix(`${name}_W${letter}`), x, vectors.get(`${name}_b${letter}`), options);
	const norm = (name: string, x: Float64Array) => {
		const mean = x.reduce((sum, value) => sum + value, 0) / size;
		const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / size;
		const [scale, bias] = [vector(`${name}_ln_scale`), vector(`${name}_ln_bias`)];
		return x.map(
			(value, k) =>
				((value - mean) / Math.sqrt(variance + 1e-9)) * (scale[k] as number) + (bias[k] as number),
		);
	};
	const add = (a: Float64Array, b: Float64Array) => a.map((value, k) => value + (b[k] as number));
	const attend = (name: string, x: Float64Array, keys: Rows, values: Rows): Float64Array => {
		const query = affine(name, 'q', x);
		const width = size / heads;
		const mixed = new Float64Array(size);
		for (let head = 0; head < heads; head++) {
			const scores = keys.map((key) => {
				let sum = 0;
				for (let k = head * width; k < (head + 1) * width; k++)
					sum += (query[k] as number) * (key[k] as number);
				return sum / Math.sqrt(width);
			});
			const most = Math.max(...scores);
			const weights = scores.map((score) => Math.exp(score - most));
			const total = weights.reduce((a, b) => a + b, 0);
			for (const [index, value] of values.entries())
				for (let k = head * width; k < (head + 1) * width; k++)
					mixed[k] =
						(mixed[k] as number) + ((weights[index] as number) / total) * (value[k] as number);
		}
		return norm(`${name}_Wo`, add(affine(name, 'o', mixed), x));
	};
	const feedForward = (name: string, x: Float64Array): Float64Array => {
		const inner = affine(name, '1', x).map((value) => Math.max(0, value));
		return norm(`${name}_ffn`, add(affine(name, '2', inner), x));
	};
	let encoded = [...source, 0].map((id, position) => embedded(sourceTable, id, position));
	for (let layer = 1; layer <= shape.encoderLayers; layer++) {
		const name = `encoder_l${layer}_self`;
		const keys = encoded.map((x) => affine(name, 'k', x));
		const values = encoded.map((x) => affine(name, 'v', x));
		encoded = encoded
			.map((x) => attend(name, x, keys, values))
			.map((x) => feedForward(`encoder_l${layer}_ffn`, x));
	}
	const layers = Array.from({ length: shape.decoderLayers }, (_, index) => {
		const name = `decoder_l${index + 1}`;
		return {
			name,
			keys: encoded.map((x) => affine(`${name}_context`, 'k', x)),
			values: encoded.map((x) => affine(`${name}_context`, 'v', x)),
			state: new Float64Array(size),
		};
	});
	const tokens: number[] = [];
	const margins: number[] = [];
	const bias = vector('decoder_ff_logit_out_b');
	const allowed = options.tokens ?? Array.from({ length: shape.vocabulary }, (_, id) => id);
	while (tokens.length < options.maxLength) {
		let x = embedded(targetTable, tokens.at(-1), tokens.length);
		for (const layer of layers) {
			const rnn = `${layer.name}_rnn`;
			const forget = affine(rnn, 'f', x).map((value) => 1 / (1 + Math.exp(-value)));
			const update = multiply(matrix(`${rnn}_W`), x, undefined, options);
			layer.state = layer.state.map(
				(value, k) =>
					(forget[k] as number) * value + (1 - (forget[k] as number)) * (update[k] as number),
			);
			x = norm(
				`${rnn}_ffn`,
				add(
					layer.state.map((value) => Math.max(0, value)),
					x,
				),
			);
			x = attend(`${layer.name}_context`, x, layer.keys, layer.values);
			if (shape.decoderInner !== false) x = feedForward(`${layer.name}_ffn`, x);
		}
		const logits = head(targetTable, x, bias, allowed, options);
		let best = -1;
		let second = -1;
		for (const [index, id] of allowed.entries()) {
			if (id === 1) continue;
			if (best < 0 || (logits[index] as number) > (logits[best] as number))
				[best, second] = [index, best];
			else if (second < 0 || (logits[index] as number) > (logits[second] as number)) second = index;
		}
		margins.push((logits[best] as number) - (logits[second] as number));
		const token = allowed[best] as number;
		if (token === 0) break;
		tokens.push(token);
	}
	return { tokens, margins };
}

/** Half to even, as processors round. */
function rounded(value: number): number {
	const down = Math.floor(value);
	const rest = value - down;
	return rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down;
}

/** Numbers as bytes, by the numbers; products of the same ones are many. */
const bytesOfNumbers = new WeakMap<
	Float64Array,
	{ readonly key: number; readonly bytes: Int16Array }
>();

function quantised(x: Float64Array, factor: number, { lowest }: ReferenceOptions): Int16Array {
	const known = bytesOfNumbers.get(x);
	const key = factor * lowest;
	if (known?.key === key) return known.bytes;
	const bytes = new Int16Array(x.length);
	for (let k = 0; k < x.length; k++) {
		const value = rounded(Math.fround(Math.fround(x[k] as number) * factor));
		bytes[k] = value < lowest ? lowest : value > 127 ? 127 : value;
	}
	bytesOfNumbers.set(x, { key, bytes });
	return bytes;
}

/** A product of activations with the weights that begin at a place, and what is added to it. */
type Product = (a: Int16Array, matrix: ByteMatrix, at: number, bias: number) => number;

const exactProduct: Product = (a, { bytes, multiplier, factor }, at, bias) => {
	let sum = 0;
	for (let k = 0; k < a.length; k++) sum += (a[k] as number) * (bytes[at + k] as number);
	return sum / multiplier / factor + bias;
};

const single = Math.fround;

/**
 * The same in unsigned bytes, of which two products are added in 16 bits. What 127 has added to each activation
 * is taken off again with the bias, as a number of single precision: a sum may end a byte higher or lower by that.
 */
const saturatingProduct: Product = (a, { bytes, multiplier, factor }, at, bias) => {
	let sum = 0;
	let weights = 0;
	for (let k = 0; k < a.length; k += 2) {
		const one = bytes[at + k] as number;
		const other = bytes[at + k + 1] as number;
		const pair = ((a[k] as number) + 127) * one + ((a[k + 1] as number) + 127) * other;
		sum += pair > 32_767 ? 32_767 : pair < -32_768 ? -32_768 : pair;
		weights += one + other;
	}
	const largest = [factor, multiplier].map((value) => single(127 / value)) as [number, number];
	const taken = single(-single(largest[0] * largest[1]) / 127);
	const prepared = single(single(weights * taken) + bias);
	return single(single(sum * single(1 / single(factor * multiplier))) + prepared);
};

function multiply(
	matrix: ByteMatrix,
	x: Float64Array,
	bias: Float32Array | undefined,
	options: ReferenceOptions,
): Float64Array {
	const { inputs, outputs, factor } = matrix;
	const a = quantised(x, factor, options);
	const product = options.saturates ? saturatingProduct : exactProduct;
	const out = new Float64Array(outputs);
	for (let output = 0; output < outputs; output++)
		out[output] = product(a, matrix, output * inputs, bias?.[output] ?? 0);
	return out;
}

function head(
	matrix: ByteMatrix,
	x: Float64Array,
	bias: Float32Array,
	allowed: readonly number[],
	options: ReferenceOptions,
): Float64Array {
	const { inputs, factor } = matrix;
	const a = quantised(x, factor, options);
	const product = options.saturates ? saturatingProduct : exactProduct;
	return Float64Array.from(allowed, (id) => product(a, matrix, id * inputs, bias[id] as number));
}
