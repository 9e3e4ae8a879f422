/**
 * Kaldi's log mel filter banks, which networks that tell voices apart read: 80 bins, 25 ms frames every 10 ms,
 * the mean of the recording removed. Source: kaldi, feat/feature-fbank.cc and feature-window.cc.
 */

import { PowerSpectrum } from '../whisper/powerSpectrum.ts';

export const fbankBins = 80;
const rateHz = 16_000;
const frameSamples = 400;
const hopSamples = 160;
const fftLength = 512;
const preemphasis = 0.97;
const lowHz = 20;
/** Samples are 16-bit integers to Kaldi. */
const scale = 32_768;
const epsilon = 1.192_092_9e-7;

/** Kaldi's own window, and the one that WeSpeaker chooses. */
export type FbankWindow = 'povey' | 'hamming';

const mel = (hz: number) => 1127 * Math.log(1 + hz / 700);

interface Filter {
	readonly first: number;
	readonly weights: Float64Array;
}

/** Triangles that are even on the mel scale; the bin of half the rate belongs to none. */
const filters: readonly Filter[] = Array.from({ length: fbankBins }, (_, index) => {
	const step = (mel(rateHz / 2) - mel(lowHz)) / (fbankBins + 1);
	const left = mel(lowHz) + index * step;
	const weights = Float64Array.from({ length: fftLength / 2 }, (__, bin) => {
		const at = mel((bin * rateHz) / fftLength);
		return Math.max(0, Math.min((at - left) / step, (left + 2 * step - at) / step));
	});
	const first = Math.max(
		0,
		weights.findIndex((weight) => weight > 0),
	);
	const end = weights.findLastIndex((weight) => weight > 0) + 1;
	return { first, weights: weights.slice(first, Math.max(first, end)) };
});

function windowOf(kind: FbankWindow): Float64Array {
	return Float64Array.from({ length: frameSamples }, (_, i) => {
		const cosine = Math.cos((2 * Math.PI * i) / (frameSamples - 1));
		return kind === 'hamming' ? 0.54 - 0.46 * cosine : (0.5 - 0.5 * cosine) ** 0.85;
	});
}

/** Frames of this many 16 kHz samples. */
export const fbankFrames = (samples: number): number =>
	Math.max(0, Math.floor((samples - frameSamples) / hopSamples) + 1);

/**
 * Features of 16 kHz samples, −1…1: frame after frame of 80 values, each bin's mean over the frames removed.
 * @param window see {@link FbankWindow}
 */
export function kaldiFbank(samples: Float32Array, window: FbankWindow): Float32Array {
	const frames = fbankFrames(samples.length);
	const features = new Float32Array(frames * fbankBins);
	const shape = windowOf(window);
	const spectrum = new PowerSpectrum(fftLength);
	const frame = new Float64Array(fftLength);
	const power = new Float64Array(spectrum.bins);
	const sums = new Float64Array(fbankBins);
	for (let at = 0; at < frames; at++) {
		shapeFrame(samples, at * hopSamples, shape, frame);
		spectrum.run(frame, power);
		for (const [bin, { first, weights }] of filters.entries()) {
			let energy = 0;
			for (let i = 0; i < weights.length; i++)
				energy += (weights[i] as number) * (power[first + i] as number);
			const level = Math.log(Math.max(energy, epsilon));
			features[at * fbankBins + bin] = level;
			sums[bin] = (sums[bin] as number) + level;
		}
	}
	for (let i = 0; i < features.length; i++)
		features[i] = (features[i] as number) - (sums[i % fbankBins] as number) / frames;
	return features;
}

/** The mean is removed, high frequencies are raised, and the window is laid over it. */
function shapeFrame(
	samples: Float32Array,
	start: number,
	shape: Float64Array,
	frame: Float64Array,
): void {
	let mean = 0;
	for (let i = 0; i < frameSamples; i++) mean += (samples[start + i] as number) / frameSamples;
	for (let i = frameSamples - 1; i >= 0; i--) {
		const value = (samples[start + i] as number) - mean;
		const before = (samples[start + Math.max(0, i - 1)] as number) - mean;
		frame[i] = scale * (value - preemphasis * before) * (shape[i] as number);
	}
}
