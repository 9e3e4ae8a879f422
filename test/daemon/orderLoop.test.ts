/** Orders of other replicas: each is carried out, however others fail. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { OrderLoop, type OrderState, readPendingOrders } from '../../server/daemon/orderLoop.ts';
import { type Logger, silentLogger } from '../../server/services/logger.ts';
import type { NumberedOrder } from '../../server/services/shared/sharedOrders.ts';
import { JsonFile } from '../../server/store/jsonFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

interface Replica {
	readonly loop: OrderLoop;
	/** Numbers of those that were carried out. */
	readonly done: number[];
	/** Pauses that were asked for, each ended by a call. */
	readonly pauses: { readonly ms: number; readonly end: () => void }[];
	readonly state: () => Promise<OrderState>;
}

const orderOf = (seq: number, person = `p${seq}`): NumberedOrder => ({
	...{ seq, at: seq, kind: 'forget', person },
});

/** A replica that has looked once, when no order was there. */
function replica(
	given: readonly NumberedOrder[],
	carryOut: (order: NumberedOrder) => Promise<void>,
	folder = temporaryFolder('orders'),
	log: Logger = silentLogger,
): Replica {
	const done: number[] = [];
	const pauses: Replica['pauses'] = [];
	const file = new JsonFile<OrderState>(join(folder, 'shared.json'), {
		holds: 'The state of a test',
		fresh: () => ({ order: 0 }),
		parse: ({ order, pendingOrders }) => ({
			...(typeof order === 'number' ? { order } : {}),
			pendingOrders: readPendingOrders(pendingOrders),
		}),
	});
	const loop = new OrderLoop({
		orders: {
			last: async () => given.at(-1)?.seq ?? 0,
			after: async (seen) => given.filter(({ seq }) => seq > seen),
		},
		...{ file, log, isThere: () => true },
		carryOut: async (order) => {
			await carryOut(order);
			done.push(order.seq);
		},
		pause: (ms, signal) =>
			new Promise((resolve, reject) => {
				if (signal.aborted) reject(signal.reason);
				pauses.push({ ms, end: resolve });
				signal.addEventListener('abort', () => reject(signal.reason), { once: true });
			}),
	});
	return { loop, done, pauses, state: () => file.read() };
}

const pendingOf = async ({ state }: Replica): Promise<number[]> =>
	((await state()).pendingOrders ?? []).map(({ seq }) => seq);

/** Ends the pauses that are asked for until something holds. */
async function goOnUntil(
	what: string,
	{ pauses }: Replica,
	holds: () => boolean | Promise<boolean>,
) {
	await until(what, async () => {
		if (await holds()) return true;
		for (const { end } of pauses.splice(0)) end();
		return false;
	});
}

test('an order that fails holds up none that come after it, and is carried out when it can be', async (t) => {
	let isAway = true;
	const given = [orderOf(1), orderOf(2), orderOf(3)];
	const one = replica(given, async ({ seq }) => {
		if (seq === 1 && isAway) throw new Error('The store is away.');
	});
	one.loop.start();
	t.after(() => one.loop.rest());
	await goOnUntil('the others are done', one, () => one.done.length === 2);
	assert.deepEqual(one.done, [2, 3]);
	given.push(orderOf(4));
	await goOnUntil('a later one is done', one, () => one.done.includes(4));
	await until('the first alone is kept', async () => (await pendingOf(one)).join() === '1');
	isAway = false;
	await goOnUntil('the first is done', one, () => one.done.includes(1));
	await until('it is not kept any more', async () => (await pendingOf(one)).length === 0);
	assert.deepEqual(one.done, [2, 3, 4, 1], 'each once');
});

test('an order that never ends holds up none that were to be tried again', async (t) => {
	const given = [orderOf(1)];
	let tries = 0;
	const one = replica(given, async ({ seq }) => {
		if (seq === 1 && tries++ === 0) throw new Error('The store is away.');
		if (seq === 2) await new Promise(() => {});
	});
	one.loop.start();
	t.after(() => one.loop.rest());
	await until('the first has failed', () => tries === 1);
	given.push(orderOf(2));
	await goOnUntil('the first is done', one, () => one.done.includes(1));
	await goOnUntil('the second is kept', one, async () => (await pendingOf(one)).includes(2));
});

test('an order that was not done is carried out after a restart', async (t) => {
	const folder = temporaryFolder('orders');
	const given = [orderOf(1), orderOf(2)];
	const before = replica(
		given,
		async ({ seq }) => {
			if (seq === 1) throw new Error('The store is away.');
			await new Promise(() => {});
		},
		folder,
	);
	before.loop.start();
	await until('both are written down', async () => (await pendingOf(before)).length === 2);
	await before.loop.rest();
	const after = replica(given, async () => {}, folder);
	after.loop.start();
	t.after(() => after.loop.rest());
	await goOnUntil('both are done', after, () => after.done.length === 2);
	assert.deepEqual(after.done.toSorted(), [1, 2]);
});

test('an order that fails is tried again after longer and longer pauses, and its log has two lines', async (t) => {
	const lines: string[] = [];
	const log = { ...silentLogger, warn: (text: string) => void lines.push(text) };
	let left = 10;
	const one = replica(
		[orderOf(1)],
		async () => {
			if (left-- > 0) throw new Error('The store is away.');
		},
		undefined,
		log,
	);
	const waits: number[] = [];
	one.loop.start();
	t.after(() => one.loop.rest());
	await until('it is done', () => {
		for (const { ms, end } of one.pauses.splice(0)) {
			if (ms > 1000) waits.push(ms);
			end();
		}
		return one.done.length === 1;
	});
	assert.deepEqual(waits.slice(0, 3), [2000, 4000, 8000]);
	assert.equal(waits.at(-1), 300_000);
	await until('its end is said', () => lines.length === 2);
	assert.match(lines[0] ?? '', /^an order of another replica cannot be carried out yet/);
	assert.equal(lines[1], 'an order of another replica was carried out at last');
});

test('an order that is given again while it cannot be done is kept once', async (t) => {
	let isAway = true;
	const given = [orderOf(1, 'p')];
	const one = replica(given, async () => {
		if (isAway) throw new Error('The store is away.');
	});
	one.loop.start();
	t.after(() => one.loop.rest());
	await goOnUntil('it has failed', one, async () => (await pendingOf(one)).includes(1));
	given.push(orderOf(2, 'p'));
	await goOnUntil('it is kept', one, async () => (await pendingOf(one)).includes(2));
	assert.deepEqual(await pendingOf(one), [2]);
	isAway = false;
	await goOnUntil('it is done', one, async () => (await pendingOf(one)).length === 0);
	assert.deepEqual(one.done, [2]);
});
