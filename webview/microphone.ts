/** The browser's microphone as 16-bit mono pieces. */

/** A microphone that is on. */
export interface Microphone {
	readonly rateHz: number;
	/** No pieces come while it is paused. */
	paused: boolean;
	/** Turns it off. */
	close(): Promise<void>;
}

/** Asks the person for the microphone; rejects with the browser's own error. */
export async function openMicrophone(
	onPiece: (piece: Int16Array) => void,
	worklet = 'studio/recorderWorklet.js',
): Promise<Microphone> {
	const stream = await navigator.mediaDevices.getUserMedia({
		audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true },
	});
	const context = new AudioContext();
	const release = async () => {
		for (const track of stream.getTracks()) track.stop();
		await context.close();
	};
	try {
		await context.audioWorklet.addModule(worklet);
		await context.resume();
		const node = new AudioWorkletNode(context, 'pieces', { numberOfOutputs: 0 });
		const microphone: Microphone = { rateHz: context.sampleRate, paused: false, close: release };
		node.port.onmessage = ({ data }: MessageEvent<Int16Array>) => {
			if (!microphone.paused) onPiece(data);
		};
		context.createMediaStreamSource(stream).connect(node);
		return microphone;
	} catch (error) {
		await release();
		throw error;
	}
}
