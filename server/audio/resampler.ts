/**
 * Streaming sampling-rate conversion by a windowed sinc (Kaiser) that is tabulated per phase: linear
 * phase, no aliasing above the stop band, equal results for any division into blocks.
 */

/** Zero crossings on each side at the lower of the two rates. */
const halfCrossings = 24;
/** Kaiser β: about 80 dB of stop-band attenuation. */
const kaiserBeta = 8;
/** Part of the lower Nyquist frequency that passes. */
const passBand = 0.94;
/** Phases of the table; more only cost memory, the error is far below 16 bits. */
const maximumPhases = 1024;

/** Converts mono blocks from one rate to another. */
export class Resampler {
	readonly #ratio: number;
	readonly #table: Float32Array;
	readonly #taps: number;
	readonly #phases: number;
	readonly #exact: { readonly up: number; readonly down: number } | undefined;
	#history: Float32Array;
	#filled: number;
	/** Index of the next output sample, counted from the start. */
	#out = 0;
	/** Index of the first sample in `#history`, counted from the start. */
	#base: number;
	#received = 0;

	constructor(fromHz: number, toHz: number) {
		this.#ratio = fromHz / toHz;
		const divisor = greatestCommonDivisor(fromHz, toHz);
		const up = toHz / divisor;
		this.#exact = up <= maximumPhases ? { up, down: fromHz / divisor } : undefined;
		this.#phases = this.#exact ? up : maximumPhases;
		const widen = Math.max(1, this.#ratio);
		const half = Math.ceil(halfCrossings * widen);
		this.#taps = 2 * half;
		this.#table = sincTable(this.#phases, this.#taps, passBand / widen);
		this.#history = new Float32Array(this.#taps * 4);
		this.#filled = half - 1;
		this.#base = -(half - 1);
	}

	/** Output that the samples so far allow; its length varies by one between equal blocks. */
	push(block: Float32Array): Float32Array {
		this.#received += block.length;
		return this.#convert(block, Number.POSITIVE_INFINITY);
	}

	/** The rest, as if silence followed. */
	flush(): Float32Array {
		const total = Math.ceil(this.#received / this.#ratio - 1e-9);
		return this.#convert(new Float32Array(this.#taps), total);
	}

	#convert(block: Float32Array, limit: number): Float32Array {
		this.#append(block);
		const output = new Float32Array(Math.ceil(block.length / this.#ratio) + 2);
		const half = this.#taps / 2;
		let count = 0;
		while (this.#out < limit) {
			const position = this.#position();
			const first = position.sample - half + 1 - this.#base;
			if (first + this.#taps > this.#filled || count === output.length) break;
			let sum = 0;
			const row = position.phase * this.#taps;
			for (let k = 0; k < this.#taps; k++)
				sum += (this.#history[first + k] as number) * (this.#table[row + k] as number);
			output[count++] = sum;
			this.#out++;
		}
		this.#forget();
		return output.subarray(0, count);
	}

	#position(): { readonly sample: number; readonly phase: number } {
		if (this.#exact) {
			const at = this.#out * this.#exact.down;
			const sample = Math.floor(at / this.#exact.up);
			return { sample, phase: at - sample * this.#exact.up };
		}
		const at = this.#out * this.#ratio;
		const sample = Math.floor(at);
		return { sample, phase: Math.floor((at - sample) * this.#phases) };
	}

	#append(block: Float32Array): void {
		if (this.#filled + block.length > this.#history.length) {
			const grown = new Float32Array(
				Math.max(this.#history.length * 2, this.#filled + block.length),
			);
			grown.set(this.#history.subarray(0, this.#filled));
			this.#history = grown;
		}
		this.#history.set(block, this.#filled);
		this.#filled += block.length;
	}

	#forget(): void {
		const keep = this.#position().sample - this.#taps / 2 + 1 - this.#base;
		const drop = Math.max(0, Math.min(keep, this.#filled));
		this.#history.copyWithin(0, drop, this.#filled);
		this.#filled -= drop;
		this.#base += drop;
	}
}

/** Row p holds the filter for an output that lies p/phases after an input sample. */
function sincTable(phases: number, taps: number, cutoff: number): Float32Array {
	const table = new Float32Array(phases * taps);
	const half = taps / 2;
	const norm = bessel0(kaiserBeta);
	for (let phase = 0; phase < phases; phase++) {
		let sum = 0;
		const row = phase * taps;
		for (let k = 0; k < taps; k++) {
			const x = k - half + 1 - phase / phases;
			const edge = x / half;
			const window =
				Math.abs(edge) >= 1 ? 0 : bessel0(kaiserBeta * Math.sqrt(1 - edge * edge)) / norm;
			const angle = Math.PI * x * cutoff;
			const value = window * cutoff * (Math.abs(angle) < 1e-9 ? 1 : Math.sin(angle) / angle);
			table[row + k] = value;
			sum += value;
		}
		// Every phase passes a constant unchanged; else the ripple between phases would be a tone.
		for (let k = 0; k < taps; k++) table[row + k] = (table[row + k] ?? 0) / sum;
	}
	return table;
}

/** Modified Bessel function of the first kind, order 0, by its power series. */
function bessel0(x: number): number {
	let sum = 1;
	let term = 1;
	for (let k = 1; k < 40; k++) {
		term *= (x / (2 * k)) ** 2;
		sum += term;
	}
	return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
	return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
