/** Silence that a system hands out instead of refusing a microphone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseDenied } from '../../server/audio/deniedMicrophone.ts';

async function* pieces(...lengths: (number | Int16Array)[]) {
	for (const piece of lengths) yield typeof piece === 'number' ? new Int16Array(piece) : piece;
}

async function countOf(samples: AsyncIterable<Int16Array>): Promise<number> {
	let count = 0;
	for await (const { length } of samples) count += length;
	return count;
}

test('three seconds of noughts at the start are a microphone that is denied, with where to allow it', async () => {
	for (const [platform, where] of [
		['darwin', /System Settings, Privacy & Security/],
		['win32', /Settings, Privacy & security/],
	] as const) {
		const silence = () => refuseDenied(pieces(...Array<number>(50).fill(1600)), platform);
		await assert.rejects(countOf(silence()), { code: 'not_supported', message: where });
		const last = Int16Array.of(0, 0, 1);
		assert.equal(await countOf(refuseDenied(pieces(48_000, last, 96_000), platform)), 144_003);
		assert.equal(await countOf(refuseDenied(pieces(48_000), platform)), 48_000);
	}
});

test('elsewhere a muted microphone is just silent', async () => {
	assert.equal(await countOf(refuseDenied(pieces(96_000, 96_000), 'linux')), 192_000);
});
