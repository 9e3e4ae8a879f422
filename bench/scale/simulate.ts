/** Runs of replicas behind a balancer: the measured ones again, and larger ones. */

import { Events, exponential, quantile, randomOf } from './events.ts';
import { type PolicyName, policyOf } from './policies.ts';
import { Replica, type ServiceTimes } from './replica.ts';

/** What a run came to. */
export interface RunResult {
	/** Of the tokens of prompts, which share came from a cache. */
	readonly cacheShare: number;
	/** Seconds from request to the end of its answer. */
	readonly p50S: number;
	readonly p95S: number;
}

/** A run as it is measured: so many clients that ask one after the other. */
export interface ClosedRun {
	readonly replicas: number;
	readonly policy: PolicyName;
	readonly clients: number;
	readonly conversations: number;
	/** Tokens of the prompt of each turn. */
	readonly prompts: readonly number[];
	readonly answer: number;
	/** Tokens that all prompts begin with. */
	readonly shared: number;
	/** Single requests right before and after: others use the machine, too. */
	readonly singles?: Singles;
}

/**
 * Seconds that a request should take, and how many times as long it took; the shortest first. What comes between is a
 * pause of some length, so that short ones are the ones that may take many times as long.
 */
export type Singles = readonly (readonly [expectedS: number, ratio: number])[];

/** How this machine does what a replica of its own would do. */
export interface MachineTimes extends ServiceTimes {
	/** By how much all is slower with one, two… replicas at work on one processor. */
	readonly together: readonly number[];
	/** Single requests as measured, by what this says of them. */
	readonly singles: Singles;
}

interface Seen {
	readonly latencies: number[];
	prompt: number;
	cached: number;
}

/** Runs it again for each seed; all of it together. */
export function closedRun(run: ClosedRun, times: MachineTimes, seeds = 40): RunResult {
	const seen: Seen = { latencies: [], prompt: 0, cached: 0 };
	for (let seed = 1; seed <= seeds; seed++) closedOnce(run, times, seed, seen);
	return resultOf(seen);
}

function closedOnce(run: ClosedRun, times: MachineTimes, seed: number, seen: Seen): void {
	const events = new Events();
	const random = randomOf(seed);
	const { singles = times.singles } = run;
	let slower = 1;
	const replicas = Array.from(
		{ length: run.replicas },
		() => new Replica(events, times, () => slower),
	);
	for (const replica of replicas) replica.warm(run.shared);
	let open = 0;
	const choose = policyOf(run.policy, replicas, seed * 104_729, () => open);
	/** The work of all is brought up to now before the processor is shared in another way. */
	const share = () => {
		const busy = replicas.filter(({ isBusy }) => isBusy).length;
		const next = times.together[Math.max(0, busy - 1)] ?? times.together.at(-1) ?? 1;
		if (next === slower) return;
		for (const replica of replicas) replica.advance();
		slower = next;
		for (const replica of replicas) replica.plan();
	};
	const left = Array.from({ length: run.conversations }, () => 0);
	const free = new Set(left.keys());
	const next = () => {
		const waiting = [...free];
		const conversation = waiting[Math.floor(random() * waiting.length)];
		if (conversation === undefined) return;
		const turn = left[conversation] ?? 0;
		free.delete(conversation);
		const prompt = run.prompts[turn] ?? 0;
		const begun = events.now;
		const replica = choose(conversation + seed * 1000);
		open++;
		replica?.take({
			...{ conversation, prompt, answer: run.answer, shared: run.shared },
			slower: (expectedS) => ratioLike(singles, expectedS, random),
			onEnd: ({ cached }) => {
				open--;
				seen.latencies.push(events.now - begun);
				seen.prompt += prompt;
				seen.cached += cached;
				left[conversation] = turn + 1;
				if (turn + 1 < run.prompts.length) free.add(conversation);
				// After the replica has put it away.
				events.set(events.now, next);
				events.set(events.now, share);
			},
		});
		share();
	};
	for (let client = 0; client < run.clients; client++) events.set(0, next);
	events.run();
}

/** The ratio of one of those that are most like it, a third of all. */
function ratioLike(singles: Singles, expectedS: number, random: () => number): number {
	const size = Math.ceil(singles.length / 3);
	const found = singles.findIndex(([each]) => each >= expectedS);
	const middle = found < 0 ? singles.length : found;
	const first = Math.max(0, Math.min(singles.length - size, middle - Math.floor(size / 2)));
	return singles[first + Math.floor(random() * size)]?.[1] ?? 1;
}

const resultOf = (seen: Readonly<Seen>): RunResult => ({
	cacheShare: seen.cached / seen.prompt,
	p50S: quantile(seen.latencies, 0.5),
	p95S: quantile(seen.latencies, 0.95),
});

