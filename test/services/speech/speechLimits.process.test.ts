/** How large and how long recordings may be: what holds when nobody says, and what the environment says. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultMaximumS } from '../../../server/audio/decodeAudio.ts';
import { speechLimits } from '../../../server/services/speech/speechLimits.ts';

test('without a word, recordings have at most 200 MB and 4 hours', () => {
	const limits = { maximumBytes: 200 * 1024 * 1024, maximumS: 4 * 3600 };
	assert.deepEqual(speechLimits({}), limits);
	assert.deepEqual(
		speechLimits({ NEARGLOT_AUDIO_MAX_MB: '', NEARGLOT_AUDIO_MAX_HOURS: '' }),
		limits,
	);
	assert.equal(defaultMaximumS, limits.maximumS);
});

test('both can be set, parts of hours too, and what is no such number is refused by name', () => {
	const env = { NEARGLOT_AUDIO_MAX_MB: '2000', NEARGLOT_AUDIO_MAX_HOURS: '0.5' };
	assert.deepEqual(speechLimits(env), { maximumBytes: 2000 * 1024 * 1024, maximumS: 1800 });
	for (const value of ['0', '-1', 'all', '1e9', 'Infinity', 'NaN'])
		for (const name of ['NEARGLOT_AUDIO_MAX_MB', 'NEARGLOT_AUDIO_MAX_HOURS'])
			assert.throws(() => speechLimits({ [name]: value }), {
				code: 'invalid_request',
				message: new RegExp(`${name} must be a number above 0.*'${value}'`),
			});
});
