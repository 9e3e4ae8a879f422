/**
 * Faults in an order that a seed decides, against a real server in a data folder of its own. After each one
 * the same is asked: does the next request work, is all there that was acknowledged, does nothing pile up.
 */

import { type Home, newHome } from '../../test/daemon/home.ts';
import { startHub } from '../../test/hub/hubServer.ts';
import { brokenRules, pulled } from './rules.ts';
import { pick, type Stage, steps } from './steps.ts';

export interface ChaosOptions {
	readonly seed: number;
	/** No step begins after this time. */
	readonly durationMs: number;
	/** Told of each step. */
	readonly say?: (line: string) => void;
}

export interface ChaosReport {
	/** Name of a step → how often it was taken. */
	readonly taken: Readonly<Record<string, number>>;
	/** What did not hold, with the step after which. */
	readonly failures: readonly string[];
}

export async function runChaos({ seed, durationMs, say }: ChaosOptions): Promise<ChaosReport> {
	const random = randomFrom(seed);
	const home: Home = await newHome();
	await using hub = await startHub(pulled);
	home.env['HF_ENDPOINT'] = hub.url;
	const stage: Stage = { home, hub, random, keys: new Set() };
	const taken: Record<string, number> = {};
	const failures: string[] = [];
	const until = performance.now() + durationMs;
	try {
		const before = await brokenRules(stage);
		if (before.length > 0) return { taken, failures: before };
		while (performance.now() < until && failures.length === 0) {
			const [name, step] = pick(stage, steps);
			taken[name] = (taken[name] ?? 0) + 1;
			say?.(name);
			hub.faults = {};
			await step(stage);
			hub.faults = {};
			failures.push(...(await brokenRules(stage)).map((rule) => `after '${name}': ${rule}`));
		}
	} finally {
		await home.close();
	}
	return { taken, failures };
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let bits = Math.imul(state ^ (state >>> 15), state | 1);
		bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
		return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
	};
}
