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
import { isRecord } from '../protocol/errorBody.ts';
import {
	AppError,
	errorOfBody,
	readEvents,
	setRecording,
	type Transcript,
	type TranscriptDelta,
	type TranscriptParams,
	type Waveform,
} from '../protocol/index.ts';
import { speechLimits } from '../services/speechLimits.ts';
import { waveformOf, writePlayable } from '../services/waveform.ts';
import { scratchIn } from '../store/scratch.ts';
import type { Caller } from './daemonLink.ts';

/** Of this process: the daemon has its own. */
const decoding = new DecodeQueue();
/** Names the loaded or the largest model, whatever it is called. */
const anyModel = 'default';
/** A page is at most a few thousand pixels wide. */
const mostBuckets = 8192;

/** Hears a recording; `onDelta` gets text and progress as they come. */
export async function transcribeRecording(
	link: Caller,
	params: TranscriptParams,
	onDelta: (delta: TranscriptDelta) => void,
	signal: AbortSignal,
): Promise<Transcript> {
	onDelta({ phase: 'connecting' });
	const form = new FormData();
	form.set('model', params.model ?? anyModel);
	if (params.language !== undefined) form.set('language', params.language);
	form.set('response_format', 'verbose_json');
	form.append('timestamp_granularities[]', 'segment');
	form.append('timestamp_granularities[]', 'word');
	form.set('stream', 'true');
	form.append('include[]', 'progress');
	setRecording(form, await recording(params.path), basename(params.path));
	const task = params.english ? 'translations' : 'transcriptions';
	onDelta({ phase: 'loading' });
	const init = { method: 'POST', body: form };
	const response = await link.call(`/v1/audio/${task}`, init, signal);
	let cause: unknown;
	try {
		for await (const { data } of readEvents(response.body ?? new Blob([]).stream())) {
			if (data === '[DONE]') break;
			const event: unknown = JSON.parse(data);
			const failure = errorOfBody(event, 500);
			if (failure) throw failure;
			if (!isRecord(event)) continue;
			if (event['type'] === 'transcript.text.done') return event as unknown as Transcript;
			const delta = readDelta(event);
			if (delta) onDelta(delta);
		}
	} catch (error) {
		if (error instanceof AppError) throw error;
		cause = error;
	}
	if (signal.aborted) throw new AppError('cancelled', undefined, { cause });
	throw link.cut?.(cause) ?? recordingCut(cause);
}

function recordingCut(cause: unknown): AppError {
	return new AppError(
		'daemon_unavailable',
		'The model server ended in the middle of the recording. Transcribe again: it starts anew.',
		{ cause },
	);
}

function readDelta(event: Record<string, unknown>): TranscriptDelta | undefined {
	switch (event['type']) {
		case 'transcript.text.delta':
			return { phase: 'running', delta: String(event['delta']) };
		case 'transcript.text.segment':
			return { segments: [event as unknown as NonNullable<TranscriptDelta['segments']>[number]] };
		case 'transcript.progress': {
			const { done, total } = event;
			if (typeof done !== 'number') return undefined;
			return { progress: { done, ...(typeof total === 'number' ? { total } : {}) } };
		}
		default:
			return undefined;
	}
}

async function recording(path: string): Promise<Blob> {
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
	if (!Number.isInteger(buckets) || buckets < 1 || buckets > mostBuckets) {
		throw new AppError('invalid_request', `'buckets' must be 1 to ${mostBuckets}.`);
	}
	return waveformOf(await decode(path, signal), buckets, signal);
}

/** The sound of a file as a WAV file. */
export async function makePlayable(
	{ path, target }: { readonly path: string; readonly target: string },
	signal: AbortSignal,
): Promise<Record<string, never>> {
	await writePlayable(await decode(path, signal), target, signal);
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
