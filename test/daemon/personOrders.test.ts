/** Orders of other replicas as this one carries them out: at once all, later what there was at their time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carryOut, type PersonParts } from '../../server/daemon/personOrders.ts';

const never = new AbortController().signal;

/** Parts that note what they are asked for. */
function parts() {
	const asked: string[] = [];
	const note =
		(name: string) =>
		async (_person: string, ...given: unknown[]) => {
			const rest = given.filter((one) => one !== never && one !== undefined);
			asked.push([name, ...rest].join(' '));
			return name === 'jobs' ? { batches: 0, files: 0 } : 0;
		};
	const all = {
		people: { live: { end: note('live') }, forget: note('people') },
		answers: { deletePerson: note('answers') },
		jobs: { open: async () => ({ forget: note('jobs'), cancel: note('cancel') }) },
		responses: { end: note('responses') },
	} as unknown as PersonParts;
	return { all, asked };
}

test('an order to forget somebody deletes all at once, and later what there was at its time', async () => {
	const order = { kind: 'forget', person: 'anna', seq: 1, at: 5000 } as const;
	const now = parts();
	await carryOut(now.all, { ...order, at: Date.now() }, false, never);
	assert.deepEqual(now.asked, ['live', 'jobs', 'answers', 'people']);
	const late = parts();
	await carryOut(late.all, order, false, never);
	assert.deepEqual(late.asked, ['jobs 5000', 'answers 5000', 'people 5000']);
});

test('an order to end work that is carried out later ends no work of since', async () => {
	const order = { kind: 'end', person: 'anna', seq: 1, at: 5000 } as const;
	const now = parts();
	const at = Date.now();
	await carryOut(now.all, { ...order, at }, false, never);
	assert.deepEqual(now.asked, ['responses', `cancel ${at}`]);
	for (const isRetry of [false, true]) {
		const late = parts();
		await carryOut(late.all, order, isRetry, never);
		assert.deepEqual(late.asked, ['cancel 5000']);
	}
});
