/** The daemon's side of a process that builds: bytes, plans, ends, and what becomes of one that does not end. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createModelBuilder } from '../../server/daemon/builderProcess.ts';
import type { Logger } from '../../server/services/logger.ts';
import type { BuildRequest, FolderProgress } from '../../server/services/modelBuilder.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const child = fileURLToPath(new URL('./builderChild.ts', import.meta.url));
const silent = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Logger;
const never = new AbortController().signal;

let folder = '';
before(async () => {
	folder = temporaryFolder('a builder');
});

const builder = (silenceMs?: number) =>
	createModelBuilder({
		command: () => ({
			file: process.execPath,
			args: ['--disable-warning=ExperimentalWarning', child],
			env: process.env,
		}),
		log: silent,
		usableBytes: async () => 123,
		...(silenceMs === undefined ? {} : { silenceMs }),
	});

function request(behaviour: string, read?: () => Promise<Uint8Array>): BuildRequest {
	return {
		model: 'tiny:1',
		source: {
			kind: 'files',
			format: 'gguf',
			files: [
				{
					name: 'x.gguf',
					size: 2_500_001,
					read: read ?? (async (_offset, length) => new Uint8Array(length).fill(2)),
				},
			],
		},
		target: join(folder, 'model'),
		root: folder,
		origin: { source: behaviour },
	};
}

const wanted = { onPlan: async () => true, onProgress: () => {} };

describe('a process that builds', () => {
	it('gets the bytes it asks for, in pieces, and tells how far it is', async () => {
		const told: FolderProgress[] = [];
		const facts = await builder().build(
			request('copy'),
			{ ...wanted, onProgress: (progress) => told.push(progress) },
			never,
		);
		assert.equal(facts?.architecture, 'llama');
		assert.deepEqual(told, [{ phase: 'build', doneBytes: 2_500_000, totalBytes: 5_000_000 }]);
	});

	it('is told how much memory there is, as it may start no program that knows', async () => {
		const told: FolderProgress[] = [];
		const listener = { ...wanted, onProgress: (progress: FolderProgress) => told.push(progress) };
		await builder().build(request('usable'), listener, never);
		assert.deepEqual(told, [{ phase: 'check', doneBytes: 123, totalBytes: 123 }]);
	});

	it('ends with its plan when no more is wanted, and with the error of whoever refuses it', async () => {
		const plan = { ...wanted, onPlan: async () => false };
		assert.equal(await builder().build(request('copy'), plan, never), undefined);
		const refusing = {
			...wanted,
			onPlan: () => Promise.reject(new Error('no room')),
		};
		await assert.rejects(builder().build(request('copy'), refusing, never), /no room/);
	});

	it('ends with the error of the source', async () => {
		const failing = request('copy', () => Promise.reject(new Error('cut off')));
		await assert.rejects(builder().build(failing, wanted, never), { code: 'internal' });
	});

	it('that ends, runs out of memory or falls silent is an error in words', async () => {
		await assert.rejects(builder().build(request('crash'), wanted, never), {
			code: 'runner_crashed',
			message: /builds 'tiny:1' ended with code 7.*goes on where it was/,
		});
		await assert.rejects(builder().build(request('memory'), wanted, never), {
			code: 'out_of_memory',
		});
		await assert.rejects(builder(200).build(request('silent'), wanted, never), /has not got on/);
	});

	it('ends with whoever has asked, even when it does not want to', async () => {
		const stop = new AbortController();
		const listener = {
			...wanted,
			onPlan: async () => {
				stop.abort();
				return true;
			},
		};
		await assert.rejects(builder().build(request('stubborn'), listener, stop.signal), {
			code: 'cancelled',
		});
	});

	it('is ended when it asks for more than it may, before anything is read', async () => {
		let reads = 0;
		const greedy = request('greedy', async () => {
			reads++;
			return new Uint8Array();
		});
		await assert.rejects(builder().build(greedy, wanted, never), /asked for more than it may/);
		assert.equal(reads, 0);
	});

	it('that waits can be cancelled at once, and says what it waits for', async () => {
		const own = builder();
		const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
		const { promise: free, resolve: release } = Promise.withResolvers<boolean>();
		const first = own.build(
			request('copy'),
			{
				...wanted,
				onPlan: () => {
					begin();
					return free;
				},
			},
			never,
		);
		await begun;
		const stop = new AbortController();
		const names: string[] = [];
		const waiting = { ...wanted, onWait: (name: string) => names.push(name) };
		const second = own.build(request('copy'), waiting, stop.signal);
		stop.abort();
		await assert.rejects(second, { code: 'cancelled' });
		assert.deepEqual(names, ['tiny:1']);
		const plan = { ...waiting, onPlan: async () => false };
		const planned = own.build({ ...request('copy'), plan: true }, plan, never);
		assert.equal(await planned, undefined, 'a plan waits for no build');
		assert.deepEqual(names, ['tiny:1']);
		const third = own.build(request('copy'), wanted, never);
		release(true);
		assert.ok((await first) !== undefined && (await third) !== undefined);
	});

	it('waits for the one before it', async () => {
		const own = builder();
		const order: string[] = [];
		const tell = (name: string) => ({
			onPlan: async () => {
				order.push(`${name} begins`);
				return true;
			},
			onProgress: () => order.push(`${name} ends`),
		});
		await Promise.all([
			own.build(request('copy'), tell('first'), never),
			own.build(request('copy'), tell('second'), never),
		]);
		assert.deepEqual(order, ['first begins', 'first ends', 'second begins', 'second ends']);
	});
});
