/**
 * `nearglot/transcript`, `nearglot/waveform`, `nearglot/playable`: a recording of this machine as a
 * transcript with word times, through the transcription route, and as something to see and hear.
 */

import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { DecodeQueue } from '../audio/decodeQueue.ts';
import { decodeInThread } from '../audio/threadedDecode.ts';
import { thisMachine } from '../daemon/machine.ts';
import { dataDir } from '../daemon/paths.ts';
import {
	AppError,
	type Requests,
	readTranscript,
	type Transcript,
	type TranscriptDelta,
	type TranscriptParams,
	transcriptForm,
	type Waveform,
} from '../protocol/index.ts';
import { audioTranslations, transcriptions } from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';
import { speechLimits } from '../services/speech/speechLimits.ts';
import { waveformOf, writePlayable } from '../services/speech/waveform.ts';
import { scratchIn } from '../store/scratch.ts';

/** Of this process: the daemon has its own. */
const decoding = new DecodeQueue();
/** A page is at most a few thousand pixels wide. */
const maxBuckets = 8192;

/** Hears a recording; `onDelta` gets text and progress as they come. */
export async function transcribeRecordingFile(
	client: Client,
	params: TranscriptParams,
	onDelta: (delta: TranscriptDelta) => void,
	signal: AbortSignal,
): Promise<Transcript> {
	onDelta({ phase: 'connecting' });
	const body = transcriptForm(params, await recordingBlob(params.path), basename(params.path));
	onDelta({ phase: 'loading' });
	const route = params.english ? audioTranslations : transcriptions;
	return readTranscript(client.stream(route, { body }, { of: 'recording', signal }), onDelta);
}

/** @throws AppError `not_found` */
export async function recordingBlob(path: string): Promise<Blob> {
	try {
		return await openAsBlob(path);
	} catch (error) {
		throw new AppError('not_found', `${path} cannot be read.`, { cause: error });
	}
}

/** The sound of a file as a picture. */
export async function waveformOfFile(
	{ path, buckets }: { readonly path: string; readonly buckets: number },
	signal: AbortSignal,
): Promise<Waveform> {
	if (!Number.isInteger(buckets) || buckets < 1 || buckets > maxBuckets) {
		throw new AppError('invalid_request', `'buckets' must be 1 to ${maxBuckets}.`);
	}
	return waveformOf(await decode(path, signal), buckets, signal);
}

/** The sound of a file as a WAV file. */
export async function makePlayable(
	{ path, target, cuts = [] }: Requests['nearglot/playable']['params'],
	signal: AbortSignal,
): Promise<Record<string, never>> {
	await writePlayable(await decode(path, signal), target, signal, cuts);
	return {};
}

function decode(path: string, signal: AbortSignal) {
	const { maximumS } = speechLimits(process.env);
	return decodeInThread(
		path,
		{ maximumS, queue: decoding, scratch: scratchIn(dataDir(thisMachine())) },
		signal,
	);
}
