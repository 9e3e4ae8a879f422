/**
 * Recordings whose transcripts nobody waits for: each is a batch of its own at the server, so they go on when a page or a
 * window is closed. Nothing is noted elsewhere: the batch says of which recording it is.
 */

import { AppError } from './errors.ts';
import { asAppError } from './errorWire.ts';
import { firstFailed } from './failedItems.ts';
import { setFormFile } from './formFile.ts';
import { type Localise, localisedMessage, type ServerRefusal } from './localisedErrors.ts';
import type { MarkedRecording, QueuedState } from './recordingMessages.ts';
import * as routes from './routeAddresses.ts';
import type { Client } from './routeClient.ts';
import type { BatchAnswer } from './routes/batches.ts';
import type { Transcript } from './speechTypes.ts';
import type { TranscribeChoice } from './transcriptPage.ts';

/** A recording to be transcribed in the background. */
export interface RecordingToQueue {
	readonly sound: Blob;
	readonly name: string;
	/** In the language that is spoken: batches translate nothing. */
	readonly choice: Pick<TranscribeChoice, 'model' | 'language' | 'speakers'>;
	/** By which whoever asked knows the recording again. */
	readonly mark?: string;
}

const endpoint = '/v1/audio/transcriptions';
const completionWindow = '7d';
/** Seconds that a recording is kept for, and its transcript. */
const keptForS = 7 * 86_400;
/** Longest value that a batch keeps with it, in characters. */
const maxName = 200;

/** Hands a recording over. @throws AppError `batch_queue_full`, `disk_full`, `payload_too_large` … */
export async function queueRecording(
	client: Client,
	{ sound, name, choice, mark }: RecordingToQueue,
	signal: AbortSignal,
): Promise<BatchAnswer> {
	const file = await upload(client, { content: sound, name, purpose: 'user_data' }, signal);
	const { model, language, speakers } = choice;
	const body = {
		...{ model: model || 'default', response_format: 'verbose_json', file },
		...(language === '' ? {} : { language }),
		...(speakers ? { speakers: 'true' } : {}),
		timestamp_granularities: ['segment', 'word'],
	};
	const line = { custom_id: name.slice(0, maxName), method: 'POST', url: endpoint, body };
	const content = new Blob([`${JSON.stringify(line)}\n`]);
	const uploaded = [file];
	try {
		const lines = { content, name: `${name}.jsonl`, purpose: 'batch' } as const;
		const input = await upload(client, lines, signal);
		uploaded.push(input);
		const known = mark === undefined ? {} : { mark };
		const metadata = { name: name.slice(0, maxName), file, ...known };
		return await begin(client, input, metadata, signal);
	} catch (error) {
		// Nothing is of use without its batch. Whether that began is not known when its answer is lost.
		if (isRefusal(error)) await removeFiles(client, uploaded).catch(() => undefined);
		throw error;
	}
}

/** Once more what has failed or was cancelled; the batch before stays. */
export function queueAgain(
	client: Client,
	{ input_file_id: input, metadata }: BatchAnswer,
	signal?: AbortSignal,
): Promise<BatchAnswer> {
	return begin(client, input, metadata ?? {}, signal);
}

/** All batches of recordings, the newest first, as far back as anything of them is kept. */
export async function queuedRecordings(
	client: Client,
	signal?: AbortSignal,
): Promise<readonly BatchAnswer[]> {
	const found: BatchAnswer[] = [];
	let oldest: number | undefined;
	for (let after: string | null = null; ; ) {
		const page = await pageOfBatches(client, after, signal);
		for (const batch of page.data) if (isRecording(batch)) found.push(batch);
		after = page.last_id;
		const last = page.data.at(-1);
		oldest ??= (page.data[0]?.created_at ?? 0) - 2 * keptForS;
		if (!page.has_more || !last || last.created_at < oldest) return found;
	}
}

/** Recordings among the newest batches, and of older ones those with these ids; what is gone is left out. */
export async function newestRecordings(
	client: Client,
	ids: Iterable<string>,
	signal?: AbortSignal,
): Promise<readonly BatchAnswer[]> {
	const found = (await pageOfBatches(client, null, signal)).data.filter(isRecording);
	const missing = new Set(ids);
	for (const { id } of found) missing.delete(id);
	for (const id of missing) {
		const batch = await recordingOf(client, id, signal).catch((error: unknown) => {
			if (asAppError(error).code !== 'not_found') throw error;
		});
		if (batch) found.push(batch);
	}
	return found;
}

/** @throws AppError `not_found` */
export async function recordingOf(
	client: Client,
	id: string,
	signal?: AbortSignal,
): Promise<BatchAnswer> {
	const batch = await client.call(routes.showBatch, { params: { id } }, optional(signal));
	if (!isRecording(batch)) throw new AppError('not_found');
	return batch;
}

