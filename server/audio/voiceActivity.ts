/** Where somebody speaks, told from loudness: 32 ms frames against the noise floor around them. */

import { pushAll } from '../protocol/lists.ts';

/** Samples per frame at 16 kHz: 32 ms, the frame of neural detectors too. */
export const activityFrame = 512;
export const activityFrameS = activityFrame / 16_000;

/** Gives the probability of speech for every whole frame of 16 kHz samples that follow each other. */
export interface VoiceActivity {
	probabilities(samples: Float32Array, signal?: AbortSignal): Promise<Float32Array>;
}

/** Speech stands out of the noise by this much. */
const overFloorDb = 9;
/** Whatever is this close to the loudest is no noise unless it is steady: there may be no pause at all. */
const underLoudDb = 25;
/** The quietest seventh of the time varies by less than this when it is noise, and by more when somebody speaks. */
const steadyDb = 3;
/** Speech stands out of a steady noise by this much already. */
const overSteadyDb = 4;
/** A steady sound closer to the loudest than this may be what somebody wants to hear. */
const steadyUnderLoudDb = 15;
/** Steadiness is judged from this much on: a single vowel is steady too. */
const steadyFrames = Math.round(1.5 / activityFrameS);
/** Quieter than this is nobody, however quiet the room. */
const absoluteFloorDb = -58;
/** Decibels in which the probability rises from a quarter to three quarters. */
const softnessDb = 6;
/** The floor is looked for in this much of the past. */
const memoryFrames = Math.round(30 / activityFrameS);
/** Frames a word may be quiet in the middle (stops, unvoiced ends). */
const hangoverFrames = 2;

/** Detector without a model. Keeps the noise floor between calls. */
export class EnergyActivity implements VoiceActivity {
	#levels: number[] = [];

	async probabilities(samples: Float32Array): Promise<Float32Array> {
		const frames = Math.floor(samples.length / activityFrame);
		const levels = Float32Array.from({ length: frames }, (_, frame) => levelDb(samples, frame));
		pushAll(this.#levels, levels);
		this.#levels.splice(0, Math.max(0, this.#levels.length - memoryFrames));
		const sorted = Float32Array.from(this.#levels).sort();
		const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? -120;
		const quiet = at(0.1);
		const loud = at(0.95);
		const steady =
			sorted.length >= steadyFrames &&
			at(0.15) - at(0.02) < steadyDb &&
			loud - quiet > steadyUnderLoudDb;
		const threshold = Math.max(
			absoluteFloorDb,
			steady ? quiet + overSteadyDb : Math.min(quiet + overFloorDb, loud - underLoudDb),
		);
		const slope = softnessDb / 2.2;
		return hangover(levels.map((level) => 1 / (1 + Math.exp((threshold - level) / slope))));
	}
}

/** Level of a frame after a first difference, which takes hum and rumble away. */
function levelDb(samples: Float32Array, frame: number): number {
	let sum = 0;
	let before = samples[frame * activityFrame] as number;
	for (let i = frame * activityFrame; i < (frame + 1) * activityFrame; i++) {
		const value = samples[i] as number;
		const change = value - 0.95 * before;
		sum += change * change;
		before = value;
	}
	return 10 * Math.log10(sum / activityFrame + 1e-12);
}

/** Holds every frame up for a moment in both directions, so that words are not cut into pieces. */
function hangover(values: Float32Array): Float32Array {
	return values.map((_, frame) =>
		Math.max(...values.subarray(Math.max(0, frame - hangoverFrames), frame + hangoverFrames + 1)),
	);
}
