/** Recordings for tests that click: sentences of voices the built-in speech model never heard, and hears well. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainWords, wordErrors } from '../../bench/quality/wordErrors.ts';
import { fileSource } from '../../server/audio/audioSource.ts';
import { decodeAudio, speechRateHz } from '../../server/audio/decodeAudio.ts';
import { wavFile } from '../support/madeAudio.ts';

const folder = join(import.meta.dirname, '..', 'fixtures', 'speech');

export const sentences = {
	annie: 'Please open the new window tomorrow.',
	f2: 'I will read it again.',
} as const;

/** Writes both sentences as a 16-bit mono wave file, with a pause of a second around each. */
export async function writeSpeech(path: string): Promise<void> {
	const pause = new Float32Array(speechRateHz);
	const pieces: Float32Array[] = [pause];
	for (const name of Object.keys(sentences)) {
		await using source = await fileSource(join(folder, `${name}.flac`));
		const { samples, close } = await decodeAudio(source);
		for await (const piece of samples) pieces.push(piece.slice());
		await close();
		pieces.push(pause);
	}
	const all = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const piece of pieces) {
		all.set(piece, at);
		at += piece.length;
	}
	writeFileSync(path, wavFile(all, { rateHz: speechRateHz }));
}

/** Asserts that most of the expected words were heard. */
export function assertHeard(text: string, expected: string): void {
	const words = plainWords(expected);
	const wrong = wordErrors(words, plainWords(text));
	assert.ok(wrong <= words.length / 3, `'${expected}' was heard as '${text}'`);
}
