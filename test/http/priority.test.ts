import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hono } from 'hono';
import type { AppEnv } from '../../server/http/env.ts';
import { requestedPriority } from '../../server/http/priority.ts';

const priorityOf = async (header: string | undefined, usual?: 'interactive' | 'batch') => {
	const app = new Hono<AppEnv>();
	app.get('/', (context) => context.text(requestedPriority(context, usual)));
	const headers = header === undefined ? {} : { priority: header };
	return (await app.request('/', { headers })).text();
};

test('a request of the lowest urgency gives way; any other has the priority of its kind', async () => {
	for (const background of ['u=7', 'u=7, i', 'i, u=7', ' u=7;x=1'])
		assert.equal(await priorityOf(background), 'batch', background);
	for (const usual of [undefined, '', 'u=0', 'u=6', 'u=77', 'xu=7', 'u=7x', 'i'])
		assert.equal(await priorityOf(usual), 'interactive', usual);
	assert.equal(await priorityOf('u=0', 'batch'), 'batch', 'nothing is made more urgent than it is');
});
