/** `docs/scale.md`, from what was measured and what was simulated. */

import { allowed, gateOf } from './gate.ts';
import type { LargerRow } from './larger.ts';
import type { Measured } from './measure.ts';
import { priceRatios, prices } from './prices.ts';
import { serviceS } from './simulate.ts';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const seconds = (value: number): string => `${value.toFixed(2)} s`;
const signed = (value: number, digits: number): string =>
	`${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
const number = (value: number): string => Math.round(value).toLocaleString('en-US');

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
	[row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

export function documentOf(measured: Measured, larger: readonly LargerRow[]): string {
	const { times } = measured;
	const gate = gateOf(measured);
	const wrong = gate.filter(({ isCacheRight, isP95Right }) => !isCacheRight || !isP95Right);
	const b = 8;
	const perS = { read: 1 / times.prefillS, write: b / (times.stepS + times.stepEachS * b) };
	const first = larger[0]?.run;
	const oneS = first === undefined ? Number.NaN : serviceS(first, times);
	const u = 0.6;
	const breakEven = (ratio: number): number => (ratio * u) / oneS;
	return `# Scale

<!-- Written by npm run bench -- scale document, from bench/scale/measured.json and bench/scale/simulated.json. -->

How many model servers a load needs, and what a balancer, failures and updates do to it. Rows marked **measured** are of real servers; rows marked **simulated** come from a
model of them with the service times that were measured. Both were made on ${measured.machine}, which other programs used at the same time (${measured.day}, \`${measured.model}\`).
They say how policies compare, and how figures grow; what your machines do, measure there: \`npm run bench -- scale measure\`.

## What was measured

${table(
	['What', 'Value'],
	[
		['prompt that is not in the cache', `${number(perS.read)} tokens/s`],
		['answers, one at a time', `${(1 / (times.stepS + times.stepEachS)).toFixed(1)} tokens/s`],
		['answers, 8 at a time, together', `${perS.write.toFixed(1)} tokens/s`],
		['a request besides', `${(times.fixedS * 1000).toFixed(0)} ms`],
		...times.together
			.slice(1)
			.map((factor, at) => [
				`${at + 2} servers at work at once on this machine`,
				`${factor.toFixed(2)} times as long`,
			]),
	],
)}

Two and three servers behind HAProxy with \`deploy/haproxy.cfg\`, ${gate[0]?.run.clients ?? 0} people, ${gate[0]?.run.conversations ?? 0} conversations of ${gate[0]?.run.prompts.length ?? 0} turns in changing order:

${table(
	['', 'Servers', 'Policy', 'Tokens from the cache', 'p50', 'p95', 'Cache, points', 'p95'],
	gate.flatMap(({ run, measured: real, simulated, ...differences }) => [
		[
			...['**measured**', String(run.replicas), run.policy],
			...[percent(real.cacheShare), seconds(real.p50S), seconds(real.p95S), '', ''],
		],
		[
			...['**simulated**', String(run.replicas), run.policy],
			...[percent(simulated.cacheShare), seconds(simulated.p50S), seconds(simulated.p95S)],
			`${signed(differences.cachePoints, 1)}${differences.isCacheRight ? '' : ' (misses)'}`,
			`${signed(differences.p95Share * 100, 0)} %${differences.isP95Right ? '' : ' (misses)'}`,
		],
	]),
)}

The simulator has to come within ${allowed.cachePoints} points of the cache share and ${allowed.p95Share * 100} % of the 95th percentile. ${
		wrong.length === 0
			? 'It does in all runs. That holds for a machine with little else to do: measured beside other work, the shares were as near, and the 95th percentiles up to two thirds away.'
			: `It misses that in ${wrong.length} of ${gate.length} runs, marked above: read the figures below with that error.`
	}

## 10 to 10,000 servers

Each server has a machine of its own. People come by chance, ask ${first?.turns ?? 0} questions of ${first?.question ?? 0} tokens on average, ${first?.thinkS ?? 0} s apart, and get answers of ${first?.answer ?? 0} tokens; as many come as keep the
servers busy for ${percent(first?.load ?? 0)} of the time if all that can come from caches does. Where more has to be computed than that, the queue grows for as long as the run lasts, and the times say how long that was:
${[...new Set(larger.map(({ run }) => `${run.seconds} s`))].join(', ')}, the shorter the more servers. Figures of different lengths say little about each other; those of one number of servers do.

${table(
	[
		'',
		'Servers',
		'Policy',
		'What happens',
		'Requests/s',
		'Tokens from the cache',
		'Busy',
		'p50',
		'p95',
		'Lost',
	],
	larger.map(({ what, run, result }) => [
		...['**simulated**', number(run.replicas), run.policy, what],
		...[
			result.requestsPerS < 100 ? result.requestsPerS.toFixed(1) : number(result.requestsPerS),
			percent(result.cacheShare),
			percent(result.busy),
		],
		...[seconds(result.p50S), seconds(result.p95S), percent(result.lostShare)],
	]),
)}

Lost are requests whose server failed before the answer was complete; nothing is tried again here, as the balancer does only before the first byte. A rolling update loses none: servers are drained first.

## How many servers

\`R = λ · (P · (1 − h) / p + G / g) / u\`

| | | Here |
| --- | --- | --- |
| R | servers | |
| λ | requests a second | |
| P, G | tokens of a prompt and of an answer | |
| h | share of the prompts' tokens that comes from caches | table above |
| p | tokens of prompts a server reads in a second | ${number(perS.read)} |
| g | tokens of answers a server writes in a second, 8 at a time | ${perS.write.toFixed(1)} |
| u | share of the time that servers may be busy | ${u} |

For prompts of 800 tokens and answers of 150:

${table(
	[
		'h',
		'Seconds of a server for a request',
		'Servers for 1 request/s',
		'Servers for 1,000 requests/s',
	],
	[0.14, 0.57, 0.82, 0.86].map((h) => {
		const each = (800 * (1 - h)) / perS.read + 150 / perS.write;
		return [String(h), each.toFixed(2), (each / u).toFixed(1), number((1000 * each) / u)];
	}),
)}

## When a GPU engine is cheaper

A GPU engine can stand [behind the same server](team-server.md), as an upstream. One engine that costs k times as much for an hour as one server is cheaper from this load on, as long as it does that load alone:

\`λ* = k · u / (P · (1 − h) / p + G / g)\`

With the conversations of the table above a request takes ${oneS.toFixed(2)} s of a server:

${table(
	['k', 'λ*, requests/s'],
	priceRatios.map((ratio) => [String(ratio), breakEven(ratio).toPrecision(3)]),
)}

Above what one engine can do, both grow alike, and the engine stays cheaper where k is less than the seconds of a server for a request divided by the seconds of the engine for one. Prices are yours:
\`bench/scale/prices.ts\` has none.${
		prices.replicaHour === undefined || prices.gpuHour === undefined
			? ''
			: ` With those that are set there, k is ${(prices.gpuHour / prices.replicaHour).toPrecision(3)} and λ* ${breakEven(prices.gpuHour / prices.replicaHour).toPrecision(3)} requests/s.`
	}
`;
}
