/** Silence that a system hands out instead of refusing a microphone: told of, and nothing of a recording is lost. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeSilence } from '../../server/audio/deniedMicrophone.ts';

async function* pieces(...lengths: (number | Int16Array)[]) {
	for (const piece of lengths) yield typeof piece === 'number' ? new Int16Array(piece) : piece;
}

/** How many samples come through, and what was told. */
async function heard(platform: NodeJS.Platform, ...lengths: (number | Int16Array)[]) {
	const told: string[] = [];
	let count = 0;
	for await (const { length } of noticeSilence(pieces(...lengths), platform, (text) =>
		told.push(text),
	))
		count += length;
	return { count, told };
}

const last = Int16Array.of(0, 0, 1);

test('three seconds of noughts at the start are told of once, with where to allow it, and all goes on', async () => {
	for (const [platform, where] of [
		['darwin', /goes on.*System Settings, Privacy & Security/],
		['win32', /goes on.*Settings, Privacy & security/],
	] as const) {
		// A gate against noise that opens late, push-to-talk, a device that is muted for a while.
		const late = await heard(platform, ...Array<number>(100).fill(1600), last, 96_000);
		assert.equal(late.count, 256_003);
		assert.equal(late.told.length, 1);
		assert.match(late.told[0] ?? '', where);
	}
});

test('shorter silence, silence after a sound, and silence elsewhere say nothing', async () => {
	assert.deepEqual(await heard('darwin', 48_000), { count: 48_000, told: [] });
	assert.deepEqual(await heard('win32', 1600, last, 96_000), { count: 97_603, told: [] });
	assert.deepEqual(await heard('linux', 96_000, 96_000), { count: 192_000, told: [] });
});
