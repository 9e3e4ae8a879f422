/** What bulk work costs: manifest, shards a second, memory of a large file, with items that take no time. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { keepHeapSmall } from '../../server/daemon/smallHeap.ts';
import { makeManifest } from '../../server/jobs/batchManifest.ts';
import { capitals, openJobs } from '../../test/jobs/jobWorker.ts';

const self = fileURLToPath(import.meta.url);

/** A line of about a kilobyte. */
const line = (id: number): Buffer =>
	Buffer.from(
		`${JSON.stringify({
			...{ custom_id: `request-${id}`, method: 'POST', url: '/v1/chat/completions' },
			body: { model: 'm', text: `text ${id}`, padding: 'x'.repeat(850) },
		})}\n`,
	);

function* lines(count: number): Generator<Buffer> {
	for (let id = 0; id < count; ) {
		const parts: Buffer[] = [];
		for (; parts.length < 64 && id < count; id++) parts.push(line(id));
		yield Buffer.concat(parts);
	}
}

const processorMs = (): number => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;

/** Lines that are cut into shards in a second of processor time. */
export async function manifestRate(count: number): Promise<number> {
	const parts = [...lines(count)];
	const before = processorMs();
	const limits = { lines: count, bytes: Number.POSITIVE_INFINITY };
	await makeManifest(Readable.from(parts), '/v1/chat/completions', limits, 0);
	return (count / (processorMs() - before)) * 1000;
}

/** A whole batch whose items take no time: seconds, shards, and the memory of the process at its peak. */
export async function emptyBatch(count: number, width: number) {
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-bench-'));
	const env = { NEARGLOT_BATCH_LINES: String(count), NEARGLOT_BATCH_MB: '10000' };
	const options = { store: join(folder, 'store'), queue: join(folder, 'queue.db') };
	const service = openJobs({ ...options, isAlone: true, width, leaseMs: 30_000, itemMs: 0 }, env);
	try {
		service.start(capitals(0));
		const jobs = await service.open();
		const owner = { caller: 'owner', person: 'local' } as const;
		const file = await jobs.files.add('local', Readable.from(lines(count)), {
			...{ filename: 'in.jsonl', purpose: 'batch' },
		});
		const began = performance.now();
		const before = processorMs();
		const { record } = await jobs.batches.create(owner, {
			...{ inputFileId: file.id, endpoint: '/v1/chat/completions', completionWindow: '1d' },
		});
		let shards = 0;
		for (;;) {
			const { end, open } = await jobs.batches.get('local', record.id);
			shards = open?.manifest?.shards.length ?? shards;
			if (end !== undefined) {
				if (end.counts.completed !== count) throw new Error(JSON.stringify(end.counts));
				break;
			}
			await new Promise((resolve) => setTimeout(resolve, 200));
		}
		const seconds = (performance.now() - began) / 1000;
		const processorS = (processorMs() - before) / 1000;
		const peakMb = process.resourceUsage().maxRSS / 1024;
		return { count, shards, seconds, processorS, peakMb };
	} finally {
		await service.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

/** In a process of its own, so that its memory is its own. */
export function emptyBatchAlone(
	count: number,
	width: number,
): Awaited<ReturnType<typeof emptyBatch>> {
	const done = spawnSync(process.execPath, [self, String(count), String(width)], {
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	return JSON.parse(done.stdout);
}

if (import.meta.main) {
	// As the daemon begins.
	keepHeapSmall();
	const [, , count, width] = process.argv;
	console.log(JSON.stringify(await emptyBatch(Number(count), Number(width))));
}
