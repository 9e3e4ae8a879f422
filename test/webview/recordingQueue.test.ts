/** The queue of recordings on the studio page: what was sent stays in it, whatever the next look finds. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import { RecordingQueue } from '../../webview/recordingQueue.ts';
import type { StudioApi } from '../../webview/studioApi.ts';
import { until } from '../support/until.ts';

class Shelf extends Map<string, string> {
	getItem = (name: string) => this.get(name) ?? null;
	setItem = (name: string, value: string) => void this.set(name, value);
	removeItem = (name: string) => void this.delete(name);
}
const ofBrowser = ['document', 'localStorage', 'sessionStorage'] as const;
const own = new Map(
	ofBrowser.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]),
);
before(() => {
	for (const name of ofBrowser) {
		const value = name === 'document' ? { body: { dataset: {} } } : new Shelf();
		Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
	}
});
after(() => {
	for (const [name, property] of own)
		if (property) Object.defineProperty(globalThis, name, property);
		else Reflect.deleteProperty(globalThis, name);
});

const choice = { model: '', language: '', english: false };
const sound = (name: string) => new File(['sound'], name);
const now = Math.floor(Date.now() / 1000);
let count = 0;
const batch = (name: string, status = 'in_progress') => ({
	...{ id: `batch_${++count}`, endpoint: '/v1/audio/transcriptions', status, created_at: now },
	...{ input_file_id: 'lines', output_file_id: null, error_file_id: null, errors: null },
	...{ problem: null, metadata: { file: 'sound', name } },
});

/** A server with these batches, the newest first; `fault` may refuse or hold a request. */
function queueAt(batches: ReturnType<typeof batch>[] = []) {
	const faults = new Map<string, () => Promise<void> | void>();
	const called: string[] = [];
	const call = async (
		{ method, path }: { method: string; path: string },
		{ query, params, body }: { query?: { after?: string }; params?: { id: string }; body?: object },
	): Promise<unknown> => {
		const what = `${method} ${path}`;
		called.push(what);
		const from = batches.findIndex(({ id }) => id === query?.after) + 1;
		const data = batches.slice(from, from + 100).map((one) => ({ ...one }));
		const found = batches.find(({ id }) => id === params?.id);
		await faults.get(what)?.();
		if (path === '/v1/files') return { id: 'file' };
		if (what === 'POST /v1/batches') {
			const { metadata } = body as { metadata: { name: string } };
			batches.unshift(batch(metadata.name));
			return { ...batches[0] };
		}
		if (path.endsWith('/cancel') && found) found.status = 'cancelled';
		if (params) return { ...found };
		return { data, has_more: from + 100 < batches.length, last_id: data.at(-1)?.id ?? null };
	};
	const queue = new RecordingQueue({ client: { call } } as unknown as StudioApi);
	const shown = () => queue.recordings.value.map(({ name, state }) => `${name} ${state}`);
	return { queue, faults, called, shown };
}
const away = () => {
	throw new AppError('daemon_unavailable', 'It does not answer.');
};

test('a recording that was sent is shown though the look after it fails, and looked at until it succeeds', async () => {
	const { queue, faults, shown } = queueAt();
	faults.set('GET /v1/batches', away);
	queue.add([sound('a')], choice);
	await until('the look has failed', async () => queue.problem.value !== '');
	assert.deepEqual(shown(), ['a underWay']);
	assert.equal(queue.isOpen.value, true);
	faults.clear();
	await queue.look();
	assert.deepEqual([queue.problem.value, shown()], ['', ['a underWay']]);
});

test('why the list cannot be read is shown and asked again with no recording in it', async () => {
	const { queue, faults } = queueAt();
	faults.set('GET /v1/batches', away);
	await queue.look();
	assert.deepEqual([queue.problem.value, queue.isOpen.value], ['It does not answer.', true]);
	faults.clear();
	await queue.look();
	assert.deepEqual([queue.problem.value, queue.isOpen.value], ['', false]);
});

test('one look at a time, and none undoes what was done meanwhile', async () => {
	const { queue, faults, called, shown } = queueAt([batch('a')]);
	await queue.look();
	const { promise, resolve } = Promise.withResolvers<void>();
	faults.set('GET /v1/batches', () => promise);
	const looks = [queue.look(), queue.look()];
	assert.equal(called.length, 2);
	const states: string[][] = [];
	const [recording] = queue.recordings.value;
	assert.ok(recording);
	const cancelled = queue.cancel(recording);
	await until('it is cancelled', async () => shown()[0] === 'a cancelled');
	const stop = queue.recordings.subscribe(() => states.push(shown()));
	resolve();
	await Promise.all([...looks, cancelled]);
	stop();
	assert.ok(
		states.every(([state]) => state === 'a cancelled'),
		JSON.stringify(states),
	);
});

test('more recordings than a page of the list are all there, and those under way are followed', async () => {
	const batches = Array.from({ length: 150 }, (_, at) => batch(`${at}`));
	const { queue, called } = queueAt(batches);
	await queue.look();
	assert.equal(queue.recordings.value.length, 150);
	const [oldest] = batches.slice(-1);
	assert.ok(oldest);
	for (const one of batches) if (one !== oldest) one.status = 'cancelled';
	await queue.look();
	oldest.status = 'cancelled';
	called.length = 0;
	await queue.look();
	assert.deepEqual(called, ['GET /v1/batches', 'GET /v1/batches/:id']);
	assert.equal(queue.recordings.value.length, 150);
	assert.equal(queue.isOpen.value, false);
});

test('one that is cancelled while it is sent does not go on at the server', async () => {
	const { queue, faults, called, shown } = queueAt();
	faults.set('POST /v1/batches', () => queue.cancel(queue.recordings.value[0] as never));
	queue.add([sound('a')], choice);
	await until('it is cancelled', async () => shown()[0] === 'a cancelled');
	assert.ok(called.includes('POST /v1/batches/:id/cancel'));
});

test('one that could not be removed is shown again, and says why', async () => {
	const { queue, faults, shown } = queueAt([batch('a', 'cancelled')]);
	await queue.look();
	faults.set('DELETE /v1/files/:id', away);
	const [recording] = queue.recordings.value;
	assert.ok(recording);
	await queue.remove(recording);
	assert.deepEqual([shown(), queue.problem.value], [['a cancelled'], 'It does not answer.']);
	faults.clear();
	await queue.remove(recording);
	assert.deepEqual([shown(), queue.problem.value], [[], '']);
});
