/** Which field of a wave header is right where they contradict each other: the samples tell. */

import { AppError } from '../protocol/index.ts';
import type { AudioSource } from './audioSource.ts';
import { mixFrames, pcmReader } from './pcm.ts';

/** PCM samples as a field of the header says that they lie in the file. */
export interface PcmForm {
	readonly encoding: 'unsigned' | 'signed';
	readonly channels: number;
	readonly sampleBytes: number;
	readonly frameBytes: number;
}

/** Enough for seconds of sound, however it is read. */
const judgedBytes = 524_288;
/** Sound read in the wrong form is noise, or jumps from sample to sample: rougher by more than this. */
const clearlyRougher = 2.5;

/**
 * The form in which the data are sound. Throws `invalid_audio` when that cannot be told.
 * @param dataBytes length of the data as the header has it, where it has one
 */
export async function soundingForm(
	source: AudioSource,
	dataOffset: number,
	dataBytes: number | undefined,
	forms: readonly PcmForm[],
): Promise<PcmForm> {
	const fitting = forms.filter(({ frameBytes }) => (dataBytes ?? 0) % frameBytes === 0);
	const [only, ...others] = fitting;
	if (only !== undefined && others.length === 0) return only;
	const bytes = await source.read(dataOffset, Math.min(judgedBytes, dataBytes ?? judgedBytes));
	const judged = (only === undefined ? forms : fitting)
		.map((form) => ({ form, roughness: roughnessOf(bytes, form) }))
		.sort((a, b) => a.roughness - b.roughness);
	const [best, second] = judged;
	if (best && second && best.roughness * clearlyRougher < second.roughness) return best.form;
	const claims = forms.map(
		({ sampleBytes, channels }) => `${sampleBytes} bytes for each sample of ${channels} channels`,
	);
	throw new AppError(
		'invalid_audio',
		`The header of the WAV file contradicts itself: it says ${claims.join(' and ')}, and the samples do not tell which is right. Save the recording again with the program that made it, or convert it.`,
	);
}

/** How much of the sound is change from one sample to the next: near 0 for a voice, 2 for noise. */
function roughnessOf(bytes: Uint8Array, form: PcmForm): number {
	const samples = mixFrames(bytes, pcmReader(form.encoding, form.sampleBytes), form);
	const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
	let change = 0;
	let energy = 0;
	let before = samples[0] ?? 0;
	for (const value of samples) {
		change += (value - before) ** 2;
		energy += (value - mean) ** 2;
		before = value;
	}
	return energy === 0 ? 0 : change / energy;
}
