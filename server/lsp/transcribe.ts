/** `nearglot/transcribe`: an audio file of this machine through the daemon's transcription route. */

import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { AppError, setRecording, type TranscribeParams } from '../protocol/index.ts';
import type { Caller } from './daemonLink.ts';
import { listModels } from './models.ts';
import { TeamLink } from './teamLink.ts';

/** The transcript as text or subtitles. */
export async function transcribeFile(
	link: Caller,
	params: TranscribeParams,
	signal: AbortSignal,
): Promise<{ text: string }> {
	let file: Blob;
	try {
		file = await openAsBlob(params.path);
	} catch (error) {
		throw new AppError('not_found', `${params.path} cannot be read.`, { cause: error });
	}
	const form = new FormData();
	form.set('model', params.model ?? (await speechModel(link, signal)));
	form.set('response_format', params.format ?? 'text');
	if (params.language !== undefined) form.set('language', params.language);
	setRecording(form, file, basename(params.path));
	const init = { method: 'POST', body: form };
	const response = await link.call('/v1/audio/transcriptions', init, signal);
	return { text: (await response.text()).trim() };
}

async function speechModel(link: Caller, signal: AbortSignal): Promise<string> {
	// A team's server knows best which of its models hears.
	if (link instanceof TeamLink) return 'default';
	const { models } = await listModels(link, signal);
	const ready = models.find(
		({ task, state }) =>
			task === 'automatic-speech-recognition' && (state === 'loaded' || state === 'cached'),
	);
	if (ready) return ready.id;
	throw new AppError(
		'model_not_found',
		'There is no speech model on this computer. Download one in the Models view.',
	);
}
