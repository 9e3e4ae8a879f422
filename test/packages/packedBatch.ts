/** Batches over a Redis, done by two servers that are started from the files of a package. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RedisServer } from '../gateway/support/redisServer.ts';
import { until } from '../support/until.ts';
import { PackedServer, packedNode } from './packedServer.ts';

/**
 * What is only needed with a queue of several machines, or with S3, lies in files beside the server's that nobody
 * else loads; with them one server takes a batch in, and another does it.
 * @param entry the server's bundle
 * @param home folder of their data and of their store
 */
export async function mustShareBatches(entry: string, home: string): Promise<void> {
	const bundle = (name: string) => readFileSync(join(dirname(entry), name), 'utf8');
	for (const [mark, own] of [
		['moveStalledJobsToWait', 'bull-queue.cjs'],
		['ListObjectsV2', 's3-store.cjs'],
	] as const) {
		assert.ok(bundle(own).includes(mark), own);
		assert.ok(!bundle('server.cjs').includes(mark), mark);
	}
	await using redis = await RedisServer.start();
	const start = (name: string, ...more: string[]) =>
		PackedServer.start(entry, join(home, name), [packedNode], process.env, [
			...['--queue', redis.url, '--store', join(home, 'store')],
			...more,
		]);
	await using front = await start('front', '--work', '0');
	await using _worker = await start('worker');
	const line = (id: number) =>
		`${JSON.stringify({ custom_id: `${id}`, method: 'POST', url: '/translate?api-version=3.0&from=en&to=de', body: [{ Text: 'The file was saved.' }] })}\n`;
	const form = new FormData();
	form.append('purpose', 'batch');
	form.append('file', new Blob([line(1), line(2)]), 'in.jsonl');
	const { id: file } = (await front.send('/v1/files', form)) as { id: string };
	const { id } = (await front.send('/v1/batches', {
		...{ input_file_id: file, endpoint: '/translate', completion_window: '24h' },
	})) as { id: string };
	const now = async () => (await front.send(`/v1/batches/${id}`)) as { status: string };
	await until('the batch ends', async () => (await now()).status === 'completed');
	const { request_counts: counts } = (await now()) as unknown as { request_counts: unknown };
	assert.deepEqual(counts, { total: 2, completed: 2, failed: 0 });
}
