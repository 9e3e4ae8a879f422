/**
 * No request holds the loop of a daemon for long, whatever it sends and whether or not it is the first of its
 * kind. The whole: `npm run bench -- hostile`.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsOf, maxHoldMs } from './holds.ts';
import { hostileRequests } from './hostileRequests.ts';
import { units } from './modelRequests.ts';
import { some } from './some.ts';

/** Tests run beside each other: what another one does to the caches of a processor makes it half as fast. */
const maxMs = 2 * maxHoldMs;

/** So many of a list; of the others all. */
const counts: Readonly<Record<string, number>> = {
	'/documents/translate': 6,
	'/translate': 6,
	'/translate of HTML': 6,
	'/detect': 4,
	'/breaksentence': 4,
	'files of models': 8,
};

const lists = Object.entries(hostileRequests(60_000)).map(([list, requests]) => ({
	isFirst: list === 'first uses',
	chosen: some(requests, counts[list] ?? requests.length).map((request) => ({
		...request,
		name: `${list} ${request.name}`,
	})),
}));

for (const isFirst of [true, false])
	test(`${isFirst ? 'no first request of its kind' : 'no long or hostile request'} holds the daemon's loop for long`, async () => {
		const requests = lists.flatMap((list) => (list.isFirst === isFirst ? list.chosen : []));
		assert.ok(requests.length > 40);
		assert.deepEqual(await holdsOf(requests, { units, patienceMs: 500, isFirst, maxMs }), []);
	});
