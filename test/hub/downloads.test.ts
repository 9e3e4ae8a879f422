import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DownloadEvent, isOutdated } from '../../server/hub/downloadModel.ts';
import { type DownloadOrder, Downloads } from '../../server/hub/downloads.ts';
import { jobEvents } from '../../server/hub/jobEvents.ts';
import type { DownloadProgress } from '../../server/protocol/index.ts';
import { until } from '../support/until.ts';

const progress = (doneBytes: number): DownloadProgress => ({
	model: 'm',
	file: 'f',
	fileFraction: doneBytes / 10,
	doneBytes,
	totalBytes: 10,
	bytesPerSecond: 1,
});

const order = (from = 'a', details = ''): DownloadOrder => ({
	model: { id: 'm:1', name: 'm', version: '1', alias: 'first' },
	from,
	details,
});

type Tell = (event: DownloadEvent) => void;

/** Joins a download at once; resolves to the folder. */
async function run(
	downloads: Downloads,
	wanted: DownloadOrder,
	work: (stop: AbortSignal, tell: Tell) => Promise<string>,
	leave = signal(),
	onEvent: Tell = () => {},
): Promise<string> {
	const job = downloads.run(
		wanted,
		(stop) => jobEvents<DownloadEvent, string>((tell) => work(stop, tell), stop),
		leave,
	);
	for (;;) {
		const { done, value } = await job.next();
		if (done) return value;
		onEvent(value);
	}
}

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
	const work = async (_stop: AbortSignal, tell: Tell) => {
		runs++;
		tell({ type: 'progress', progress: progress(3) });
		await finish.promise;
		tell({ type: 'progress', progress: progress(10) });
		return '/models/m';
	};
	const seen: number[][] = [[], []];
	const follow = (index: number) =>
		run(downloads, order(), work, signal(), (event) => {
			if (event.type === 'progress') seen[index]?.push(event.progress.doneBytes);
		});
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
	const first = run(downloads, order(), work, one.signal);
	const second = run(downloads, order(), work, two.signal);
	one.abort();
	await assert.rejects(first, { code: 'cancelled' });
	assert.equal(stopped, false);
	two.abort();
	await assert.rejects(second, { code: 'cancelled' });
	assert.equal(stopped, true);
});

test('whoever stops reading leaves the job, and its end is waited for', async () => {
	const downloads = new Downloads();
	let hasEnded = false;
	const job = downloads.run(
		order(),
		(stop) =>
			jobEvents<DownloadEvent, string>(async (tell) => {
				tell({ type: 'progress', progress: progress(3) });
				await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
				hasEnded = true;
				throw new Error('stopped');
			}, stop),
		signal(),
	);
	for await (const event of job) {
		assert.equal(event.type, 'progress');
		break;
	}
	await until('the job is over', () => downloads.list().length === 0);
	assert.equal(hasEnded, true);
});

test('who reads slowly misses no file, only what is outdated', async () => {
	const told: DownloadEvent[] = [1, 2, 3, 4].map((bytes) => ({
		type: 'progress',
		progress: { ...progress(bytes), file: bytes < 3 ? 'first' : 'second' },
	}));
	const job = jobEvents<DownloadEvent, string>(
		async (tell) => {
			for (const event of told) tell(event);
			return 'done';
		},
		signal(),
		isOutdated,
	);
	const seen: DownloadEvent[] = [];
	for await (const event of job) seen.push(event);
	assert.deepEqual(seen, [told[1], told[3]]);
});

test('pausing ends it for everybody with a word on how to resume', async () => {
	const downloads = new Downloads();
	const work = (stop: AbortSignal) =>
		new Promise<string>((_resolve, reject) => {
			stop.addEventListener('abort', () => reject(new Error('stopped')));
		});
	const running = run(downloads, order(), work, signal());
	const ended = assert.rejects(running, { code: 'cancelled', message: /resume/ });
	assert.equal(await downloads.pause('First:latest'), true);
	await ended;
	assert.equal(await downloads.pause('m'), false);
});

test('one name is downloaded from one source at a time', async () => {
	const downloads = new Downloads();
	const finish = gate();
	const work = async () => {
		await finish.promise;
		return '/models/m';
	};
	const first = run(downloads, order('a'), work, signal());
	const other = { ...order('b'), model: { ...order().model, id: 'M:01' } };
	assert.throws(() => downloads.check(other), { code: 'conflict', param: 'model.Name' });
	await assert.rejects(run(downloads, other, work, signal()), { code: 'conflict' });
	finish.open();
	assert.equal(await first, '/models/m');
	assert.equal(await run(downloads, other, work, signal()), '/models/m');
});

test('details of a second request for the same files are kept after the first', async () => {
	const downloads = new Downloads();
	const finish = gate();
	const done: string[] = [];
	const work = (details: string) => async () => {
		await finish.promise;
		done.push(details);
		return '/models/m';
	};
	const all = ['one', 'two', 'one'].map((details) =>
		run(downloads, order('a', details), work(details), signal()),
	);
	finish.open();
	await Promise.all(all);
	assert.deepEqual(done, ['one', 'two']);
});

function signal(): AbortSignal {
	return new AbortController().signal;
}

test('whoever asks for a download that is just ending gets a new one, not its cancellation', async () => {
	const downloads = new Downloads();
	const ended = gate();
	let runs = 0;
	const work = async (stop: AbortSignal) => {
		if (++runs > 1) return '/models/m';
		await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
		// Files are closed before it is over.
		await ended.promise;
		throw new Error('stopped');
	};
	const leave = new AbortController();
	const first = run(downloads, order(), work, leave.signal);
	await new Promise(setImmediate);
	leave.abort();
	await assert.rejects(first, { code: 'cancelled' });
	const second = run(downloads, order(), work, signal());
	const impatient = new AbortController();
	const third = run(downloads, order(), work, impatient.signal);
	impatient.abort();
	await assert.rejects(third, { code: 'cancelled' });
	ended.open();
	assert.equal(await second, '/models/m');
	assert.equal(runs, 2);
});
