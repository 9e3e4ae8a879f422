/** The results of a batch are joined by one of the machines that have its queue, and not once more when it has ended. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { keys } from '../../server/jobs/jobTypes.ts';
import { JoinClaims } from '../../server/jobs/joinClaims.ts';
import { type ObjectStore, readObject } from '../../server/jobs/objectStore.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { asked, begun, finished, item, owner } from './batchProcesses.ts';
import { capitals, openJobs } from './jobWorker.ts';

test('a batch is joined by whoever claims it first, until that machine ends with or without a word', async () => {
	const store = await openFolderStore(temporaryFolder('claims'), Date.now);
	let nowMs = 0;
	const machine = () =>
		new JoinClaims({ store, keyOf: keys.join, leaseMs: 60_000, now: () => nowMs });
	const [one, two] = [machine(), machine()];
	const claim = await one.take('batch_a');
	assert.ok(claim);
	assert.equal(await two.take('batch_a'), undefined);
	nowMs += 59_999;
	assert.equal(await two.take('batch_a'), undefined, 'it may be there still');
	await claim[Symbol.asyncDispose]();
	const second = await two.take('batch_a');
	assert.ok(second, 'it has given it up');
	assert.equal(await one.take('batch_a'), undefined);
	nowMs += 60_000;
	const third = await one.take('batch_a');
	assert.ok(third, 'nobody has renewed it');
	await third[Symbol.asyncDispose]();
	await second[Symbol.asyncDispose]();
});

test('a claim is renewed for as long as its work gets on, and taken over where that hangs', async (t) => {
	t.mock.timers.enable({ apis: ['setInterval'] });
	const store = await openFolderStore(temporaryFolder('claims'), Date.now);
	let nowMs = 0;
	const machine = () =>
		new JoinClaims({ store, keyOf: keys.cut, leaseMs: 60_000, now: () => nowMs });
	const [one, two] = [machine(), machine()];
	const claim = await one.take('batch_a');
	assert.ok(claim);
	const text = async () => String(await readObject(store, keys.cut('batch_a')));
	const pass = (): void => {
		nowMs += 20_000;
		t.mock.timers.tick(20_000);
	};
	assert.equal(await two.take('batch_a'), undefined);
	for (let count = 0; count < 6; count++) {
		claim.moved();
		const before = await text();
		pass();
		await until('it is renewed', async () => (await text()) !== before);
		assert.equal(await two.take('batch_a'), undefined, 'its work gets on');
	}
	const put = store.put.bind(store);
	let renewals = 0;
	store.put = async (...given) => {
		renewals++;
		await put(...given);
	};
	for (let count = 0; count < 3; count++) pass();
	await new Promise((resolve) => setImmediate(resolve));
	assert.equal(renewals, 0, 'nobody has said that it gets on');
	const second = await two.take('batch_a');
	assert.ok(second, 'what it reads does not come');
	await second[Symbol.asyncDispose]();
	await claim[Symbol.asyncDispose]();
});

test('a new batch is cut by one machine, and the others do not read its file meanwhile', async () => {
	const folder = temporaryFolder('cut');
	const options = {
		...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), leaseMs: 60_000 },
		...{ isAlone: false, width: 1, itemMs: 0 },
	};
	const passed = Promise.withResolvers<void>();
	const reading: string[] = [];
	let looks = 0;
	const machine = (name: string) =>
		openJobs(options, {}, Date.now, {
			openStore: async () => {
				const store = await openFolderStore(options.store, Date.now);
				const [read, list] = [store.read.bind(store), store.list.bind(store)];
				return Object.assign(store, {
					read: async function* (...given: Parameters<ObjectStore['read']>) {
						if (given[0].startsWith(keys.files) && given[1] === undefined) {
							reading.push(name);
							await passed.promise;
						}
						yield* read(...given);
					},
					list: async function* (prefix: string) {
						if (prefix === keys.open && reading.length > 0) looks++;
						yield* list(prefix);
					},
				});
			},
		});
	const [one, two] = [machine('one'), machine('two')];
	for (const each of [one, two]) each.start(capitals(0));
	const [seen] = await Promise.all([one.open(), two.open()]);
	const id = await asked(seen, [item(0)]);
	await until('both have looked', () => looks > 6);
	passed.resolve();
	const { end } = await finished(seen, id);
	assert.deepEqual(end?.counts, { total: 1, completed: 1, failed: 0 });
	assert.equal(reading.length, 1);
	assert.equal(await seen.store.size(keys.cut(id)), undefined, 'no claim is left');
	await Promise.all([one.close(), two.close()]);
});

for (const [when, isGate] of [
	['is joined by another', (key: string, id: string) => key.startsWith(keys.begunFiles(id))],
	['has ended', (key: string, id: string) => key === keys.openBatch(id)],
] as const)
	test(`a machine joins no batch that ${when}`, async () => {
		const folder = temporaryFolder('joined');
		const options = {
			...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), leaseMs: 60_000 },
			...{ isAlone: false, width: 1, itemMs: 0 },
		};
		let looks = 0;
		const begunHere: string[] = [];
		const { service: first, id } = await begun([item(0)], options);
		await first.close();
		const passed = Promise.withResolvers<void>();
		const reached = Promise.withResolvers<void>();
		const wait = async (key: string): Promise<void> => {
			if (!isGate(key, id)) return;
			reached.resolve();
			await passed.promise;
		};
		const storeOf = async (own: (store: ObjectStore) => Partial<ObjectStore>) => {
			const store = await openFolderStore(options.store, Date.now);
			return Object.assign(store, own(store));
		};
		// It only serves, and knows the batch from before its end.
		const other = openJobs({ ...options, width: 0 }, {}, Date.now, {
			openStore: () =>
				storeOf((store) => {
					const [list, put] = [store.list.bind(store), store.put.bind(store)];
					return {
						list: async function* (prefix) {
							// Whoever looks first joins it.
							if (prefix === keys.open) {
								await reached.promise;
								looks++;
							}
							yield* list(prefix);
						},
						put: async (key, content) => {
							if (key.startsWith(keys.begunFiles(id))) begunHere.push(key);
							await put(key, content);
						},
					};
				}),
		});
		const seen = await other.open();
		await seen.batches.get(owner.person, id);
		const worker = openJobs(options, {}, Date.now, {
			openStore: () =>
				storeOf((store) => {
					const [put, remove] = [store.put.bind(store), store.remove.bind(store)];
					return {
						put: async (key, content) => {
							if (key !== keys.openBatch(id)) await wait(key);
							await put(key, content);
						},
						remove: async (key) => {
							await wait(key);
							await remove(key);
						},
					};
				}),
		});
		worker.start(capitals(0));
		await reached.promise;
		// The steps of one look may go on into the next.
		await until('the other has looked', () => looks > 3);
		passed.resolve();
		const { end } = await finished(seen, id);
		assert.deepEqual(end?.counts, { total: 1, completed: 1, failed: 0 });
		await until(
			'it is forgotten',
			async () => (await seen.store.size(keys.openBatch(id))) === undefined,
		);
		await Promise.all([worker.close(), other.close()]);
		assert.deepEqual(begunHere, []);
		assert.equal(await seen.store.size(keys.join(id)), undefined, 'no claim is left');
	});
