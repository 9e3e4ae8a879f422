/** Who waits for a model, whatever for: priority, turns of people, bounds, places, and that nobody starves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Admission, type AdmissionQueue } from '../../server/engine/queue/admission.ts';
import { type QueuedRequest, RequestQueue } from '../../server/engine/queue/requestQueue.ts';

interface Named extends QueuedRequest {
	readonly name: string;
}

const limits = { maxWaiting: 100, maxWaitingWork: 10_000, unit: 'tokens' };
const request = (name: string, more: Partial<QueuedRequest> = {}): Named => ({
	name,
	priority: 'interactive',
	work: 10,
	...more,
});

function filled(
	requests: readonly Named[],
	more: Partial<typeof limits> = {},
): RequestQueue<Named> {
	const queue = new RequestQueue<Named>({ ...limits, ...more });
	for (const one of requests) queue.add(one);
	return queue;
}

function order(queue: RequestQueue<Named>): string {
	const names: string[] = [];
	for (let next = queue.take(); next !== undefined; next = queue.take()) names.push(next.name);
	return names.join(' ');
}

test('interactive requests go first, and batch requests are not forgotten', () => {
	const queue = filled([request('b0', { priority: 'batch' })]);
	for (let k = 0; k < 12; k++) queue.add(request(`i${k}`));
	assert.equal(order(queue), 'i0 i1 i2 i3 i4 i5 i6 i7 b0 i8 i9 i10 i11');
	assert.equal(queue.size, 0);
});

test('one person has a plain queue; several have turns by the work they bring', () => {
	const of = (owner: string, name: string, work = 10) => request(name, { owner, work });
	assert.equal(order(filled(['a1', 'a2', 'a3'].map((name) => of('a', name)))), 'a1 a2 a3');
	const many = ['a1', 'a2', 'a3', 'a4'].map((name) => of('a', name));
	assert.equal(order(filled([...many, of('b', 'b1'), of('b', 'b2')])), 'a1 b1 a2 b2 a3 a4');
	// A long request of one is worth several short ones of another.
	assert.equal(
		order(
			filled([
				of('a', 'long', 30),
				of('a', 'next'),
				...['b1', 'b2', 'b3', 'b4'].map((n) => of('b', n)),
			]),
		),
		'long b1 b2 b3 next b4',
	);
	// Requests of nobody in particular share one turn.
	assert.equal(order(filled([request('x'), request('y'), of('a', 'a1')])), 'x a1 y');
});

test('who was away has saved nothing up, and who had much is not owed', () => {
	const queue = filled(['a1', 'a2', 'a3', 'a4'].map((name) => request(name, { owner: 'a' })));
	queue.take();
	queue.take();
	for (const name of ['b1', 'b2', 'b3']) queue.add(request(name, { owner: 'b' }));
	assert.equal(order(queue), 'b1 a3 b2 a4 b3');
});

test('the places told are the order taken, also while turns are given and others leave', () => {
	let seed = 7;
	const random = (below: number): number => {
		seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
		return (seed >>> 8) % below;
	};
	for (let round = 0; round < 40; round++) {
		const queue = new RequestQueue<Named>(limits);
		for (let k = 0; k < 30; k++) {
			const one = request(`${k}`, {
				owner: `p${random(4)}`,
				work: random(50),
				priority: random(2) === 0 ? 'interactive' : 'batch',
			});
			queue.add(one);
			if (random(4) === 0) queue.take();
			if (random(6) === 0) assert.ok(queue.remove([...queue][0] ?? one) || queue.size === 0);
		}
		const listed = [...queue];
		assert.equal(listed.length, queue.size);
		assert.equal(
			queue.work,
			listed.reduce((sum, { work }) => sum + work, 0),
		);
		const people = listed.filter(({ priority }) => priority === 'interactive').slice(0, 8);
		// Batch requests may come between after eight; up to there the places hold.
		const taken = people.map(() => queue.take()?.name).slice(0, 1);
		if (people.length > 0 && listed.every(({ priority }) => priority === 'interactive'))
			assert.deepEqual(taken, [people[0]?.name]);
		const rest = [...queue].filter(({ priority }) => priority === 'batch').map(({ name }) => name);
		const drained = order(queue).split(' ');
		assert.deepEqual(
			drained.filter((name) => rest.includes(name)),
			rest,
		);
	}
});

test('requests wait up to a number and an amount of work; one alone may be more', () => {
	const queue = filled([], { maxWaiting: 10, maxWaitingWork: 100 });
	const full = (work: number): string | undefined => queue.refusal({ work })?.message;
	assert.equal(full(500), undefined);
	queue.add(request('first', { work: 90 }));
	assert.equal(full(10), undefined);
	assert.match(full(11) ?? '', /90 tokens wait/);
	assert.equal(queue.refusal({ work: 11, isPart: true }), undefined, 'what was let in stays in');
	assert.equal(queue.refusal({ work: 11, isAdmitted: true }), undefined);
	queue.take();
	assert.equal(full(11), undefined);
	for (let k = 0; k < 10; k++) queue.add(request(`${k}`, { work: 0 }));
	assert.match(full(0) ?? '', /10 requests wait/);
	assert.equal(queue.refusal({ work: 0 })?.code, 'overloaded');
	assert.ok((queue.refusal({ work: 0 })?.retryAfterS ?? 0) > 0);
});

test('one person cannot fill the queue for the others, nor all of them without bound', () => {
	const queue = filled([], { maxWaiting: 8 });
	const of = (owner: string) => ({ owner, work: 1 });
	for (let k = 0; k < 8; k++) queue.add(request(`a${k}`, of('a')));
	assert.equal(queue.refusal(of('a'))?.code, 'overloaded');
	for (let k = 0; k < 4; k++) {
		assert.equal(queue.refusal(of('b')), undefined, `b has ${k} of a share of 4`);
		queue.add(request(`b${k}`, of('b')));
	}
	assert.equal(queue.refusal(of('b'))?.code, 'overloaded');
	let others = 0;
	while (queue.refusal(of(`c${others}`)) === undefined) queue.add(request('c', of(`c${others++}`)));
	assert.equal(queue.size, 16, 'twice as many at most, whoever they are');
});

test('counts who had a turn, who was refused and how long they waited; parts count as one', () => {
	let now = 0;
	const queue = new RequestQueue<Named>({ ...limits, maxWaiting: 1, now: () => now });
	queue.add(request('a'));
	queue.refusal({ work: 1 });
	now = 30;
	queue.take();
	queue.add(request('a', { isPart: true }));
	now = 50;
	queue.take();
	const gone = request('gone');
	queue.add(gone);
	assert.ok(queue.remove(gone) && !queue.remove(gone));
	assert.deepEqual(queue.totals, { admitted: 1, refused: 1, waitedMs: 30 });
	assert.deepEqual([queue.size, queue.work], [0, 0]);
});

test('calls have their turns: as many as there is room for, cancelled ones leave at once', async () => {
	const queue: AdmissionQueue = new RequestQueue(limits);
	const turns = new Admission(queue);
	const done: string[] = [];
	const ends: (() => void)[] = [];
	const work = (name: string) => async () => {
		done.push(name);
		await new Promise<void>((resolve) => ends.push(resolve));
	};
	const stop = new AbortController();
	const first = turns.run(request('first', { priority: 'batch' }), work('first'));
	const second = turns.run(request('second', { priority: 'batch' }), work('second'));
	const gone = turns.run(request('gone', { priority: 'batch' }), work('gone'), stop.signal);
	const urgent = turns.run(request('urgent'), work('urgent'));
	assert.deepEqual([queue.size, turns.running], [3, 1]);
	stop.abort();
	await assert.rejects(gone, { code: 'cancelled' });
	for (let k = 0; k < 3; k++) {
		await new Promise(setImmediate);
		ends[k]?.();
	}
	await Promise.all([first, second, urgent]);
	assert.deepEqual(done, ['first', 'urgent', 'second']);
	await assert.rejects(
		turns.run(request('bad'), () => Promise.reject(new Error('no'))),
		/no/,
	);
	assert.equal(await turns.run(request('good'), async () => 1), 1);
	assert.deepEqual([queue.size, turns.running], [0, 0]);
});

test('batch work enters in waves, interactive work beside it', async () => {
	let isOpen = true;
	const queue: AdmissionQueue = new RequestQueue(limits);
	const turns = new Admission(
		queue,
		({ priority }, running) =>
			running === 0 || (priority === 'interactive' ? running <= 2 : running < 2 && isOpen),
	);
	const ends: (() => void)[] = [];
	const started: string[] = [];
	const work = (name: string, priority: 'interactive' | 'batch') =>
		turns.run(request(name, { priority }), async () => {
			started.push(name);
			await new Promise<void>((resolve) => ends.push(resolve));
		});
	const all = [work('a', 'batch'), work('b', 'batch'), work('c', 'batch')];
	await new Promise(setImmediate);
	assert.deepEqual(started, ['a', 'b']);
	isOpen = false;
	all.push(work('urgent', 'interactive'));
	await new Promise(setImmediate);
	assert.deepEqual(started, ['a', 'b', 'urgent']);
	ends[0]?.();
	await new Promise(setImmediate);
	assert.equal(queue.size, 1);
	ends[1]?.();
	ends[2]?.();
	await new Promise(setImmediate);
	assert.deepEqual(started, ['a', 'b', 'urgent', 'c']);
	ends[3]?.();
	await Promise.all(all);
});

test('beside 200 recordings of one person the others wait no more calls than there are people', async () => {
	const queue: AdmissionQueue = new RequestQueue({
		...limits,
		maxWaiting: 300,
		maxWaitingWork: 1e6,
	});
	const turns = new Admission(queue);
	const started: string[] = [];
	let end = () => {};
	const record = (owner: string) =>
		turns.run({ priority: 'interactive', owner, work: 30 }, async () => {
			started.push(owner);
			await new Promise<void>((resolve) => {
				end = resolve;
			});
		});
	const all = Array.from({ length: 200 }, () => record('a'));
	await new Promise(setImmediate);
	end();
	await new Promise(setImmediate);
	const others = ['b', 'c', 'd'];
	const from = started.length;
	for (const owner of others) all.push(record(owner));
	while (started.length < 203) {
		end();
		await new Promise(setImmediate);
	}
	end();
	await Promise.all(all);
	for (const owner of others)
		assert.ok(started.indexOf(owner) - from < others.length + 1, started.slice(0, 10).join());
});
