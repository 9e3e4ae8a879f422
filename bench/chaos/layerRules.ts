/** What must hold at the layer after every fault, once the store is well again. */

import { existsSync, readdirSync } from 'node:fs';
import { ask, signIn, signOut } from './layerPeople.ts';
import type { LayerStage } from './layerStage.ts';
import { pause } from './scene.ts';
import { held } from './serverRules.ts';

/** Redis is looked for every two seconds. */
const maxRecoveryMs = 15_000;
/** More than the second, as this machine may be busy. */
const maxLagMs = 3000;
/** Of people who stay signed in, so that asking for all takes no longer and longer. */
const maxPeople = 12;

export async function brokenLayerRules(stage: LayerStage): Promise<string[]> {
	const broken: string[] = [];
	for (const index of [0, 1]) {
		const last = await ready(stage, index);
		if (last !== undefined) return [`replica ${index} is not ready: ${last}`];
	}
	const fresh = await signIn(stage);
	if (fresh === undefined) broken.push('nobody can sign in');
	for (const [cookies, wanted] of [
		[stage.signedIn, 200],
		[stage.signedOut, 401],
	] as const)
		for (const cookie of cookies)
			for (const index of [0, 1]) {
				const status = await settledStatus(stage, index, cookie, wanted);
				if (status !== wanted)
					broken.push(`a session is ${status} at replica ${index}, and not ${wanted}`);
			}
	for (const [index, { child }] of stage.replicas.entries())
		broken.push(...held(child.pid!).map((text) => `replica ${index}: ${text}`));
	const left = existsSync(stage.systemTmp) ? readdirSync(stage.systemTmp) : [];
	if (left.length > 0) broken.push(`temporary files are left: ${left}`);
	while (stage.signedIn.size > maxPeople) await signOut(stage, [...stage.signedIn][0]!);
	for (const cookie of [...stage.signedOut].slice(0, -maxPeople)) stage.signedOut.delete(cookie);
	return broken;
}

/** With Redis the other replica hears of a sign-out within a second. */
async function settledStatus(
	stage: LayerStage,
	index: number,
	cookie: string,
	wanted: number,
): Promise<number | undefined> {
	const end = performance.now() + (stage.kind === 'redis' ? maxLagMs : 0);
	for (;;) {
		const answer = await ask(stage, index, '/x', [cookie]);
		if (answer?.status === wanted || performance.now() > end) return answer?.status;
		await pause(50);
	}
}

/** Waits until a replica is ready; what it said last when it does not get so. */
async function ready(stage: LayerStage, index: number): Promise<string | undefined> {
	const end = performance.now() + maxRecoveryMs;
	for (;;) {
		const answer = await probe(stage, index);
		if (answer === '200') return undefined;
		if (performance.now() > end) return answer;
		await pause(100);
	}
}

/** Probes are refused with 503, and without a time to come again. */
async function probe(stage: LayerStage, index: number): Promise<string> {
	const url = `http://127.0.0.1:${stage.replicas[index]!.port}/.auth/readyz`;
	const answer = await fetch(url).catch((error: unknown) => String(error));
	if (typeof answer === 'string') return answer;
	const text = await answer.text();
	return answer.ok ? '200' : `${answer.status} ${text}`;
}
