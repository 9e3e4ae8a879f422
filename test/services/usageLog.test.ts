/** What callers say of themselves, in metrics. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonMetrics } from '../../server/services/daemonMetrics.ts';
import type { Logger } from '../../server/services/logger.ts';
import { createUsageLog } from '../../server/services/usageLog.ts';

const log = { info: () => {} } as unknown as Logger;
const record = { requestId: 'r', route: '/v1/chat/completions', model: 'm', status: 200, ms: 1 };

test('a label names who is signed in, whatever the request says about its user', () => {
	const metrics = daemonMetrics();
	const usage = createUsageLog(log, metrics, ['user']);
	usage.add({ ...record, caller: { person: 'person:1', user: 'somebody else' } });
	usage.add({ ...record, caller: { user: 'a script of the owner' } });
	const text = metrics.render();
	assert.match(text, /user="person:1"/);
	assert.match(text, /user="a script of the owner"/);
	assert.ok(!text.includes('somebody else'));
});

test('no label ends a line, steers a terminal or hides', () => {
	const metrics = daemonMetrics();
	const hostile = 'a\u0000b\u202ec\u001b[2J\u200bd\ne"\\f\r';
	createUsageLog(log, metrics, ['user']).add({ ...record, caller: { user: hostile } });
	const text = metrics.render();
	assert.match(text, /user="abc\[2Jd\\ne\\"\\\\f"/);
	assert.match(text, /^[\x20-\x7e\n]*$/);
});
