/**
 * The log-mel spectrogram of the Whisper paper (Radford et al. 2022, section 2.2), equal to the
 * feature extractor models are published with: 25 ms Hann windows every 10 ms, Slaney mel bands.
 */

import { PowerSpectrum } from './powerSpectrum.ts';

const melRateHz = 16_000;
export const melHop = 160;
const windowLength = 400;
/** Decades below the loudest band that are kept. */
const rangeDecades = 8;
const floorPower = 1e-10;

interface MelBand {
	/** First spectrum bin of the triangle. */
	readonly first: number;
	readonly weights: Float64Array;
}

const hann = Float64Array.from(
	{ length: windowLength },
	(_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / windowLength),
);
const bandTables = new Map<number, readonly MelBand[]>();

/**
 * Spectrogram `[bins, frames]`, row-major, of samples that are padded with silence or cut to
 * `frames` × 10 ms.
 * @param samples 16 kHz mono
 * @param bins 80, or 128 for the third generation of large models
 */
export function logMel(samples: Float32Array, bins: number, frames = 3000): Float32Array {
	const bands = melBands(bins);
	const output = new Float32Array(bins * frames);
	const spectrum = new PowerSpectrum(windowLength);
	const frame = new Float64Array(windowLength);
	const power = new Float64Array(spectrum.bins);
	const total = frames * melHop;
	const used = Math.min(samples.length, total);
	// Frames beyond this one see padding only: all their bands are at the floor.
	const audible = Math.min(frames, Math.ceil((used + windowLength / 2) / melHop));
	const floor = Math.log10(floorPower);
	let loudest = floor;
	for (let t = 0; t < audible; t++) {
		for (let i = 0; i < windowLength; i++) {
			let at = t * melHop + i - windowLength / 2;
			if (at < 0) at = -at;
			else if (at >= total) at = 2 * (total - 1) - at;
			frame[i] = at < used ? (samples[at] as number) * (hann[i] as number) : 0;
		}
		spectrum.run(frame, power);
		for (let band = 0; band < bins; band++) {
			const { first, weights } = bands[band] as MelBand;
			let sum = 0;
			for (let k = 0; k < weights.length; k++)
				sum += (weights[k] as number) * (power[first + k] as number);
			const value = Math.log10(Math.max(sum, floorPower));
			if (value > loudest) loudest = value;
			output[band * frames + t] = value;
		}
	}
	const lowest = loudest - rangeDecades;
	const padding = (Math.max(floor, lowest) + 4) / 4;
	for (let band = 0; band < bins; band++) {
		const row = band * frames;
		for (let t = 0; t < audible; t++)
			output[row + t] = (Math.max(output[row + t] as number, lowest) + 4) / 4;
		output.fill(padding, row + audible, row + frames);
	}
	return output;
}

function melBands(bins: number): readonly MelBand[] {
	const known = bandTables.get(bins);
	if (known !== undefined) return known;
	const top = hertzToMel(melRateHz / 2);
	const edges = Array.from({ length: bins + 2 }, (_, i) => melToHertz((top * i) / (bins + 1)));
	const spectrumBins = windowLength / 2 + 1;
	const table = Array.from({ length: bins }, (_, band): MelBand => {
		const [low = 0, centre = 0, high = 0] = edges.slice(band, band + 3);
		const weights: number[] = [];
		let first = 0;
		for (let k = 0; k < spectrumBins; k++) {
			const hertz = (k * melRateHz) / windowLength;
			const weight = Math.min((hertz - low) / (centre - low), (high - hertz) / (high - centre));
			if (weight <= 0) continue;
			if (weights.length === 0) first = k;
			weights.push((weight * 2) / (high - low));
		}
		return { first, weights: Float64Array.from(weights) };
	});
	bandTables.set(bins, table);
	return table;
}

/** Slaney's scale: linear to 1 kHz, then logarithmic. */
const logStep = Math.log(6.4) / 27;
const hertzToMel = (hertz: number) =>
	hertz < 1000 ? (3 * hertz) / 200 : 15 + Math.log(hertz / 1000) / logStep;
const melToHertz = (mel: number) =>
	mel < 15 ? (200 * mel) / 3 : 1000 * Math.exp((mel - 15) * logStep);
