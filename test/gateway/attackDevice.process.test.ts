/** Approving a device: only by a click on the page itself, in the browser that opened it, in time. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browserHeaders, Harness } from './support/harness.ts';

let h: Harness;
let cookie: string;
before(async () => {
	h = await Harness.start();
	cookie = await h.signIn();
});
after(() => h[Symbol.asyncDispose]());

async function begin(): Promise<{ deviceCode: string; state: string }> {
	const answer = await h.call({ method: 'POST', target: '/.auth/device' });
	const grant = answer.json() as { device_code: string; user_code: string };
	const page = await h.navigate(`/.auth/device?user_code=${grant.user_code}`, cookie);
	const state = /name="page" value="([^"]+)"/.exec(page.body)?.[1];
	assert.ok(state, page.body);
	return { deviceCode: grant.device_code, state };
}

const approve = (state: string, headers: readonly string[] = browserHeaders, with_ = cookie) =>
	h.call({
		method: 'POST',
		target: '/.auth/device/approve',
		headers: ['Content-Type: application/x-www-form-urlencoded', `Cookie: ${with_}`, ...headers],
		body: `page=${encodeURIComponent(state)}&answer=yes`,
	});

async function poll(deviceCode: string): Promise<string> {
	// The device keeps to the interval.
	h.advance(10_000);
	const answer = await h.call({
		method: 'POST',
		target: '/.auth/device/token',
		headers: ['Content-Type: application/json'],
		body: JSON.stringify({ device_code: deviceCode }),
	});
	return answer.status === 200 ? 'signed in' : (answer.json() as { error: string }).error;
}

test('another page, another browser and an altered page approve no device', async () => {
	const { deviceCode, state } = await begin();
	const foreign = ['Sec-Fetch-Site: cross-site', 'User-Agent: Mozilla/5.0'];
	assert.equal((await approve(state, foreign)).status, 403);
	assert.equal((await approve(state, ['Origin: https://evil.example'])).status, 403);
	assert.equal((await approve(state, ['User-Agent: curl/8'])).status, 403);
	assert.equal((await approve(state, browserHeaders, await h.signIn())).status, 403);
	assert.equal((await approve(state, browserHeaders, 'none=1')).status, 403);
	assert.equal((await approve(`${state}x`)).status, 403);
	assert.equal(await poll(deviceCode), 'authorization_pending');
	assert.equal((await approve(state)).status, 200);
	assert.equal(await poll(deviceCode), 'signed in');
	assert.equal(await poll(deviceCode), 'expired_token', 'a device code works once');
});

test('a page that was open for too long approves nothing', async () => {
	const { deviceCode, state } = await begin();
	h.advance(601_000);
	assert.equal((await approve(state)).status, 403);
	assert.equal(await poll(deviceCode), 'expired_token');
});
