/** The microphone as a recording, in whatever form the browser makes. */

export interface SoundRecorder {
	/** Resolves after {@link stop}. */
	readonly sound: Promise<Blob>;
	stop(): void;
}

/** Asks the person for the microphone; `onSeconds` tells how long it has been recording. */
export async function recordSound(onSeconds: (seconds: number) => void): Promise<SoundRecorder> {
	if (!navigator.mediaDevices) {
		throw new Error('The browser lends its microphone to this computer and to https pages only.');
	}
	const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
	const tape = new MediaRecorder(stream);
	const parts: Blob[] = [];
	tape.ondataavailable = ({ data }) => parts.push(data);
	const started = performance.now();
	const timer = setInterval(() => onSeconds((performance.now() - started) / 1000), 250);
	onSeconds(0);
	const sound = new Promise<Blob>((resolve, reject) => {
		tape.onstop = () => {
			clearInterval(timer);
			for (const track of stream.getTracks()) track.stop();
			const whole = new Blob(parts, { type: tape.mimeType });
			if (whole.size > 0) resolve(whole);
			else reject(new Error('The microphone gave no sound.'));
		};
	});
	tape.start(1000);
	return { sound, stop: () => tape.state !== 'inactive' && tape.stop() };
}
