/** Power spectrum of real frames by a mixed-radix transform; any length whose half has factors 2 to 7. */

interface Stage {
	readonly radix: number;
	/** Length of the sub-transforms after this stage. */
	readonly rest: number;
	/** Product of the radices before. */
	readonly stride: number;
	/** cos and sin of the stage's twiddles, [rest][radix]. */
	readonly cos: Float64Array;
	readonly sin: Float64Array;
}

/** Transforms frames of one length; holds its tables and scratch memory. */
export class PowerSpectrum {
	readonly length: number;
	readonly bins: number;
	readonly #half: number;
	readonly #stages: readonly Stage[];
	readonly #splitCos: Float64Array;
	readonly #splitSin: Float64Array;
	#re: Float64Array;
	#im: Float64Array;
	#re2: Float64Array;
	#im2: Float64Array;

	constructor(length: number) {
		this.length = length;
		this.#half = length / 2;
		this.bins = this.#half + 1;
		this.#stages = stagesOf(this.#half);
		this.#splitCos = Float64Array.from({ length: this.bins }, (_, k) =>
			Math.cos((2 * Math.PI * k) / length),
		);
		this.#splitSin = Float64Array.from({ length: this.bins }, (_, k) =>
			Math.sin((2 * Math.PI * k) / length),
		);
		this.#re = new Float64Array(this.#half);
		this.#im = new Float64Array(this.#half);
		this.#re2 = new Float64Array(this.#half);
		this.#im2 = new Float64Array(this.#half);
	}

	/** Writes |X|² of bins 0…length/2 to `power`. */
	run(frame: Float64Array, power: Float64Array): void {
		const half = this.#half;
		for (let i = 0; i < half; i++) {
			this.#re[i] = frame[2 * i] as number;
			this.#im[i] = frame[2 * i + 1] as number;
		}
		for (const stage of this.#stages) {
			butterflies(stage, this.#re, this.#im, this.#re2, this.#im2);
			[this.#re, this.#re2] = [this.#re2, this.#re];
			[this.#im, this.#im2] = [this.#im2, this.#im];
		}
		const re = this.#re;
		const im = this.#im;
		for (let k = 0; k <= half; k++) {
			const a = k === half ? 0 : k;
			const b = k === 0 ? 0 : half - k;
			const evenRe = ((re[a] as number) + (re[b] as number)) / 2;
			const evenIm = ((im[a] as number) - (im[b] as number)) / 2;
			const oddRe = ((im[a] as number) + (im[b] as number)) / 2;
			const oddIm = ((re[b] as number) - (re[a] as number)) / 2;
			const cos = this.#splitCos[k] as number;
			const sin = this.#splitSin[k] as number;
			const x = evenRe + oddRe * cos + oddIm * sin;
			const y = evenIm + oddIm * cos - oddRe * sin;
			power[k] = x * x + y * y;
		}
	}
}

function stagesOf(length: number): Stage[] {
	const stages: Stage[] = [];
	let rest = length;
	let stride = 1;
	for (const radix of [4, 2, 3, 5, 7]) {
		while (rest % radix === 0) {
			const total = rest;
			rest /= radix;
			const cos = new Float64Array(rest * radix);
			const sin = new Float64Array(rest * radix);
			for (let p = 0; p < rest; p++) {
				for (let j = 0; j < radix; j++) {
					cos[p * radix + j] = Math.cos((2 * Math.PI * p * j) / total);
					sin[p * radix + j] = -Math.sin((2 * Math.PI * p * j) / total);
				}
			}
			stages.push({ radix, rest, stride, cos, sin });
			stride *= radix;
		}
	}
	if (rest !== 1) throw new RangeError(`no transform of length ${2 * length}`);
	return stages;
}

/** One stage of the self-sorting (Stockham) transform. */
function butterflies(
	stage: Stage,
	re: Float64Array,
	im: Float64Array,
	outRe: Float64Array,
	outIm: Float64Array,
): void {
	const { radix, rest, stride } = stage;
	const rootCos = roots[radix]?.cos as Float64Array;
	const rootSin = roots[radix]?.sin as Float64Array;
	for (let p = 0; p < rest; p++) {
		for (let q = 0; q < stride; q++) {
			const from = q + stride * p;
			const to = q + stride * radix * p;
			for (let j = 0; j < radix; j++) {
				let sumRe = 0;
				let sumIm = 0;
				for (let i = 0, turn = 0; i < radix; i++, turn += j) {
					if (turn >= radix) turn -= radix;
					const at = from + stride * rest * i;
					const c = rootCos[turn] as number;
					const s = rootSin[turn] as number;
					const x = re[at] as number;
					const y = im[at] as number;
					sumRe += x * c - y * s;
					sumIm += x * s + y * c;
				}
				const c = stage.cos[p * radix + j] as number;
				const s = stage.sin[p * radix + j] as number;
				outRe[to + stride * j] = sumRe * c - sumIm * s;
				outIm[to + stride * j] = sumRe * s + sumIm * c;
			}
		}
	}
}

const roots: Readonly<Record<number, { readonly cos: Float64Array; readonly sin: Float64Array }>> =
	Object.fromEntries(
		[2, 3, 4, 5, 7].map((radix) => [
			radix,
			{
				cos: Float64Array.from({ length: radix }, (_, k) => Math.cos((2 * Math.PI * k) / radix)),
				sin: Float64Array.from({ length: radix }, (_, k) => -Math.sin((2 * Math.PI * k) / radix)),
			},
		]),
	);