export function queuedState({ status, output_file_id: output }: BatchAnswer): QueuedState {
	if (status === 'completed') return output === null ? 'failed' : 'done';
	if (status === 'failed' || status === 'expired') return 'failed';
	return status === 'cancelled' || status === 'cancelling' ? 'cancelled' : 'underWay';
}

/** Those with a mark that were asked for and are not gone, with why they failed. */
export async function markedRecordings(
	client: Client,
	ids: readonly string[],
	localise: Localise,
	signal: AbortSignal,
): Promise<readonly MarkedRecording[]> {
	const asked = new Set(ids);
	const found: MarkedRecording[] = [];
	for (const batch of await newestRecordings(client, asked, signal)) {
		const { id, metadata } = batch;
		const { mark, name = id } = metadata ?? {};
		if (mark === undefined || !asked.has(id)) continue;
		const state = queuedState(batch);
		const reason = state === 'failed' ? await queuedReason(client, batch, signal) : undefined;
		const said = reason && localisedMessage(reason, localise);
		found.push({ id, mark, name, state, ...(said === undefined ? {} : { reason: said }) });
	}
	return found;
}

/** The recording itself. */
export async function queuedSound(client: Client, batch: BatchAnswer): Promise<Blob> {
	return (await storedContent(client, soundOf(batch))).blob();
}

/** What was heard in one that is done. @throws AppError `not_found` when it is gone */
export async function queuedTranscript(
	client: Client,
	{ output_file_id: output }: BatchAnswer,
	signal?: AbortSignal,
): Promise<Transcript> {
	const rows = await (await storedContent(client, output, signal)).text();
	const row = JSON.parse(rows.split('\n', 1)[0] ?? '{}') as {
		readonly response?: { readonly body?: Transcript };
	};
	if (!row.response?.body?.segments) throw new AppError('not_found');
	return row.response.body;
}

/** Why one failed; `undefined` when nobody knows. */
export async function queuedReason(
	client: Client,
	{ error_file_id: file, errors, problem }: BatchAnswer,
	signal?: AbortSignal,
): Promise<ServerRefusal | undefined> {
	const answer =
		file === null ? undefined : await storedContent(client, file, signal).catch(() => undefined);
	const [item] = answer ? (await firstFailed(answer)).items : [];
	return item ?? errors?.data[0] ?? problem ?? undefined;
}

/**
 * Removes what the server keeps of one that is over; what stays there ends by itself.
 * @returns whether something was there: of several who remove it, one hears that it was
 * @throws AppError when it may go later
 */
export function removeQueued(client: Client, batch: BatchAnswer): Promise<boolean> {
	const { input_file_id: input, output_file_id: output, error_file_id: errors } = batch;
	return removeFiles(client, [soundOf(batch), input, output, errors]);
}

async function removeFiles(
	client: Client,
	ids: readonly (string | null | undefined)[],
): Promise<boolean> {
	let removed = false;
	for (const id of ids) {
		if (!id) continue;
		try {
			await client.call(routes.deleteFile, { params: { id } });
			removed = true;
		} catch (error) {
			if (asAppError(error).kind.retryable) throw error;
		}
	}
	return removed;
}

/** What the server has said no to. */
const isRefusal = (error: unknown): boolean => {
	const { code, kind } = asAppError(error);
	return code === 'batch_queue_full' || code === 'disk_full' || kind.httpStatus < 429;
};

/** The uploaded recording that a batch is of; other batches have none. */
const soundOf = ({ metadata }: BatchAnswer): string | undefined => metadata?.['file'];

const isRecording = (batch: BatchAnswer): boolean =>
	batch.endpoint === endpoint && soundOf(batch) !== undefined;

const pageOfBatches = (client: Client, after: string | null, signal?: AbortSignal) => {
	const query = { limit: '100', ...(after === null ? {} : { after }) };
	return client.call(routes.listBatches, { query }, optional(signal));
};

const optional = (signal: AbortSignal | undefined) => (signal ? { signal } : {});

function storedContent(
	client: Client,
	id: string | null | undefined,
	signal?: AbortSignal,
): Promise<Response> {
	if (!id) throw new AppError('not_found');
	return client.open(routes.fileContent, { params: { id } }, optional(signal));
}

function begin(
	client: Client,
	input: string,
	metadata: Record<string, string>,
	signal?: AbortSignal,
): Promise<BatchAnswer> {
	const work = { input_file_id: input, endpoint, completion_window: completionWindow } as const;
	return client.call(routes.createBatch, { body: { ...work, metadata } }, optional(signal));
}

interface Uploaded {
	readonly content: Blob;
	readonly name: string;
	readonly purpose: 'batch' | 'user_data';
}

async function upload(
	client: Client,
	{ content, name, purpose }: Uploaded,
	signal: AbortSignal,
): Promise<string> {
	const form = new FormData();
	form.set('purpose', purpose);
	form.set('expires_after[anchor]', 'created_at');
	form.set('expires_after[seconds]', String(keptForS));
	setFormFile(form, content, name);
	return (await client.call(routes.uploadFile, { body: form }, { signal })).id;
}
