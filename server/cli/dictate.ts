/** `nearglot transcribe --microphone`: text while somebody speaks. */

import {
	microphoneRateHz,
	type OpenMicrophone,
	openSystemMicrophone,
} from '../audio/systemMicrophone.ts';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import type {
	RecorderEvent,
	RecorderRequest,
	Transcript,
	TranscriptFormat,
} from '../protocol/index.ts';
import { openRecorder, sendSamples, setRecorderState } from '../protocol/routeAddresses.ts';
import { transcriptText } from '../services/speech/speechFormats.ts';
import type { CommandIo } from './command.ts';
import { timeText } from './progressBar.ts';

export interface DictationOptions {
	readonly request: RecorderRequest;
	readonly format: TranscriptFormat;
	/** Ends by itself after this many seconds. */
	readonly seconds?: number;
	/** Text that is complete goes here instead of to standard output. */
	readonly write?: (body: string) => Promise<void>;
}

/**
 * Records until Ctrl+C, Enter or the time is over, then waits for the rest of the text. Throws
 * `not_supported` when no microphone can be opened.
 */
export async function dictate(dictation: DictationOptions, io: CommandIo): Promise<number> {
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	// Opened before the session, so that a machine without a microphone says so at once.
	const microphone = await openSystemMicrophone(io.env, process.platform, io.signal);
	const release = stopConditions(dictation, microphone, io);
	try {
		const body = dictation.request;
		const events = daemon.stream(openRecorder, { body }, { of: 'recording' });
		const transcript = await transcribe(dictation, { daemon, microphone, io }, events);
		if (dictation.write) await dictation.write(transcriptText(transcript, dictation.format));
		else if (dictation.format === 'text') io.stdout.write('\n');
		else io.stdout.data(transcriptText(transcript, dictation.format));
		return 0;
	} finally {
		release();
		microphone.stop();
	}
}

/** Ends the recording when it is time; returns what takes the listeners away again. */
function stopConditions(
	{ seconds }: DictationOptions,
	microphone: OpenMicrophone,
	{ stdin, stderr, signal }: CommandIo,
): () => void {
	const stop = () => microphone.stop();
	signal.addEventListener('abort', stop, { once: true });
	const timer = seconds === undefined ? undefined : setTimeout(stop, seconds * 1000);
	if (stdin.isTTY) stdin.once('data', stop);
	if (stderr.isTTY)
		stderr.write(`Recording with ${microphone.program}. Enter or Ctrl+C ends it.\n`);
	return () => {
		clearTimeout(timer);
		signal.removeEventListener('abort', stop);
		stdin.removeListener('data', stop);
		if (stdin.isTTY) stdin.pause();
	};
}

interface Parts {
	readonly daemon: DaemonConnection;
	readonly microphone: OpenMicrophone;
	readonly io: CommandIo;
}

async function transcribe(
	{ format, write, request }: DictationOptions,
	parts: Parts,
	events: AsyncIterable<RecorderEvent>,
): Promise<Transcript> {
	const { stdout, stderr } = parts.io;
	const live = format === 'text' && write === undefined;
	const meter = stderr.isTTY && !(live && stdout.isTTY);
	let sent: Promise<void> | undefined;
	let failure: unknown;
	for await (const known of events) {
		if (known.type === 'recorder.session') {
			sent = send(parts, known.token);
			sent.catch((error: unknown) => {
				failure = error;
			});
		} else if (known.type === 'recorder.level' && meter) {
			const bar = '▮'.repeat(Math.round(Math.sqrt(known.level) * 10)).padEnd(10, '▯');
			stderr.status(`${timeText(known.seconds)}  ${bar}`);
		} else if (known.type === 'transcript.text.delta' && live) {
			stdout.data(known.delta);
		} else if (known.type === 'transcript.text.done') {
			await sent;
			if (meter) stderr.status('');
			const task = request.translate ? 'translate' : 'transcribe';
			const { type: _type, ...rest } = known;
			return { task, ...rest };
		}
	}
	throw failure ?? parts.daemon.cut('recording');
}

async function send({ daemon, microphone }: Parts, token: string): Promise<void> {
	const headers = { 'x-recorder-token': token };
	let from = 0;
	try {
		for await (const samples of microphone.samples) {
			const bytes = new Uint8Array(samples.length * 2);
			const view = new DataView(bytes.buffer);
			for (const [index, value] of samples.entries()) view.setInt16(2 * index, value, true);
			const query = { rate: String(microphoneRateHz), from: String(from) };
			await daemon.call(sendSamples, { query, headers, body: bytes });
			from += samples.length;
		}
	} finally {
		await daemon.call(setRecorderState, { body: { state: 'stopped' }, headers });
	}
}
