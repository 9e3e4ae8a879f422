/** A batch while its workers are killed and frozen in an order that a seed decides; every row is compared. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RedisServer } from '../../test/gateway/support/redisServer.ts';
import { type JobWorkerOptions, openJobs } from '../../test/jobs/jobWorker.ts';

const program = fileURLToPath(new URL('../../test/jobs/jobWorker.ts', import.meta.url));
const points = ['leased', 'item', 'written', 'committed', 'completed'] as const;
const leaseMs = 1000;

export interface ChaosOutcome {
	readonly seed: number;
	readonly items: number;
	readonly seconds: number;
	readonly kills: number;
	readonly freezes: number;
	/** How often Redis was killed, and how often it lost its disk besides. */
	readonly redisKills: number;
	readonly redisLosses: number;
	/** Items that were given up, of which none should be. */
	readonly failed: number;
	/** Items without a row, those that failed included. */
	readonly lost: number;
	readonly doubled: number;
	/** Rows that are not what an undisturbed run gives. */
	readonly wrong: number;
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

export async function chaosRun(
	seed: number,
	items: number,
	workers: number,
	withRedis = false,
): Promise<ChaosOutcome> {
	await using redis = withRedis ? await RedisServer.start() : undefined;
	const random = randomOf(seed);
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-bench-'));
	const options: JobWorkerOptions = {
		...{ store: join(folder, 'store'), queue: redis?.url ?? join(folder, 'queue.db') },
		...{ isAlone: false, width: 1, leaseMs, itemMs: 4 },
	};
	const service = openJobs({ ...options, width: 0 });
	const children: (ChildProcess | undefined)[] = [];
	const start = (place: number): void => {
		// Half of them end themselves where a seed says so.
		const point = points[Math.floor(random() * points.length)] ?? 'item';
		const fault = random() < 0.5 ? { fault: { point, times: 1 + Math.floor(random() * 6) } } : {};
		const child = spawn(process.execPath, [program, JSON.stringify({ ...options, ...fault })], {
			stdio: ['pipe', 'ignore', 'inherit'],
		});
		children[place] = child;
	};
	let [kills, freezes, redisKills, redisLosses] = [0, 0, 0, 0];
	const began = performance.now();
	try {
		const jobs = await service.open();
		const content = Array.from({ length: items }, (_, id) =>
			Buffer.from(
				`${JSON.stringify({ custom_id: `${id}`, method: 'POST', url: '/v1/completions', body: { text: `text ${id}` } })}\n`,
			),
		);
		const file = await jobs.files.add('local', Readable.from(content), {
			...{ filename: 'in.jsonl', purpose: 'batch' },
		});
		const { record } = await jobs.batches.create(
			{ caller: 'owner', person: 'local' },
			{
				...{ inputFileId: file.id, endpoint: '/v1/completions', completionWindow: '1d' },
			},
		);
		for (let place = 0; place < workers; place++) start(place);
		for (;;) {
			const { end } = await jobs.batches.get('local', record.id);
			if (end !== undefined) {
				const rows = await rowsOf(await jobs.files.content('local', end.outputFileId ?? ''));
				const seconds = (performance.now() - began) / 1000;
				const { failed } = end.counts;
				const faults = { kills, freezes, redisKills, redisLosses };
				return { ...{ seed, items, seconds, failed }, ...faults, ...compared(rows, items) };
			}
			for (const [place, child] of children.entries())
				if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
					kills++;
					start(place);
				}
			await sleep(100 + random() * 300);
			const victim = children[Math.floor(random() * workers)];
			const chance = random();
			if (chance < 0.3) victim?.kill('SIGKILL');
			else if (chance < 0.36 && victim !== undefined) {
				freezes++;
				victim.kill('SIGSTOP');
				setTimeout(() => victim.kill('SIGCONT'), leaseMs * 1.7);
			} else if (chance < 0.42 && redis !== undefined) {
				redisKills++;
				const isLost = random() < 0.4;
				if (isLost) redisLosses++;
				await (isLost ? redis.loseDisk() : redis.stop());
				await sleep(random() * 1000);
				await redis.run();
			}
		}
	} finally {
		for (const child of children) child?.kill('SIGKILL');
		await service.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

async function rowsOf(content: AsyncIterable<Uint8Array>): Promise<Map<string, string[]>> {
	const parts: Uint8Array[] = [];
	for await (const part of content) parts.push(part);
	const rows = new Map<string, string[]>();
	for (const line of Buffer.concat(parts).toString('utf8').split('\n')) {
		if (line === '') continue;
		const { custom_id: id, response } = JSON.parse(line);
		rows.set(id, [...(rows.get(id) ?? []), response.body.text]);
	}
	return rows;
}

function compared(rows: ReadonlyMap<string, readonly string[]>, items: number) {
	let [lost, doubled, wrong] = [0, 0, 0];
	for (let id = 0; id < items; id++) {
		const found = rows.get(`${id}`) ?? [];
		if (found.length === 0) lost++;
		if (found.length > 1) doubled++;
		if (found.some((text) => text !== `TEXT ${id}`)) wrong++;
	}
	return { lost, doubled, wrong };
}
