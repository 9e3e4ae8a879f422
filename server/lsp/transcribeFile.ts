/** `nearglot/transcribe`: an audio file of this machine through the daemon's transcription route. */

import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { AppError, setFormFile, type TranscribeParams } from '../protocol/index.ts';
import { transcriptions } from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';

/** The transcript as text or subtitles. */
export async function transcribeFile(
	client: Client,
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
	form.set('model', params.model ?? 'default');
	form.set('response_format', params.format ?? 'text');
	if (params.language !== undefined) form.set('language', params.language);
	setFormFile(form, file, basename(params.path));
	const response = await client.open(transcriptions, { body: form }, { signal });
	return { text: (await response.text()).trim() };
}
