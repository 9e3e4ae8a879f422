/** Sound without parts of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSoundCuts } from '../../server/protocol/index.ts';

const rateHz = 1000;
const sound = Float32Array.from({ length: 1000 }, () => 1);
const cuts = [
	{ start: 0.1, end: 0.2 },
	{ start: 0.5, end: 0.9 },
];

test('what is cut is gone, and the sound fades beside it', () => {
	const kept = withoutSoundCuts(cuts, rateHz)(sound);
	assert.equal(kept.length, 500);
	const [faded, whole] = [kept[99] ?? 1, kept[50]];
	assert.ok(faded < 0.11);
	assert.equal(whole, 1);
	assert.deepEqual(withoutSoundCuts([], rateHz)(sound), sound);
});

test('a recording that comes in pieces is cut as it is in one', () => {
	const whole = withoutSoundCuts(cuts, rateHz)(sound);
	const take = withoutSoundCuts(cuts, rateHz);
	const pieces: number[] = [];
	for (let at = 0; at < sound.length; at += 70) pieces.push(...take(sound.subarray(at, at + 70)));
	assert.deepEqual(pieces, [...whole]);
});
