/** Turns of decoders, and what a thread may compute: time of others is nobody's fault. */

import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type DecodePlace, DecodeQueue } from '../../server/audio/decodeQueue.ts';
import { decodeInThread } from '../../server/audio/threadedDecode.ts';
import { AppError } from '../../server/protocol/index.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder('queue');
let scratch = '';
let path = '';
before(async () => {
	scratch = join(folder, 'scratch');
	path = join(folder, 'a.wav');
	await writeFile(path, wavFile(speechLike(40, 16_000), { rateHz: 16_000 }));
});

/** Lets everything happen that waits for nothing. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('so many decode at once; the others get their turn in order when one rests or leaves', async () => {
	const queue = new DecodeQueue({ atOnce: 2, maxOpen: 10 });
	const begun: string[] = [];
	const places = new Map<string, DecodePlace>();
	for (const name of ['a', 'b', 'c', 'd', 'e'])
		void queue.enter().then((place) => {
			begun.push(name);
			places.set(name, place);
		});
	await settled();
	assert.deepEqual(begun, ['a', 'b']);
	places.get('b')?.rest();
	places.get('b')?.rest();
	await settled();
	assert.deepEqual(begun, ['a', 'b', 'c'], 'one turn, however often somebody rests');
	places.get('b')?.leave();
	places.get('a')?.leave();
	await settled();
	assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
});

test('who is cancelled while waiting takes no turn and no room', async () => {
	const queue = new DecodeQueue({ atOnce: 1, maxOpen: 3 });
	const first = await queue.enter();
	const stop = new AbortController();
	const gone = queue.enter(stop.signal);
	const second = queue.enter();
	stop.abort();
	await assert.rejects(gone, { code: 'cancelled' });
	await assert.rejects(queue.enter(AbortSignal.abort()), { code: 'cancelled' });
	first.leave();
	(await second).leave();
	for (let i = 0; i < 3; i++) (await queue.enter()).rest();
	await assert.rejects(queue.enter(), { code: 'overloaded' });
});

test('no more than so many are open, and the refusal says when to come again', async () => {
	const queue = new DecodeQueue({ atOnce: 1, maxOpen: 2 });
	const first = await queue.enter();
	first.rest();
	const second = await queue.enter();
	const refusal = (error: unknown) =>
		error instanceof AppError && error.kind.httpStatus === 503 && (error.retryAfterS ?? 0) > 0;
	assert.throws(() => queue.checkRoom(), refusal);
	await assert.rejects(decodeInThread(path, { maximumS: 100, queue, scratch }), refusal);
	second.leave();
	second.leave();
	queue.checkRoom();
	(await queue.enter()).leave();
	first.leave();
});

test('a dozen recordings at once are all heard, however few of them decode at a time', async () => {
	const queue = new DecodeQueue({ atOnce: 2, maxOpen: 12 });
	const lengths = await Promise.all(
		Array.from({ length: 12 }, async () => {
			const { samples } = await decodeInThread(path, { maximumS: 100, queue, scratch });
			let length = 0;
			for await (const block of samples) length += block.length;
			return length;
		}),
	);
	assert.deepEqual(new Set(lengths), new Set([640_000]));
	queue.checkRoom();
});

test('a recording that fails, is cancelled or is never read leaves nothing behind', async () => {
	const queue = new DecodeQueue({ atOnce: 1, maxOpen: 1 });
	const options = { maximumS: 100, queue, scratch };
	const left = () => readdir(scratch);
	await assert.rejects(decodeInThread(join(folder, 'none'), options), { code: 'not_found' });
	const stop = new AbortController();
	const cancelled = await decodeInThread(path, options, stop.signal);
	assert.equal((await left()).length, 1);
	stop.abort();
	await assert.rejects(cancelled.samples[Symbol.asyncIterator]().next(), { code: 'cancelled' });
	const unread = await decodeInThread(path, options);
	await unread.close();
	await unread.close();
	assert.deepEqual(await left(), []);
	queue.checkRoom();
});

test('nothing of a recording stays open when it is closed', {
	skip: process.platform !== 'linux' && 'only Linux lists the open files of a process',
}, async () => {
	const open = async () => {
		const files = await readdir('/proc/self/fd');
		const paths = await Promise.all(
			files.map((file) => readFile(`/proc/self/fdinfo/${file}`, 'utf8').catch(() => '')),
		);
		return paths.filter((text) => text !== '').length;
	};
	const hear = async (pieces: number) => {
		const { samples, close } = await decodeInThread(path, { maximumS: 100, scratch });
		let count = 0;
		for await (const _ of samples) if (++count === pieces) break;
		await close();
	};
	await hear(1);
	const before = await open();
	for (let i = 0; i < 12; i++) await hear(i % 3 === 0 ? Number.POSITIVE_INFINITY : i);
	assert.ok((await open()) <= before, `${await open()} open files, ${before} before`);
});

async function program(name: string, body: string): Promise<URL> {
	const file = join(folder, name);
	await writeFile(file, `import { parentPort } from 'node:worker_threads';\n${body}\n`);
	return pathToFileURL(file);
}

test('a thread that computes and does not get on is ended', { timeout: 60_000 }, async () => {
	const options = { maximumS: 100, scratch, computingMs: 300 };
	for (const body of ['for (;;);', "parentPort.postMessage({ kind: 'ahead' }); for (;;);"])
		await assert.rejects(
			decodeInThread(path, { ...options, program: await program('loop.mjs', body) }),
			{ code: 'invalid_audio', message: /computed for 0\.3 s and did not get on/ },
		);
});

test('a thread that waits for the processor or the disk is not', { timeout: 60_000 }, async () => {
	const body = `setTimeout(() => parentPort.postMessage({ kind: 'error', error: { code: 'not_found', message: 'late' } }), 3000);`;
	const slow = await program('slow.mjs', body);
	await assert.rejects(
		decodeInThread(path, { maximumS: 100, scratch, computingMs: 300, program: slow }),
		/late/,
	);
});
