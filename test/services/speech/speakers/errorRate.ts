/** How wrong turns are: the diarization error rate, by frames of 10 ms and the best naming of the speakers. */

import type { SpeakerTurn } from '../../../../server/services/speech/speakers/speakerTurns.ts';

const frameS = 0.01;
/** This much around the true beginnings and ends is not judged, as in the published evaluations. */
const collarS = 0.25;

/** Missed, false and confused time over the time of all speech, overlap counted twice. */
export function diarizationErrorRate(
	truth: readonly SpeakerTurn[],
	found: readonly SpeakerTurn[],
): number {
	const end = Math.max(...[...truth, ...found].map((turn) => turn.end));
	const frames = Math.ceil(end / frameS);
	const marks = (turns: readonly SpeakerTurn[]) => {
		const speakers = turns.reduce((max, { speaker }) => Math.max(max, speaker + 1), 0);
		const rows = Array.from({ length: speakers }, () => new Uint8Array(frames));
		for (const turn of turns)
			rows[turn.speaker]?.fill(1, Math.round(turn.start / frameS), Math.round(turn.end / frameS));
		return rows;
	};
	const judged = new Uint8Array(frames).fill(1);
	for (const turn of truth)
		for (const edge of [turn.start, turn.end])
			judged.fill(
				0,
				Math.max(0, Math.round((edge - collarS) / frameS)),
				Math.round((edge + collarS) / frameS),
			);
	const [real, said] = [marks(truth), marks(found)];
	let total = 0;
	let errors = 0;
	const shared = real.map(() => said.map(() => 0));
	for (let at = 0; at < frames; at++) {
		if (judged[at] !== 1) continue;
		const there = real.flatMap((row, index) => (row[at] === 1 ? [index] : []));
		const told = said.flatMap((row, index) => (row[at] === 1 ? [index] : []));
		total += there.length;
		errors += Math.max(there.length, told.length);
		for (const a of there)
			for (const b of told) {
				const row = shared[a] as number[];
				row[b] = (row[b] ?? 0) + 1;
			}
	}
	return (errors - bestMatch(shared, 0, new Set())) / total;
}

/** The most time that a one-to-one naming gets right. */
function bestMatch(shared: readonly number[][], at: number, taken: Set<number>): number {
	const row = shared[at];
	if (row === undefined) return 0;
	let best = bestMatch(shared, at + 1, taken);
	for (const [index, right] of row.entries()) {
		if (taken.has(index) || right === 0) continue;
		best = Math.max(best, right + bestMatch(shared, at + 1, new Set([...taken, index])));
	}
	return best;
}
