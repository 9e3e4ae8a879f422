/** Dates that somebody sets: what is measured goes on as if nothing had happened. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { mock, test } from 'node:test';
import { Supervisor } from '../../extension/supervisor.ts';
import { openAuditLog } from '../../server/gateway/observe/audit.ts';
import { DeviceGrants } from '../../server/gateway/session/deviceGrants.ts';
import { openSqliteStore } from '../../server/gateway/store/sqliteStore.ts';
import { StoreWatch } from '../../server/gateway/store/storeWatch.ts';
import { Harness } from './support/harness.ts';

const dayMs = 86_400_000;

for (const [name, setMs] of [
	['forward', dayMs],
	['back', -dayMs],
] as const) {
	test(`a date that is set ${name} neither lifts nor extends the limit of sign-ins`, async () => {
		await using h = await Harness.start({ config: { 'x-gateway': { failuresPerMinute: 3 } } });
		const begin = () => h.call({ method: 'POST', target: '/.auth/device' });
		const statuses = async () => [
			(await begin()).status,
			(await begin()).status,
			(await begin()).status,
		];
		const before = await statuses();
		assert.ok(!before.includes(429));
		assert.equal((await begin()).status, 429);
		h.setDate(setMs);
		assert.equal((await begin()).status, 429, 'not lifted');
		h.advance(121_000);
		assert.deepEqual(await statuses(), before, 'over when its time is over');
	});

	test(`what counts by itself does not look at the date: ${name}`, async () => {
		let shiftMs = 0;
		const real = Date.now.bind(Date);
		using _ = mockedDate(() => real() + shiftMs);
		const set = () => {
			shiftMs = setMs;
		};

		const supervisor = new Supervisor();
		const lines = new PassThrough();
		using audit = openAuditLog('-', lines, Date.now);
		const told: (string | undefined)[] = [];
		const watch = new StoreWatch((reason) => told.push(reason));
		for (let end = 0; end < 4; end++) assert.equal(supervisor.ended().restart, true);
		for (let line = 0; line < 100; line++)
			audit.write({ event: 'request_refused', clientIp: '192.0.2.1' });
		const written = String(lines.read()).trim().split('\n').length;
		watch.failed(new Error('gone'));
		set();
		assert.equal(supervisor.ended().restart, false, 'five ends within three minutes');
		audit.write({ event: 'request_refused', clientIp: '192.0.2.1' });
		assert.equal(lines.read(), null, `no more lines after ${written}`);
		await watch.run(() => 1);
		assert.deepEqual(told, ['gone'], 'not told again before its time');
	});
}

test('a device that asks at its pace is not slowed down because the date was set back', async () => {
	let now = 1_000_000_000_000;
	await using store = openSqliteStore(':memory:', () => now);
	const grants = new DeviceGrants(store, () => now);
	const { deviceCode } = await grants.begin();
	const errorOf = async () => {
		const result = await grants.poll(deviceCode);
		return result.kind === 'error' ? result.error : result.kind;
	};
	assert.equal(await errorOf(), 'authorization_pending');
	now -= dayMs;
	assert.equal(await errorOf(), 'authorization_pending');
	now += 1000;
	assert.equal(await errorOf(), 'slow_down');
});

function mockedDate(now: () => number): Disposable {
	const mocked = mock.method(Date, 'now', now);
	return { [Symbol.dispose]: () => mocked.mock.restore() };
}
