/** How long links and pages of the studio hold. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import { StudioAccess } from '../../server/services/studioAccess.ts';

const hourMs = 3600_000;

function access() {
	const clock = { nowMs: Date.UTC(2026, 0, 1) };
	let count = 0;
	const studio = new StudioAccess({
		randomSecret: () => `secret ${++count}`,
		now: () => clock.nowMs,
	});
	return { studio, clock };
}

const forbidden = (error: unknown) => error instanceof AppError && error.code === 'forbidden';

test('a ticket holds for a minute and once', () => {
	const { studio, clock } = access();
	const ticket = studio.ticket();
	const token = studio.claim(ticket);
	assert.notEqual(token, ticket);
	assert.throws(() => studio.claim(ticket), forbidden);
	const late = studio.ticket();
	clock.nowMs += 60_001;
	assert.throws(() => studio.claim(late), forbidden);
	assert.throws(() => studio.claim('guess'), forbidden);
	assert.equal(studio.admits(ticket), false, 'a ticket is no token');
});

test('a page in use stays open for a week; one that nobody used for twelve hours does not', () => {
	const { studio, clock } = access();
	const used = studio.claim(studio.ticket());
	const left = studio.claim(studio.ticket());
	clock.nowMs += 11 * hourMs;
	assert.equal(studio.admits(used), true);
	clock.nowMs += 2 * hourMs;
	assert.equal(studio.admits(used), true);
	assert.equal(studio.admits(left), false);
	let hours = 13;
	while (studio.admits(used)) {
		clock.nowMs += hourMs;
		hours++;
	}
	assert.equal(hours, 7 * 24 + 1);
	assert.equal(studio.admits(used), false, 'it does not come back');
});

test('another daemon knows neither its links nor its pages', () => {
	const { studio } = access();
	const token = studio.claim(studio.ticket());
	assert.equal(access().studio.admits(token), false);
	assert.throws(() => access().studio.claim(studio.ticket()), forbidden);
});
