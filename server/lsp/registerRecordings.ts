/** Registers what an editor asks about recordings that are transcribed in the background. */

import { AppError, type RequestName, type Requests } from '../protocol/index.ts';
import {
	markedRecordings,
	queuedTranscript,
	queueRecording,
	recordingOf,
	removeQueued,
} from '../protocol/queuedRecordings.ts';
import type { Client } from '../protocol/routeClient.ts';
import { localise } from './texts.ts';
import { recordingBlob } from './transcribeRecordingFile.ts';

export interface RecordingRegistration {
	readonly handle: <M extends RequestName>(
		name: M,
		run: (params: Requests[M]['params'], signal: AbortSignal) => Promise<Requests[M]['result']>,
	) => void;
	/** The daemon of this computer. */
	readonly link: Client;
	/** Where a model answers. */
	readonly at: (params: { readonly model?: string }) => [Client, unknown];
}

export function registerRecordings({ handle, link, at }: RecordingRegistration): void {
	handle('nearglot/recordings/queue', async ({ path, name, mark, ...choice }, signal) => {
		const { model, english } = choice;
		const [client] = at(model === '' ? {} : { model });
		if (client !== link || english)
			throw new AppError(
				'not_supported',
				'In the background only models of this computer transcribe, in the language that is spoken.',
			);
		const sound = await recordingBlob(path);
		const { id } = await queueRecording(link, { sound, name, choice, mark }, signal);
		return { id };
	});
	handle('nearglot/recordings', async ({ ids }, signal) => ({
		recordings: await markedRecordings(link, ids, localise, signal),
	}));
	handle('nearglot/recordings/take', async ({ id }, signal) =>
		queuedTranscript(link, await recordingOf(link, id, signal), signal),
	);
	handle('nearglot/recordings/forget', async ({ id }, signal) => {
		return { removed: await removeQueued(link, await recordingOf(link, id, signal)) };
	});
}
