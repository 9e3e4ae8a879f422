/**
 * Says who speaks when in a recording: windows of ten seconds are segmented into up to three voices, each voice of a
 * window becomes a vector, and the vectors are grouped into speakers. Memory is bounded by a window and the vectors.
 */

import type { ModelClient } from '../../host.ts';
import { clusterVoices, type VoiceSample } from './clusterVoices.ts';
import {
	classSpeakers,
	frameStepS,
	type JudgedWindow,
	type SpeakerTurn,
	speakerTurns,
} from './speakerTurns.ts';

const rateHz = 16_000;
const windowSamples = 10 * rateHz;
/** Windows overlap by half, so that every moment is judged twice. */
const stepSamples = windowSamples / 2;
/** The last piece of a recording is filled up with silence to this. */
const minWindowSamples = rateHz;
const voicesPerWindow = 3;
/** Sound of one voice alone from which it is told; where there is less, overlapped sound helps. */
const minAloneS = 0.5;
const minVoiceS = 0.3;
/** Sound of one voice that is enough to tell it. */
const maxVoiceS = 4;
/** Cosine from which two voices are one, for networks of the WeSpeaker and 3D-Speaker families. */
const minSimilarity = 0.4;

export interface DiarizationParts {
	/** A model that segments. */
	readonly segmentation: Pick<Required<ModelClient>, 'segmentSpeakers'>;
	/** A model that makes vectors of voices. */
	readonly embedding: Pick<Required<ModelClient>, 'embedVoice'>;
}

interface Window {
	readonly startS: number;
	readonly classes: Uint8Array;
	/** Index into the voices for each of the window's own. */
	readonly voices: (number | undefined)[];
}

/**
 * The turns in a recording.
 * @param samples 16 kHz mono
 */
export async function diarize(
	samples: AsyncIterable<Float32Array>,
	parts: DiarizationParts,
	signal?: AbortSignal,
): Promise<SpeakerTurn[]> {
	const windows: Window[] = [];
	const voices: Promise<VoiceSample>[] = [];
	for await (const { start, sound } of windowsOf(samples)) {
		signal?.throwIfAborted();
		const { classes } = await parts.segmentation.segmentSpeakers({ samples: sound }, signal);
		// The voices of the window before are embedded while this one is segmented.
		await Promise.all(voices.slice(-voicesPerWindow));
		const own: (number | undefined)[] = [];
		for (let voice = 0; voice < voicesPerWindow; voice++) {
			const samplesOfVoice = voiceOf(sound, classes, voice);
			own.push(samplesOfVoice === undefined ? undefined : voices.length);
			if (samplesOfVoice === undefined) continue;
			const embedded = embed(parts, samplesOfVoice, windows.length, signal);
			// Whoever waits for it hears of it; nobody may any more.
			embedded.catch(() => {});
			voices.push(embedded);
		}
		windows.push({ startS: start / rateHz, classes, voices: own });
	}
	const speakers = await clusterVoices(await Promise.all(voices), minSimilarity, signal);
	return speakerTurns(
		windows.map(
			({ startS, classes, voices: own }): JudgedWindow => ({
				startS,
				classes,
				speakers: own.map((voice) => (voice === undefined ? undefined : speakers[voice])),
			}),
		),
	);
}

async function embed(
	{ embedding }: DiarizationParts,
	samples: Float32Array,
	window: number,
	signal: AbortSignal | undefined,
): Promise<VoiceSample> {
	const { vector } = await embedding.embedVoice({ samples }, signal);
	return { vector, window, seconds: samples.length / rateHz };
}

/** Overlapping windows of a recording; the last one is as long as what is left. */
async function* windowsOf(
	samples: AsyncIterable<Float32Array>,
): AsyncGenerator<{ readonly start: number; readonly sound: Float32Array }> {
	const buffer = new Float32Array(windowSamples);
	let filled = 0;
	let start = 0;
	for await (const block of samples) {
		for (let at = 0; at < block.length; ) {
			const piece = block.subarray(at, at + windowSamples - filled);
			buffer.set(piece, filled);
			filled += piece.length;
			at += piece.length;
			if (filled < windowSamples) continue;
			yield { start, sound: buffer.slice() };
			buffer.copyWithin(0, stepSamples);
			filled -= stepSamples;
			start += stepSamples;
		}
	}
	const known = start === 0 ? 0 : windowSamples - stepSamples;
	if (filled <= known) return;
	const sound = new Float32Array(Math.max(minWindowSamples, filled));
	sound.set(buffer.subarray(0, filled));
	yield { start, sound };
}

/** The sound of one voice of a window, where it speaks alone if that is enough; `undefined` for too little. */
function voiceOf(
	sound: Float32Array,
	classes: Uint8Array,
	voice: number,
): Float32Array | undefined {
	const alone = soundWhere(sound, classes, (active) => active.length === 1 && active[0] === voice);
	if (alone.length >= minAloneS * rateHz) return alone;
	const all = soundWhere(sound, classes, (active) => active.includes(voice));
	return all.length < minVoiceS * rateHz ? undefined : all;
}

function soundWhere(
	sound: Float32Array,
	classes: Uint8Array,
	isWanted: (active: readonly number[]) => boolean,
): Float32Array {
	const step = Math.round(frameStepS * rateHz);
	// Half of what a frame sees lies before its middle.
	const lead = 360;
	const found = new Float32Array(Math.min(sound.length, maxVoiceS * rateHz));
	let length = 0;
	for (const [frame, kind] of classes.entries()) {
		if (!isWanted(classSpeakers[kind] ?? [])) continue;
		const piece = sound.subarray(frame * step + lead, (frame + 1) * step + lead);
		if (length + piece.length > found.length) break;
		found.set(piece, length);
		length += piece.length;
	}
	return found.slice(0, length);
}
