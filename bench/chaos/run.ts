/**
 * `npm run bench -- chaos [--minutes 15] [--seed N] [--only SCENE]…`: exit code 1 when anything did not hold. Small
 * disks need a mount namespace of their own, so it starts itself again in one where the system gives it one.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { runChaos, type SceneName, sceneNames } from './chaos.ts';
import { inNamespace } from './diskScene.ts';
import { onEndSignal } from './endSignal.ts';

export async function chaosCommand(args: string[]): Promise<number> {
	const { values } = parseArgs({
		args,
		options: {
			minutes: { type: 'string', default: '15' },
			seed: { type: 'string', default: '1' },
			only: { type: 'string', multiple: true, default: sceneNames },
		},
	});
	if (process.platform !== 'linux') {
		console.error('It needs Linux, where /proc tells what a process holds.');
		return 2;
	}
	const unknown = values.only.filter((name) => !sceneNames.includes(name as SceneName));
	if (unknown.length > 0) {
		console.error(`There is no scene ${unknown.join(', ')}; there are ${sceneNames.join(', ')}.`);
		return 2;
	}
	if (!inNamespace && values.only.includes('disk')) {
		const again = ['--map-root-user', '--mount', process.execPath, ...process.execArgv];
		const env = { ...process.env, NEARGLOT_CHAOS_MOUNTS: '1' };
		const own = [process.argv[1] ?? '', 'chaos', ...args];
		if (spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0) {
			const child = spawn('unshare', [...again, ...own], { env, stdio: 'inherit' });
			// It becomes the program, and ends what it has started.
			using _ended = onEndSignal(() => child.kill('SIGTERM'));
			const [code] = await once(child, 'exit');
			return code ?? 1;
		}
	}
	const stop = new AbortController();
	using _stops = onEndSignal(() => stop.abort());
	const { taken, failures, leftOut } = await runChaos({
		seed: Number(values.seed),
		durationMs: Math.min(15, Number(values.minutes)) * 60_000,
		only: values.only as SceneName[],
		signal: stop.signal,
		say: (line) => console.log(line),
	});
	console.log(JSON.stringify(taken, null, 1));
	for (const text of leftOut) console.log(`LEFT OUT ${text}`);
	for (const text of failures) console.log(`DID NOT HOLD ${text}`);
	const steps = Object.values(taken).reduce((sum, count) => sum + count, 0);
	const verdict = failures.length === 0 ? 'All held' : 'Not all held';
	console.log(`${verdict} in ${steps} steps, seed ${values.seed}.`);
	return failures.length === 0 ? 0 : 1;
}
