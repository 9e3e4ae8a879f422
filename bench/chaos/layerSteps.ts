/** What goes wrong at the layer, while somebody signs in, renews or streams. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ask, signIn, signOut, somebody, stream } from './layerPeople.ts';
import type { LayerStage } from './layerStage.ts';
import { pause, pick } from './scene.ts';

type Fault = readonly [
	what: string,
	/** Begins; resolves to what ends it. */
	begin: () => Promise<() => Promise<void> | void>,
];

/** Longest fault of a step. */
const maxFaultMs = 2500;

export function layerSteps(stage: LayerStage): [string, () => Promise<void>][] {
	const { random, provider } = stage;
	const moment = (maxMs: number) => pause(random() * maxMs);
	/** The fault begins at some moment of the work and ends a while later, perhaps before the work does. */
	const during = async (fault: Fault, work: () => Promise<unknown>): Promise<void> => {
		const working = work().then(
			() => undefined,
			(error: unknown) => error,
		);
		await moment(120);
		const end = await fault[1]();
		try {
			await moment(maxFaultMs);
		} finally {
			await end();
		}
		const failed = await working;
		if (failed !== undefined) throw failed;
	};
	const signsIn = () => signIn(stage, () => moment(200));
	const renews = async () => {
		const cookie = somebody(stage) ?? (await signIn(stage));
		if (cookie === undefined) return;
		provider.tokenHold = moment(600);
		await ask(stage, pick(random, [0, 1]), '/.auth/refresh', [cookie]);
		provider.tokenHold = undefined;
	};
	const signsOut = async () => {
		const cookie = await signIn(stage);
		if (cookie !== undefined) await signOut(stage, cookie);
	};
	const many = async () =>
		void (await Promise.all([signsIn(), signsIn(), renews(), signsOut(), signsIn()]));
	const work: [string, () => Promise<unknown>][] = [
		['somebody signs in', signsIn],
		['somebody renews', renews],
		['somebody signs out', signsOut],
		['many come and go', many],
	];
	const faults = stage.redis === undefined ? fileFaults(stage) : redisFaults(stage);
	return [
		...faults.map((fault): [string, () => Promise<void>] => [
			`${fault[0]} while people come and go`,
			() => during(fault, pick(random, work)[1]),
		]),
		...faults.map((fault): [string, () => Promise<void>] => [
			`${fault[0]} under streams`,
			async () => {
				const cookie = somebody(stage) ?? (await signIn(stage));
				if (cookie === undefined) throw new Error('Nobody can sign in.');
				const whole = await openStreams(stage, cookie);
				await during(fault, whole);
			},
		]),
		[
			'a replica is killed while people come and go',
			() => during(['', () => killed(stage)], pick(random, work)[1]),
		],
		[
			'a replica is restarted in good order under streams',
			async () => {
				const cookie = somebody(stage) ?? (await signIn(stage));
				if (cookie === undefined) throw new Error('Nobody can sign in.');
				const index = pick(random, [0, 1]);
				const whole = await openStreams(stage, cookie);
				const old = stage.replicas[index]!;
				const ended = once(old.child, 'exit');
				old.child.kill('SIGTERM');
				await whole();
				const [code] = await ended;
				stage.replicas[index] = await stage.startReplica();
				if (code !== 0) throw new Error(`The replica ended with ${code}.`);
			},
		],
		[
			'the clock is set while people are signed in',
			async () => {
				const hour = 3600_000;
				const cookie = somebody(stage) ?? (await signIn(stage));
				for (const offset of [pick(random, [hour, -hour]), 0]) {
					writeFileSync(stage.clock, String(offset));
					// Until every process has looked.
					await pause(120);
					for (const index of [0, 1]) {
						if (cookie === undefined) continue;
						const answer = await ask(stage, index, '/x', [cookie]);
						if (answer?.status !== 200)
							throw new Error(`With a clock ${offset} ms off a session is ${answer?.status}.`);
					}
				}
			},
		],
	];
}

/**
 * Opens streams at both replicas; resolves when the app has begun each of them, to what waits for their ends and
 * rejects when one was cut.
 */
async function openStreams(stage: LayerStage, cookie: string): Promise<() => Promise<void>> {
	const begun = () => stage.app.seen.filter(({ url }) => url === '/events').length;
	const wanted = begun() + 4;
	let ended = false;
	const all = Promise.all([0, 1, 0, 1].map((index) => stream(stage, index, cookie)));
	const settled = all.then(
		() => undefined,
		(error: unknown) => error,
	);
	void settled.finally(() => {
		ended = true;
	});
	while (begun() < wanted && !ended) await pause(10);
	return async () => {
		const failed = await settled;
		if (failed !== undefined) throw failed;
		const whole = await all;
		if (whole.includes(false)) throw new Error(`Streams are cut: ${whole}`);
	};
}

async function killed(stage: LayerStage): Promise<() => Promise<void>> {
	const index = pick(stage.random, [0, 1]);
	const old = stage.replicas[index]!;
	const ended = once(old.child, 'exit');
	old.child.kill('SIGKILL');
	await ended;
	return async () => {
		stage.replicas[index] = await stage.startReplica();
	};
}

function redisFaults({ redis }: LayerStage): Fault[] {
	if (redis === undefined) return [];
	const admin = (begin: string[], end: string[]) => async () => {
		await redis.tell(...begin);
		return () => redis.tell(...end);
	};
	return [
		[
			'Redis is killed and comes again',
			async () => {
				await redis.stop();
				return () => redis.run();
			},
		],
		[
			'Redis stands still',
			async () => {
				redis.signal('SIGSTOP');
				return () => redis.signal('SIGCONT');
			},
		],
		[
			'Redis is full',
			admin(['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']),
		],
		[
			'Redis may only be read',
			admin(
				['CONFIG', 'SET', 'min-replicas-to-write', '1'],
				['CONFIG', 'SET', 'min-replicas-to-write', '0'],
			),
		],
	];
}

function fileFaults({ database }: LayerStage): Fault[] {
	return [
		[
			'another process holds the file of sessions',
			async () => {
				const other = new DatabaseSync(database, { timeout: 5000 });
				other.exec('BEGIN IMMEDIATE');
				return () => {
					other.exec('ROLLBACK');
					other.close();
				};
			},
		],
	];
}
