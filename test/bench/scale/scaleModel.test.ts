/** The simulator: its core, its replica, its policies, the gate, and the document that is made of it. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { documentOf } from '../../../bench/scale/document.ts';
import { Events, exponential, mean, quantile, randomOf } from '../../../bench/scale/events.ts';
import { allowed, gateOf } from '../../../bench/scale/gate.ts';
import { readMeasured, readSimulated } from '../../../bench/scale/keptFigures.ts';
import { largerRuns } from '../../../bench/scale/larger.ts';
import { type PolicyName, policyOf } from '../../../bench/scale/policies.ts';
import { PrefixCache } from '../../../bench/scale/prefixCache.ts';
import { Replica } from '../../../bench/scale/replica.ts';
import { openRun } from '../../../bench/scale/simulate.ts';

const times = { prefillS: 0.001, stepS: 0.01, stepEachS: 0.002, fixedS: 0.01, cacheTokens: 1e5 };

test('events come in the order of their times, those of one time in the order in which they were set', () => {
	const events = new Events();
	const seen: string[] = [];
	for (const [at, name] of [
		[3, 'd'],
		[1, 'a'],
		[2, 'b'],
		[2, 'c'],
	] as const)
		events.set(at, () => void seen.push(`${name}${events.now}`));
	events.set(1, () => events.set(0, () => void seen.push(`late${events.now}`)));
	events.run();
	assert.deepEqual(seen, ['a1', 'late1', 'b2', 'c2', 'd3']);
	const random = randomOf(7);
	const many = Array.from({ length: 2000 }, () => random());
	const sorted = new Events();
	const order: number[] = [];
	for (const at of many) sorted.set(at, () => void order.push(at));
	sorted.run();
	assert.deepEqual(
		order,
		many.toSorted((left, right) => left - right),
	);
	assert.equal(quantile([4, 1, 3, 2], 0.5), 2);
	assert.equal(quantile([4, 1, 3, 2], 0.95), 4);
});

test('a queue with one server is as its formula says, and Little’s law holds', () => {
	const events = new Events();
	const random = randomOf(3);
	const [arrivals, services] = [0.7, 1];
	const replica = new Replica(events, { ...times, prefillS: 0, fixedS: 1 / services });
	const stays: number[] = [];
	let [area, since] = [0, 0];
	const count = () => {
		area += replica.open * (events.now - since);
		since = events.now;
	};
	const total = 60_000;
	let come = 0;
	const arrive = () => {
		if (come++ >= total) return;
		const begun = events.now;
		count();
		replica.take({
			...{ conversation: come, prompt: 1, answer: 0, shared: 0 },
			slower: () => exponential(random, 1),
			onEnd: () => {
				// It has left just before.
				area += events.now - since + replica.open * (events.now - since);
				since = events.now;
				stays.push(events.now - begun);
			},
		});
		events.set(events.now + exponential(random, 1 / arrivals), arrive);
	};
	events.set(0, arrive);
	events.run();
	const expected = 1 / (services - arrivals);
	const found = mean(stays);
	assert.ok(Math.abs(found / expected - 1) < 0.08, `${found} instead of ${expected}`);
	const [inside, rate] = [area / events.now, total / events.now];
	assert.ok(Math.abs(inside / (rate * found) - 1) < 0.001, `${inside}, ${rate * found}`);
	assert.ok(Math.abs(replica.busyS / events.now - arrivals) < 0.03, 'busy as much as comes');
});

test('a cache has what was said before, as long as there is room', () => {
	const cache = new PrefixCache(100);
	assert.equal(cache.hit(1, 50, 10), 0, 'empty');
	cache.keep(1, 50);
	assert.equal(cache.hit(1, 70, 10), 50);
	assert.equal(cache.hit(1, 50, 10), 49, 'the last token is computed again');
	assert.equal(cache.hit(2, 70, 10), 10, 'what all begin with');
	cache.keep(2, 40);
	cache.keep(1, 55);
	cache.keep(3, 20);
	assert.deepEqual([cache.hit(1, 99, 10), cache.hit(2, 99, 10)], [55, 10], 'the oldest went');
	cache.clear();
	assert.equal(cache.hit(1, 99, 10), 0);
});

test('a replica reads prompts one after the other and writes answers side by side', () => {
	const events = new Events();
	const replica = new Replica(events, times);
	const ends: number[] = [];
	const take = (conversation: number, prompt: number, answer: number) =>
		replica.take({
			...{ conversation, prompt, answer, shared: 0, slower: () => 1 },
			onEnd: () => void ends.push(Number(events.now.toFixed(6))),
		});
	events.set(0, () => take(1, 100, 10));
	events.run();
	assert.deepEqual(ends, [0.23], '10 ms, 100 tokens, 10 steps of 12 ms');
	events.set(1, () => take(1, 120, 10));
	events.set(1, () => take(2, 100, 10));
	events.run();
	// Of the first, 10 tokens are new: read until 1.02. It is written while the second is read, each at half of the speed,
	// until 1.24; what is left of it, 10 ms, beside the second, with steps of 14 instead of 12 ms.
	assert.deepEqual(ends.slice(1), [1.251667, 1.361667]);
	let lost = 0;
	events.set(2, () => {
		replica.take({
			...{ conversation: 1, prompt: 200, answer: 10, shared: 0, slower: () => 1 },
			onEnd: ({ isLost }) => {
				if (isLost) lost++;
			},
		});
	});
	events.set(2.01, () => replica.kill());
	events.run();
	assert.deepEqual([lost, replica.open, replica.isBusy], [1, 0, false]);
});

test('the hash keeps conversations where they are, spills over what is too much, and moves few', () => {
	const events = new Events();
	const made = (count: number) => Array.from({ length: count }, () => new Replica(events, times));
	const replicas = made(10);
	const choose = policyOf('bounded hash', replicas, 5, () => 100);
	const conversations = Array.from({ length: 2000 }, (_, at) => at);
	const before = conversations.map(choose);
	assert.deepEqual(conversations.map(choose), before);
	const [gone] = replicas;
	assert.ok(gone);
	gone.isUp = false;
	const moved = conversations.filter((at) => choose(at) !== before[at]);
	assert.ok(
		moved.every((at) => before[at] === gone),
		'only its own move',
	);
	gone.isUp = true;
	gone.open = 16;
	const calm = policyOf('bounded hash', replicas, 5, () => 40);
	assert.deepEqual(conversations.map(calm), before, 'four for each are not too much');
	assert.ok(
		conversations.every((at) => choose(at) !== gone),
		'half as much again as the mean',
	);
	const turns = policyOf('round robin', replicas, 1, () => 0);
	assert.deepEqual([turns(0), turns(0), turns(0)], replicas.slice(0, 3));
	assert.equal(policyOf('least connections', replicas, 1, () => 0)(0), replicas[1]);
});

test('a seed determines a run, another one changes it, and affinity finds more in caches', () => {
	const run = (policy: PolicyName, seed: number) =>
		openRun(
			{
				...{ replicas: 5, policy, load: 0.5, arrivals: 'poisson', turns: 4, thinkS: 5, shared: 50 },
				...{ question: 50, answer: 20, seconds: 60, failureS: 0, updating: 0, startS: 5, seed },
			},
			times,
		);
	const one = run('bounded hash', 1);
	assert.deepEqual(run('bounded hash', 1), one);
	assert.notDeepEqual(run('bounded hash', 2), one);
	assert.ok(one.cacheShare > run('round robin', 1).cacheShare + 0.1);
	assert.equal(one.lostShare, 0);
});

test('failures lose what was under way, a rolling update nothing', () => {
	const run = (more: object) =>
		openRun(
			{
				...{ replicas: 6, policy: 'bounded hash', load: 0.4, arrivals: 'office hours', turns: 4 },
				...{ thinkS: 5, shared: 50, question: 50, answer: 20, seconds: 120, failureS: 0 },
				...{ updating: 0, startS: 5, seed: 1, ...more },
			},
			times,
		);
	const calm = run({});
	assert.ok(run({ failureS: 20 }).lostShare > 0);
	const updated = run({ updating: 2 });
	assert.equal(updated.lostShare, 0);
	assert.ok(updated.cacheShare < calm.cacheShare, 'caches were lost');
});

test('the simulator has the cache shares of the runs that were measured, and says where a time differs', () => {
	const gate = gateOf(readMeasured());
	assert.deepEqual(
		gate.map(({ run }) => `${run.replicas} ${run.policy}`),
		['2 bounded hash', '2 round robin', '3 bounded hash', '3 round robin'],
	);
	for (const { run, cachePoints } of gate)
		assert.ok(
			Math.abs(cachePoints) <= allowed.cachePoints,
			`${run.replicas} servers, ${run.policy}: ${cachePoints} points`,
		);
	const text = documentOf(readMeasured(), readSimulated());
	const misses = gate.filter(({ isP95Right }) => !isP95Right).length;
	assert.equal(text.match(/% \(misses\)/g)?.length ?? 0, misses, 'misses are marked');
});

test('what is kept of the simulation is what it gives, and the document is what is made of it', () => {
	const measured = readMeasured();
	const simulated = readSimulated();
	assert.ok(simulated.some(({ run }) => run.replicas === 10_000));
	assert.deepEqual(
		largerRuns(measured.times, 10),
		simulated.filter(({ run }) => run.replicas <= 10),
	);
	const file = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8');
	assert.equal(file, documentOf(measured, simulated), 'run npm run bench -- scale document');
});
