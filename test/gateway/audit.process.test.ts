/** The audit log: whatever names, addresses and errors hold, an event is one line that shows what it is. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { openAuditLog } from '../../server/gateway/observe/audit.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { Harness } from './support/harness.ts';

/** Ends lines, steers terminals, turns letters round, or cannot be seen. */
const hostile =
	'a\n{"event":"login"}\r\u2028\u2029\u0085\u001b[2J\u009b31m\u007f\u202e\u2066\u200b\u{e0041}\ufeffz';

const now = () => Date.parse('2026-01-02T03:04:05Z');

test('no value splits a line of the log or hides in it', async () => {
	const folder = temporaryFolder('audit');
	const file = join(folder, 'audit.log');
	const log = openAuditLog(file, new PassThrough(), now);
	const event = {
		event: 'login_failed',
		provider: hostile,
		userId: hostile,
		reason: hostile,
		path: hostile,
		clientIp: hostile,
	} as const;
	log.write(event);
	log.write({ event: 'stopped' });
	log[Symbol.dispose]();
	let text = '';
	while (!text.includes('stopped')) {
		await new Promise((resolve) => setImmediate(resolve));
		text = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
	}
	assert.match(text, /^[\x20-\x7e\n]+$/);
	const lines = text.trimEnd().split('\n');
	assert.equal(lines.length, 2);
	assert.deepEqual(JSON.parse(lines[0]!), { time: '2026-01-02T03:04:05.000Z', ...event });
});

test('a log that can be written no more is told in one line, and what follows goes there, too', {
	skip: process.platform !== 'linux' && 'needs a device that is always full',
}, async () => {
	const lines = new PassThrough();
	using log = openAuditLog('/dev/full', lines, now);
	log.write({ event: 'started' });
	const [chunk] = (await lines.take(1).toArray()) as Buffer[];
	assert.match(String(chunk), /^[\x20-\x7e]+\n$/);
	assert.equal((JSON.parse(String(chunk)) as { event: string }).event, 'audit_failed');
});

test('what a provider says about a login reaches the log as one line', async () => {
	await using h = await Harness.start();
	const begun = await h.navigate('/.auth/login/corp?post_login_redirect_uri=/app');
	const state = new URL(begun.header('location') ?? '').searchParams.get('state') ?? '';
	const refusal = new URLSearchParams({ state, error: 'denied', error_description: hostile });
	await h.navigate(
		`/.auth/login/corp/callback?${refusal}`,
		begun
			.setCookies()
			.map((line) => line.split(';', 1)[0])
			.join('; '),
	);
	assert.ok(h.audit.some((line) => line.includes('login_failed')));
	for (const line of h.audit) {
		assert.match(line, /^[\x20-\x7e]+$/);
		JSON.parse(line);
	}
});
