/** The microphone as a recording, in a form that the server reads without another program. */

import { decodedWav } from './wavOf.ts';

export interface SoundRecorder {
	/** Resolves after {@link stop}. */
	readonly sound: Promise<Blob>;
	stop(): void;
}

/** What the server decodes by itself; some browsers make neither. */
const readable = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus'];

/** Asks the person for the microphone; `onSeconds` tells how long it has been recording. */
export async function recordSound(onSeconds: (seconds: number) => void): Promise<SoundRecorder> {
	if (!navigator.mediaDevices) {
		throw new Error('The browser lends its microphone to this computer and to https pages only.');
	}
	const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
	const type = readable.find((each) => MediaRecorder.isTypeSupported(each));
	const tape = new MediaRecorder(stream, type === undefined ? {} : { mimeType: type });
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
			if (whole.size > 0) resolve(type === undefined ? decodedWav(whole) : whole);
			else reject(new Error('The microphone gave no sound.'));
		};
	});
	// In one piece where it is decoded here: parts of a file are no file.
	tape.start(type === undefined ? undefined : 1000);
	return { sound, stop: () => tape.state !== 'inactive' && tape.stop() };
}
