/** Dictation into the input of a chat. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	type Dictation,
	type DictationTarget,
	dictateQuestion,
} from '../../../extension/chat/dictateQuestion.ts';
import type { HostMessage } from '../../../webview/protocol.ts';

/** A dictation that says what it is told to. */
function said(words: (target: DictationTarget) => Promise<void>) {
	const double = {
		...{ isRunning: false, finished: 0 },
		dictate: words,
		finish: async () => void double.finished++,
	};
	const posted: HostMessage[] = [];
	const run = () => dictateQuestion(double as unknown as Dictation, (one) => posted.push(one));
	return { double, posted, run };
}

test('pieces go to the page as they come; a second call finishes', async () => {
	const { double, posted, run } = said(async (target) => {
		await target.add('one ');
		double.isRunning = true;
		await run();
		await target.add('two');
		await target.end();
	});
	await run();
	assert.equal(double.finished, 1);
	assert.deepEqual(posted, [
		{ type: 'dictating', state: 'on' },
		{ type: 'dictated', text: 'one ' },
		{ type: 'dictated', text: 'two' },
		{ type: 'dictating', state: 'off' },
	]);
});

test('a dictation that fails takes its words back, and says why', async () => {
	const { posted, run } = said(async (target) => {
		await target.add('one');
		await target.takeBack();
		throw new Error('no microphone');
	});
	await assert.rejects(run(), /no microphone/);
	assert.deepEqual(posted.at(-1), { type: 'dictating', state: 'takenBack' });
});
