/** Turns of speakers out of windows that overlap: what several windows say of one moment is weighed together. */
import { largestOf } from '../../../protocol/lists.ts';

/** Samples between two frames of the segmentation, and of the middle of the first. */
export const frameStepS = 270 / 16_000;
const firstFrameS = 495 / 16_000;
/** Who speaks in each of the classes: nobody, each of three, each two of three. */
export const classSpeakers: readonly (readonly number[])[] = [
	[],
	[0],
	[1],
	[2],
	[0, 1],
	[0, 2],
	[1, 2],
];

/** Who speaks from when to when, in seconds. Turns of different speakers may overlap. */
export interface SpeakerTurn {
	readonly speaker: number;
	readonly start: number;
	readonly end: number;
}

/** One window of the segmentation, with the speaker of the recording for each of its three voices. */
export interface JudgedWindow {
	/** Seconds. */
	readonly startS: number;
	/** Class of each frame. */
	readonly classes: Uint8Array;
	/** `undefined` for a voice that could not be told. */
	readonly speakers: readonly (number | undefined)[];
}

/** A pause in one's own speech that does not end a turn. */
const maxGapS = 0.35;
/** A shorter turn is a slip of the network. */
const minTurnS = 0.1;

/** The turns in the order of their beginning, and speakers numbered in the order in which they begin to speak. */
export function speakerTurns(windows: readonly JudgedWindow[]): SpeakerTurn[] {
	const frames = windows.reduce(
		(max, { startS, classes }) => Math.max(max, frameAt(startS) + classes.length),
		0,
	);
	const speakers = windows.reduce(
		(max, window) =>
			largestOf(
				window.speakers.map((one) => (one ?? -1) + 1),
				max,
			),
		0,
	);
	const votes = new Uint8Array(frames);
	const voices = new Uint8Array(frames);
	const scores = Array.from({ length: speakers }, () => new Uint8Array(frames));
	for (const { startS, classes, speakers: own } of windows) {
		const from = frameAt(startS);
		for (const [index, kind] of classes.entries()) {
			const active = classSpeakers[kind] ?? [];
			votes[from + index] = (votes[from + index] ?? 0) + 1;
			voices[from + index] = (voices[from + index] ?? 0) + active.length;
			for (const one of active) {
				const speaker = scores[own[one] ?? -1];
				if (speaker !== undefined) speaker[from + index] = (speaker[from + index] ?? 0) + 1;
			}
		}
	}
	const active = activeSpeakers(scores, voices, votes);
	const turns = active
		.flatMap((marks, speaker) => turnsOf(marks, speaker))
		.sort((a, b) => a.start - b.start || a.speaker - b.speaker);
	const order = [...new Set(turns.map(({ speaker }) => speaker))];
	return turns.map((turn) => ({ ...turn, speaker: order.indexOf(turn.speaker) }));
}

/** In each frame those with the most votes, as many as the windows see voices on average. */
function activeSpeakers(
	scores: readonly Uint8Array[],
	voices: Uint8Array,
	votes: Uint8Array,
): Uint8Array[] {
	const active = scores.map((each) => new Uint8Array(each.length));
	for (let frame = 0; frame < votes.length; frame++) {
		const count = Math.round((voices[frame] ?? 0) / Math.max(1, votes[frame] ?? 0));
		if (count === 0) continue;
		const ranked = scores
			.map((each, speaker) => ({ speaker, score: each[frame] ?? 0 }))
			.filter(({ score }) => score > 0)
			.sort((a, b) => b.score - a.score);
		for (const { speaker } of ranked.slice(0, count)) {
			const marks = active[speaker];
			if (marks !== undefined) marks[frame] = 1;
		}
	}
	return active;
}

function turnsOf(marks: Uint8Array, speaker: number): SpeakerTurn[] {
	const turns: { speaker: number; start: number; end: number }[] = [];
	for (let frame = 0; frame < marks.length; frame++) {
		if (marks[frame] !== 1) continue;
		const start = secondsAt(frame);
		const end = secondsAt(frame + 1);
		const last = turns.at(-1);
		if (last !== undefined && start - last.end <= maxGapS) last.end = end;
		else turns.push({ speaker, start, end });
	}
	return turns.filter(({ start, end }) => end - start >= minTurnS);
}

const frameAt = (startS: number) => Math.round(startS / frameStepS);
const secondsAt = (frame: number) => Math.max(0, firstFrameS - frameStepS / 2 + frame * frameStepS);