/** People who come by chance, and talk for some turns. */
export interface OpenRun {
	readonly replicas: number;
	readonly policy: PolicyName;
	/** Share of the time for which replicas have something to do, if all that can come from caches does. */
	readonly load: number;
	readonly arrivals: 'poisson' | 'office hours';
	/** Mean number of turns of a conversation, and seconds between an answer and the next question. */
	readonly turns: number;
	readonly thinkS: number;
	/** Tokens: what all begin with, and what a question and an answer add. */
	readonly shared: number;
	readonly question: number;
	readonly answer: number;
	/** Simulated seconds that count, after so many that people come and go as they will. */
	readonly seconds: number;
	/** Mean seconds between failures of one replica; 0: none. */
	readonly failureS: number;
	/** All replicas one after the other are drained and started again, so many at a time; 0: none. */
	readonly updating: number;
	/** Seconds from start to ready. */
	readonly startS: number;
	readonly seed: number;
}

export interface OpenResult extends RunResult {
	readonly requests: number;
	/** Of the time of replicas. */
	readonly busy: number;
	/** Of the requests: ended with their replica. */
	readonly lostShare: number;
	readonly requestsPerS: number;
}

/** Seconds of a replica that a request takes when what was said before comes from the cache, and nothing is written beside. */
export function serviceS(run: OpenRun, times: ServiceTimes): number {
	const stepS = times.stepS + times.stepEachS;
	return times.fixedS + run.question * times.prefillS + run.answer * stepS;
}

/** Runs it once. */
export function openRun(run: OpenRun, times: ServiceTimes): OpenResult {
	const events = new Events();
	const random = randomOf(run.seed);
	const replicas = Array.from({ length: run.replicas }, () => new Replica(events, times));
	let open = 0;
	const choose = policyOf(run.policy, replicas, run.seed, () => open);
	const warmS = 2 * run.turns * run.thinkS;
	const endS = warmS + run.seconds;
	const perS = (run.load * run.replicas) / serviceS(run, times);
	const seen: Seen = { latencies: [], prompt: 0, cached: 0 };
	const count = { lost: 0, all: 0 };
	let conversations = 0;
	const turn = (conversation: number, context: number) => {
		const prompt = context + run.question;
		const begun = events.now;
		const replica = choose(conversation);
		const counts = begun >= warmS && begun < endS;
		if (counts) count.all++;
		if (replica === undefined) {
			if (counts) count.lost++;
			return;
		}
		open++;
		replica.take({
			...{ conversation, prompt, answer: run.answer, shared: run.shared, slower: () => 1 },
			onEnd: ({ cached, isLost }) => {
				open--;
				if (counts && isLost) count.lost++;
				if (counts && !isLost) {
					seen.latencies.push(events.now - begun);
					seen.prompt += prompt;
					seen.cached += cached;
				}
				const goesOn = events.now < endS && random() >= 1 / run.turns;
				const said = isLost ? context : prompt + run.answer;
				if (goesOn)
					events.set(events.now + exponential(random, run.thinkS), () => turn(conversation, said));
			},
		});
	};
	const rateAt = (at: number): number => {
		if (run.arrivals === 'poisson') return perS / run.turns;
		// A morning, a pause and an afternoon in the time that counts.
		const day = Math.max(0, (at - warmS) / run.seconds);
		return (perS / run.turns) * (1 + 0.6 * Math.sin(2 * Math.PI * (2 * day - 0.25)));
	};
	const arrive = () => {
		if (events.now >= endS) return;
		turn(conversations++, run.shared);
		events.set(events.now + exponential(random, 1 / rateAt(events.now)), arrive);
	};
	events.set(0, arrive);
	if (run.failureS > 0) for (const replica of replicas) failNowAndThen(replica);
	function failNowAndThen(replica: Replica): void {
		const fail = () => {
			if (events.now >= endS) return;
			if (replica.isUp) replica.kill();
			events.set(events.now + run.startS, () => replica.start());
			events.set(events.now + run.startS + exponential(random, run.failureS), fail);
		};
		events.set(exponential(random, run.failureS), fail);
	}
	let at = 0;
	const renew = () => {
		const replica = replicas[at++];
		if (replica === undefined) return;
		replica.isDraining = true;
		const look = () => {
			if (replica.open > 0) return events.set(events.now + 0.5, look);
			replica.isUp = false;
			events.set(events.now + run.startS, () => {
				replica.start();
				renew();
			});
		};
		look();
	};
	for (let beside = 0; beside < run.updating; beside++) events.set(warmS, renew);
	const busyNow = () => {
		for (const replica of replicas) replica.advance();
		for (const replica of replicas) replica.plan();
		return replicas.reduce((sum, replica) => sum + replica.busyS, 0);
	};
	let busyS = 0;
	events.set(warmS, () => {
		busyS -= busyNow();
	});
	events.set(endS, () => {
		busyS += busyNow();
	});
	events.run();
	return {
		...resultOf(seen),
		requests: count.all,
		busy: busyS / (run.replicas * run.seconds),
		lostShare: count.lost / Math.max(1, count.all),
		requestsPerS: count.all / run.seconds,
	};
}
