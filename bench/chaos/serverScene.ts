/** A real server with its command line, a hub, and a clock that somebody sets. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { newHome } from '../../test/support/home.ts';
import { startHub } from '../../test/support/hubServer.ts';
import type { Random, Scene } from './scene.ts';
import { brokenRules, pulled } from './serverRules.ts';
import { type Stage, steps } from './serverSteps.ts';

/** What a process needs whose clock can be set by writing into a file. */
export function clockOf(file: string): NodeJS.ProcessEnv {
	const preload = fileURLToPath(new URL('./clock.mjs', import.meta.url));
	return { NEARGLOT_CLOCK: file, NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` };
}

export async function serverScene(random: Random): Promise<Scene> {
	const beside = mkdtempSync(join(tmpdir(), 'nearglot-chaos-'));
	const systemTmp = join(beside, 'tmp');
	mkdirSync(systemTmp);
	const clock = join(beside, 'clock');
	const hub = await startHub(pulled);
	const home = await newHome({ ...clockOf(clock), TMPDIR: systemTmp, HF_ENDPOINT: hub.url });
	const stage: Stage = { home, hub, random, clock, systemTmp, keys: new Set() };
	return {
		name: 'server',
		steps: steps.map(([name, step]) => [
			name,
			async () => {
				hub.faults = {};
				await step(stage);
				hub.faults = {};
			},
		]),
		broken: () => brokenRules(stage),
		[Symbol.asyncDispose]: async () => {
			await home.close();
			await hub[Symbol.asyncDispose]();
			rmSync(beside, { recursive: true, force: true });
		},
	};
}
