import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Downloads } from '../../server/hub/downloads.ts';
import type { DownloadProgress } from '../../server/protocol/index.ts';

const progress = (doneBytes: number): DownloadProgress => ({
	model: 'm',
	file: 'f',
	fileFraction: doneBytes / 10,
	doneBytes,
	totalBytes: 10,
	bytesPerSecond: 1,
});

function gate() {
	let open: () => void = () => {};
	const promise = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { promise, open };
}

test('several clients follow one download and see its progress', async () => {
	const downloads = new Downloads();
	const finish = gate();
	let runs = 0;
	const work = async (_stop: AbortSignal, tell: (value: DownloadProgress) => void) => {
		runs++;
		tell(progress(3));
		await finish.promise;
		tell(progress(10));
		return '/models/m';
	};
	const seen: number[][] = [[], []];
	const follow = (index: number) =>
		downloads.run(
			'm',
			work,
			{ onProgress: (value) => seen[index]?.push(value.doneBytes) },
			signal(),
		);
	const first = follow(0);
	await new Promise(setImmediate);
	const second = follow(1);
	finish.open();
	assert.deepEqual(await Promise.all([first, second]), ['/models/m', '/models/m']);
	assert.equal(runs, 1);
	assert.deepEqual(seen, [
		[3, 10],
		[3, 10],
	]);
	assert.deepEqual(downloads.list(), []);
});

test('one of two leaving does not stop it, the last one leaving does', async () => {
	const downloads = new Downloads();
	let stopped = false;
	const work = (stop: AbortSignal) =>
		new Promise<string>((_resolve, reject) => {
			stop.addEventListener('abort', () => {
				stopped = true;
				reject(new Error('stopped'));
			});
		});
	const one = new AbortController();
	const two = new AbortController();
	const first = downloads.run('m', work, {}, one.signal);
	const second = downloads.run('m', work, {}, two.signal);
	one.abort();
	await assert.rejects(first, { code: 'cancelled' });
	assert.equal(stopped, false);
	two.abort();
	await assert.rejects(second, { code: 'cancelled' });
	assert.equal(stopped, true);
});

test('pausing ends it for everybody with a word on how to resume', async () => {
	const downloads = new Downloads();
	const work = (stop: AbortSignal) =>
		new Promise<string>((_resolve, reject) => {
			stop.addEventListener('abort', () => reject(new Error('stopped')));
		});
	const running = downloads.run('m', work, {}, signal());
	const ended = assert.rejects(running, { code: 'cancelled', message: /resume/ });
	assert.equal(await downloads.pause('m'), true);
	await ended;
	assert.equal(await downloads.pause('m'), false);
});

function signal(): AbortSignal {
	return new AbortController().signal;
}
