/**
 * `npm run bench -- hostile [--only NAME] [--size N]`: how the time of every reader grows with hostile
 * input, and how long requests with it hold up the event loop of a real daemon. Exit code 1 when
 * something grows faster than its input or holds the loop for longer than {@link maxHoldMs}.
 *
 * `npm run bench -- hostile --bodies 3000 [--seed N]`: bodies that are almost right, for every JSON route.
 */

import { parseArgs } from 'node:util';
import { audioCases } from '../../test/hostile/audio.ts';
import { bodyCases } from '../../test/hostile/bodies.ts';
import { documentCases, missingCases } from '../../test/hostile/documents.ts';
import { growthOf, type HostileCase, maxGrowth } from '../../test/hostile/growth.ts';
import { holdsOf, maxHoldMs } from '../../test/hostile/holds.ts';
import { hostileRequests } from '../../test/hostile/hostileRequests.ts';
import { units } from '../../test/hostile/modelRequests.ts';
import { sendMutatedBodies } from '../../test/hostile/mutatedBodies.ts';
import { textCases } from '../../test/hostile/requests.ts';
import { scriptCases } from '../../test/hostile/scripts.ts';
import { startDaemon } from '../soak/daemon.ts';

/** Lists of readers; each item is a name, an input of about `n` units, and what reads it. */
const readers: Readonly<Record<string, readonly HostileCase[]>> = {
	documents: documentCases,
	'message files': missingCases,
	texts: textCases,
	recordings: audioCases,
	scripts: scriptCases,
	bodies: bodyCases,
};

/** A place where nobody answers: names of models out of a hat are looked up nowhere. */
const nowhere = 'http://127.0.0.1:9';

export async function runHostile(args: string[]): Promise<number> {
	const { values } = parseArgs({
		args,
		options: {
			only: { type: 'string', default: '' },
			size: { type: 'string', default: '200000' },
			bodies: { type: 'string' },
			seed: { type: 'string', default: String(Date.now() % 1e6) },
		},
	});
	if (values.bodies !== undefined) return sendBodies(Number(values.bodies), Number(values.seed));
	const isWanted = (name: string) => name.includes(values.only);
	let faults = 0;
	console.log('Growth when the input doubles, at most:');
	for (const [list, cases] of Object.entries(readers)) {
		if (!isWanted(list)) continue;
		let worst = { ratio: 0, name: 'all too fast to tell' };
		for (const one of cases) {
			const growth = await growthOf(one, { from: 16_000, to: 64_000, minMs: 40 });
			if (!growth) continue;
			if (growth.ratio > worst.ratio) worst = { ratio: growth.ratio, name: one.name };
			if (growth.ratio <= maxGrowth) continue;
			faults++;
			const { smallMs, largeMs, n } = growth;
			console.log(`  FAULT ${one.name}: ${smallMs} → ${largeMs} ms from ${n} units`);
		}
		const ratio = worst.ratio.toFixed(2);
		console.log(
			`  ${list.padEnd(24)} ${String(cases.length).padStart(5)} inputs  ×${ratio}  ${worst.name}`,
		);
	}
	console.log(
		`\nRequests that hold the daemon’s loop (its own computing) for more than ${maxHoldMs} ms:`,
	);
	for (const [list, requests] of Object.entries(hostileRequests(Number(values.size)))) {
		if (!isWanted(list)) continue;
		const held = await holdsOf(requests, {
			units,
			patienceMs: 3000,
			isFirst: list === 'first uses',
		});
		faults += held.length;
		console.log(`  ${list.padEnd(24)} ${held.length} of ${requests.length}`);
		for (const { name, ms } of held) console.log(`  FAULT ${list} ${name}: ${ms} ms`);
	}
	console.log(
		faults === 0 ? `\nNothing holds the loop longer than ${maxHoldMs} ms.` : `\n${faults} faults.`,
	);
	return faults === 0 ? 0 : 1;
}

/** Sends bodies to a daemon of its own, with the built-in models; prints what became of them. */
async function sendBodies(count: number, seed: number): Promise<number> {
	console.log(`${count} bodies, seed ${seed}`);
	const daemon = await startDaemon({ env: { HF_ENDPOINT: nowhere, NEARGLOT_STUDENTS: nowhere } });
	let problems: readonly string[] = [];
	let code: number | null = null;
	try {
		const { url, key } = daemon;
		const headers = { authorization: `Bearer ${key}` };
		const report = await sendMutatedBodies({ url, headers, seed, count, model: 'starter-chat' });
		problems = report.problems;
		console.log(JSON.stringify(report.statuses));
		await fetch(`${url}/health`);
	} finally {
		code = await daemon.stop();
	}
	for (const text of problems) console.log(`PROBLEM ${text}`);
	if (code !== 0) console.log(`PROBLEM the daemon ended with ${code}`);
	return problems.length === 0 && code === 0 ? 0 : 1;
}
