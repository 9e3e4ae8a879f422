/** Processes that work on a batch, for tests that kill them, and what the batch then holds. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JobService, OpenJobs } from '../../server/jobs/jobService.ts';
import type { JobOwner } from '../../server/jobs/jobTypes.ts';
import type { BatchView } from '../../server/jobs/personBatches.ts';
import { until } from '../support/until.ts';
import { type JobWorkerOptions, openJobs } from './jobWorker.ts';

const program = fileURLToPath(new URL('./jobWorker.ts', import.meta.url));
export const owner: JobOwner = { caller: 'owner', person: 'local' };
const children = new Set<ChildProcess>();
after(() => {
	for (const child of children) child.kill('SIGKILL');
});

export function work(options: JobWorkerOptions): ChildProcess {
	const child = spawn(process.execPath, [program, JSON.stringify(options)], {
		stdio: ['pipe', 'ignore', 'inherit'],
	});
	children.add(child);
	child.once('exit', () => children.delete(child));
	return child;
}

export async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	child.kill('SIGKILL');
	await once(child, 'exit');
}

/** A server that only serves, and the batch it was asked for. */
export async function begun(lines: readonly string[], options: JobWorkerOptions) {
	const service = openJobs({ ...options, width: 0, isAlone: false });
	const jobs = await service.open();
	return { service, jobs, id: await asked(jobs, lines) };
}

/** A batch of somebody; its id. */
export async function asked(
	{ files, batches }: OpenJobs,
	lines: readonly string[],
	of: JobOwner = owner,
): Promise<string> {
	const content = Readable.from(lines.map((line) => Buffer.from(line)));
	const file = await files.add(of.person, content, { filename: 'in.jsonl', purpose: 'batch' });
	const { record } = await batches.create(of, {
		...{ inputFileId: file.id, endpoint: '/v1/chat/completions', completionWindow: '1h' },
	});
	return record.id;
}

export const item = (id: number, text = `text ${id}`) =>
	`${JSON.stringify({ custom_id: `${id}`, method: 'POST', url: '/v1/chat/completions', body: { text } })}\n`;
export const items = (count: number) => Array.from({ length: count }, (_, id) => item(id));

export async function finished(
	jobs: OpenJobs,
	id: string,
	withinMs = 90_000,
	{ person } = owner,
): Promise<BatchView> {
	await until(
		'the batch ends',
		async () => (await jobs.batches.get(person, id)).end !== undefined,
		withinMs,
	);
	return jobs.batches.get(person, id);
}

/** `custom_id` and answer of every row, in their order. */
export async function answers(
	jobs: OpenJobs,
	fileId: string | undefined,
	{ person } = owner,
): Promise<string[]> {
	if (fileId === undefined) return [];
	const parts: Uint8Array[] = [];
	for await (const part of await jobs.files.content(person, fileId)) parts.push(part);
	return Buffer.concat(parts)
		.toString('utf8')
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => {
			const { custom_id: id, response } = JSON.parse(line);
			return `${id} ${response.status_code} ${response.body.text ?? response.body.error.code}`;
		});
}
export const expected = (count: number) =>
	Array.from({ length: count }, (_, id) => `${id} 200 TEXT ${id}`);

/** Shards that are done; of a batch that has ended, more than any number. */
export async function openItems(service: JobService, id: string): Promise<number> {
	const { batches } = await service.open();
	const { open, end } = await batches.get(owner.person, id);
	if (end !== undefined) return Number.POSITIVE_INFINITY;
	await open?.done.refresh();
	return open?.done.size ?? 0;
}

/**
 * A worker that is frozen in its second shard for longer than its lease, and wakes while somebody else, who is slow, has
 * that one: the batch must have the answers of the one who has it.
 */
export async function lateWorker(options: JobWorkerOptions): Promise<void> {
	const { service, jobs, id } = await begun(items(100), options);
	const frozen = work({ ...options, mark: 'frozen ', itemMs: 100 });
	await until('it has done a shard', async () => (await openItems(service, id)) > 0);
	frozen.kill('SIGSTOP');
	assert.equal(await openItems(service, id), 1, 'it is in the second one');
	const second = work({ ...options, mark: 'second ', itemMs: 400 });
	await until('the other has the second', () => existsSync(join(options.store, '..', 'second ')));
	frozen.kill('SIGCONT');
	const { end: done } = await finished(jobs, id);
	const who = (await answers(jobs, done?.outputFileId)).map((row) => row.split(' ')[2]);
	assert.deepEqual(who, [...Array(50).fill('frozen'), ...Array(50).fill('second')]);
	await Promise.all([end(frozen), end(second)]);
	await service.close();
}
