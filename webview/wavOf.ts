/** Sound as a WAV file, for browsers that record in a form that needs a decoder of its own. */

const headBytes = 44;

/** 16 bits, one channel. @param samples −1…1 */
export function wavOf(samples: Float32Array, rateHz: number): Blob {
	const view = new DataView(new ArrayBuffer(headBytes + samples.length * 2));
	const word = (at: number, text: string) => {
		for (const [index, letter] of [...text].entries())
			view.setUint8(at + index, letter.charCodeAt(0));
	};
	word(0, 'RIFF');
	view.setUint32(4, headBytes - 8 + samples.length * 2, true);
	word(8, 'WAVEfmt ');
	view.setUint32(16, 16, true);
	view.setUint16(20, 1, true);
	view.setUint16(22, 1, true);
	view.setUint32(24, rateHz, true);
	view.setUint32(28, rateHz * 2, true);
	view.setUint16(32, 2, true);
	view.setUint16(34, 16, true);
	word(36, 'data');
	view.setUint32(40, samples.length * 2, true);
	for (const [index, sample] of samples.entries())
		view.setInt16(headBytes + index * 2, Math.max(-1, Math.min(1, sample)) * 32_767, true);
	return new Blob([view.buffer], { type: 'audio/wav' });
}

/** A recording, decoded by the browser: the mean of its channels. @throws DOMException when it cannot */
export async function decodedSound(
	sound: Blob,
): Promise<{ readonly samples: Float32Array; readonly rateHz: number }> {
	const context = new AudioContext({ sampleRate: 16_000 });
	try {
		const decoded = await context.decodeAudioData(await sound.arrayBuffer());
		const samples = new Float32Array(decoded.length);
		for (let channel = 0; channel < decoded.numberOfChannels; channel++)
			for (const [index, sample] of decoded.getChannelData(channel).entries())
				samples[index] = (samples[index] ?? 0) + sample / decoded.numberOfChannels;
		return { samples, rateHz: decoded.sampleRate };
	} finally {
		await context.close();
	}
}

/** The same as a WAV file. */
export async function decodedWav(sound: Blob): Promise<Blob> {
	const { samples, rateHz } = await decodedSound(sound);
	return wavOf(samples, rateHz);
}
