/** Registers what an editor asks about recordings and the microphone. */

import { type Connection, ProgressType } from 'vscode-languageserver/node';
import type { DictationEvent, RequestName, Requests, TranscriptDelta } from '../protocol/index.ts';
import type { Client } from '../protocol/routeClient.ts';
import { Dictations } from './dictations.ts';
import { transcribeFile } from './transcribeFile.ts';
import {
	makePlayable,
	transcribeRecordingFile,
	waveformOfFile,
} from './transcribeRecordingFile.ts';

const transcriptProgress = new ProgressType<TranscriptDelta>();
const dictationProgress = new ProgressType<DictationEvent>();

export interface SpeechRegistration {
	readonly connection: Connection;
	readonly handle: <M extends RequestName>(
		name: M,
		run: (params: Requests[M]['params'], signal: AbortSignal) => Promise<Requests[M]['result']>,
	) => void;
	/** The daemon of this computer: a microphone is never sent to another. */
	readonly link: Client;
	/** Where a model answers, and its name there. */
	readonly at: <P extends { readonly model?: string }>(params: P) => [Client, P];
	readonly env: NodeJS.ProcessEnv;
}

export function registerSpeech({ connection, handle, link, at, env }: SpeechRegistration): void {
	const dictations = new Dictations(link, env);
	handle('nearglot/transcribe', (params, signal) => transcribeFile(...at(params), signal));
	handle('nearglot/transcript', (params, signal) => {
		const [caller, request] = at(params);
		const token = params.partialResultToken;
		const report = (delta: TranscriptDelta) => {
			if (token !== undefined) void connection.sendProgress(transcriptProgress, token, delta);
		};
		return transcribeRecordingFile(caller, request, report, signal);
	});
	handle('nearglot/waveform', waveformOfFile);
	handle('nearglot/playable', makePlayable);
	handle('nearglot/dictate', (params, signal) => {
		const token = params.partialResultToken;
		const report = (event: DictationEvent) => {
			if (token !== undefined) void connection.sendProgress(dictationProgress, token, event);
		};
		return dictations.run(params, report, signal);
	});
	handle('nearglot/dictate/stop', ({ id }) => dictations.stop(id));
	handle('nearglot/dictate/audio', (params, signal) => dictations.audio(params, signal));
}
