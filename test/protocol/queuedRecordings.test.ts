/** Recordings in the background are found among any number of batches, and leave nothing behind that nobody needs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import {
	markedRecordings,
	newestRecordings,
	queuedRecordings,
	queueRecording,
	removeQueued,
} from '../../server/protocol/queuedRecordings.ts';
import type { Client } from '../../server/protocol/routeClient.ts';
import type { BatchAnswer } from '../../server/protocol/routes/batches.ts';

const { signal } = new AbortController();
const now = Math.floor(Date.now() / 1000);
const batch = (id: string, more: object = {}) =>
	({
		...{ id, endpoint: '/v1/audio/transcriptions', status: 'in_progress', created_at: now },
		...{ input_file_id: `${id}-lines`, output_file_id: null, error_file_id: null },
		metadata: { file: `${id}-sound`, mark: `${id}-mark`, name: `${id}.flac` },
		...more,
	}) as unknown as BatchAnswer;
const other = (id: string) => batch(id, { endpoint: '/v1/embeddings', metadata: null });

/** A server with these batches, the newest first. */
function serverOf(batches: readonly BatchAnswer[], fault?: (called: string) => void) {
	const called: string[] = [];
	const call = async (
		{ method, path }: { method: string; path: string },
		{ query, params }: { query?: { after?: string }; params?: { id: string } },
	) => {
		const what = `${method} ${path.replace(':id', params?.id ?? '')}`;
		called.push(what);
		fault?.(what);
		if (path === '/v1/files') return { id: `file_${called.length}` };
		if (method !== 'GET') return {};
		if (params) {
			const found = batches.find(({ id }) => id === params.id);
			if (!found) throw new AppError('not_found');
			return found;
		}
		const from = batches.findIndex(({ id }) => id === query?.after) + 1;
		const data = batches.slice(from, from + 100);
		return { data, has_more: from + 100 < batches.length, last_id: data.at(-1)?.id ?? null };
	};
	return { client: { call } as unknown as Client, called };
}

const many = Array.from({ length: 250 }, (_, at) =>
	at % 2 === 0 ? batch(`r${at}`) : other(`o${at}`),
);

test('all recordings are listed, however many batches there are, back to where nothing is kept', async () => {
	const found = await queuedRecordings(serverOf(many).client);
	assert.equal(found.length, 125);
	assert.equal(found.at(-1)?.id, 'r248');
	const old = many.map((one, at) => (at < 99 ? one : { ...one, created_at: now - 30 * 86_400 }));
	const { client, called } = serverOf(old);
	await queuedRecordings(client);
	assert.equal(called.length, 1);
});

test('those that are awaited are found behind any number of other batches; what is gone is left out', async () => {
	const { client, called } = serverOf(many);
	const found = await markedRecordings(client, ['r2', 'r248', 'gone', 'o249'], String, signal);
	assert.deepEqual(found, [
		{ id: 'r2', mark: 'r2-mark', name: 'r2.flac', state: 'underWay' },
		{ id: 'r248', mark: 'r248-mark', name: 'r248.flac', state: 'underWay' },
	]);
	assert.equal(called.length, 4, 'one page, and one question for each that is not on it');
	assert.equal((await newestRecordings(client, ['r248'])).length, 51);
	const away = serverOf(many, (what) => {
		if (what.includes('r248')) throw new AppError('store_unavailable');
	});
	await assert.rejects(markedRecordings(away.client, ['r248'], String, signal), {
		code: 'store_unavailable',
	});
});

test('what no batch was begun of is not left at the server', async () => {
	const recording = { sound: new Blob(['x']), name: 'a.flac', choice: { model: '', language: '' } };
	for (const [code, removed] of [
		['batch_queue_full', ['DELETE /v1/files/file_1', 'DELETE /v1/files/file_2']],
		// It may have begun.
		['daemon_unavailable', []],
	] as const) {
		const { client, called } = serverOf([], (what) => {
			if (what === 'POST /v1/batches') throw new AppError(code);
		});
		await assert.rejects(queueRecording(client, recording, signal), { code });
		assert.deepEqual(
			called.filter((what) => what.startsWith('DELETE')),
			removed,
		);
	}
});

test('removing goes on after what is gone already, and says when it has to be tried again', async () => {
	const done = batch('a', { output_file_id: 'a-out' });
	const gone = serverOf([], (what) => {
		if (what.endsWith('a-sound')) throw new AppError('not_found');
	});
	await removeQueued(gone.client, done);
	assert.equal(gone.called.length, 3);
	const away = serverOf([], () => {
		throw new AppError('daemon_unavailable');
	});
	await assert.rejects(removeQueued(away.client, done), { code: 'daemon_unavailable' });
});
