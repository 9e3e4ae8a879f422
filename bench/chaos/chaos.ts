/**
 * Faults in an order that a seed decides, against real processes with folders of their own. After each one
 * the same is asked: does the next request work, is all there that was acknowledged, does nothing pile up.
 */

import { diskScene } from './diskScene.ts';
import { layerScene } from './layerScene.ts';
import { pick, type Random, randomFrom, type Scene } from './scene.ts';
import { serverScene } from './serverScene.ts';

export interface ChaosOptions {
	readonly seed: number;
	/** No step begins after this time. */
	readonly durationMs: number;
	/** Which scenes are played; those that this machine has no stage for are left out. */
	readonly only?: readonly SceneName[];
	/** No step begins after it is aborted, either. */
	readonly signal?: AbortSignal;
	/** Told of each step. */
	readonly say?: (line: string) => void;
}

export interface ChaosReport {
	/** Name of a step → how often it was taken. */
	readonly taken: Readonly<Record<string, number>>;
	/** What did not hold, with the step after which. */
	readonly failures: readonly string[];
	/** Scenes that could not be played, with what is missing. */
	readonly leftOut: readonly string[];
}

/** Each resolves to the scene, or to why there is none. */
const scenes = {
	server: serverScene,
	disk: diskScene,
	'layer on SQLite': (random: Random) => layerScene(random, 'sqlite'),
	'layer on Redis': (random: Random) => layerScene(random, 'redis'),
} satisfies Record<string, (random: Random) => Promise<Scene | string>>;

export type SceneName = keyof typeof scenes;
export const sceneNames = Object.keys(scenes) as SceneName[];

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
	const { seed, durationMs, only = sceneNames, signal, say } = options;
	const random = randomFrom(seed);
	const taken: Record<string, number> = {};
	const failures: string[] = [];
	const leftOut: string[] = [];
	await using stack = new AsyncDisposableStack();
	const played: Scene[] = [];
	for (const name of only) {
		const scene = await scenes[name](random);
		if (typeof scene === 'string') leftOut.push(`${name}: ${scene}`);
		else played.push(stack.use(scene));
	}
	/** A scene in which something does not hold is played no further. */
	const play = async (scene: Scene, title: string, step: () => Promise<void>): Promise<void> => {
		const found: string[] = [];
		try {
			await step();
			found.push(...(await scene.broken()));
		} catch (error) {
			found.push(error instanceof Error ? String(error.stack) : String(error));
		}
		if (found.length === 0) return;
		played.splice(played.indexOf(scene), 1);
		failures.push(...found.map((rule) => `after '${title}': ${rule}`));
		for (const rule of found) say?.(`DOES NOT HOLD ${rule}`);
	};
	for (const scene of [...played]) await play(scene, `${scene.name}: no fault yet`, async () => {});
	// Counted from here, so that a busy machine takes a step as well.
	const until = performance.now() + durationMs;
	while (played.length > 0 && performance.now() < until && signal?.aborted !== true) {
		const scene = pick(random, played);
		const [name, step] = pick(random, scene.steps);
		const title = `${scene.name}: ${name}`;
		taken[title] = (taken[title] ?? 0) + 1;
		say?.(title);
		await play(scene, title, step);
	}
	return { taken, failures, leftOut };
}
