/** The runs that nobody can measure here: 10 to 10,000 replicas, failures, rolling updates. */

import type { ServiceTimes } from './replica.ts';
import { type OpenResult, type OpenRun, openRun } from './simulate.ts';

export interface LargerRow {
	readonly what: string;
	readonly run: OpenRun;
	readonly result: OpenResult;
}

const usual = {
	load: 0.6,
	arrivals: 'poisson',
	turns: 4,
	thinkS: 5,
	shared: 60,
	question: 150,
	answer: 150,
	seconds: 200,
	failureS: 0,
	updating: 0,
	startS: 20,
	seed: 1,
} as const;

const runs: readonly (readonly [
	what: string,
	run: Omit<OpenRun, keyof typeof usual> & Partial<OpenRun>,
])[] = [
	...[10, 100].flatMap((replicas) =>
		(['round robin', 'least connections', 'bounded hash'] as const).map(
			(policy) => ['calm', { replicas, policy }] as const,
		),
	),
	['office hours', { replicas: 100, policy: 'bounded hash', arrivals: 'office hours' }],
	['each fails once in 10 minutes', { replicas: 100, policy: 'bounded hash', failureS: 600 }],
	['each fails once in 10 minutes', { replicas: 100, policy: 'round robin', failureS: 600 }],
	['rolling update, 20 at a time', { replicas: 100, policy: 'bounded hash', updating: 20 }],
	...(['round robin', 'least connections', 'bounded hash'] as const).map(
		(policy) => ['calm', { replicas: 1000, policy, seconds: 40 }] as const,
	),
	[
		'rolling update, 250 at a time',
		{ replicas: 1000, policy: 'bounded hash', seconds: 100, updating: 250 },
	],
	['calm', { replicas: 10_000, policy: 'round robin', seconds: 10 }],
	['calm', { replicas: 10_000, policy: 'bounded hash', seconds: 10 }],
];

/** @param maxReplicas larger runs are left out */
export function largerRuns(
	times: ServiceTimes,
	maxReplicas = Number.POSITIVE_INFINITY,
	log: (line: string) => void = () => {},
): readonly LargerRow[] {
	const rows: LargerRow[] = [];
	for (const [what, given] of runs) {
		const run = { ...usual, ...given };
		if (run.replicas > maxReplicas) continue;
		const result = openRun(run, times);
		log(`${run.replicas} replicas, ${run.policy}, ${what}: ${result.requests} requests`);
		rows.push({ what, run, result: rounded(result) });
	}
	return rows;
}

const rounded = (result: OpenResult): OpenResult =>
	Object.fromEntries(
		Object.entries(result).map(([name, value]) => [name, Number(Number(value).toPrecision(4))]),
	) as unknown as OpenResult;
