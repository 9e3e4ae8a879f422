/** Subtitles in scripts without spaces: what is heard, and lines of one sentence. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shouted } from './shouted.ts';

const cue = (...lines: string[]) => `1\n00:00:01,000 --> 00:00:02,000\n${lines.join('\n')}\n`;

test('lines of a sentence without spaces are one text without a space, and sounds in wide brackets stand alone', async () => {
	const source = cue('今日はいい天', '気ですね。', '（笑）', '【拍手】そう', '♪ 春が来た ♪');
	const { asked } = await shouted('a.srt', source, { from: 'ja' });
	assert.deepEqual(asked, ['今日はいい天気ですね。', '笑', '【拍手】そう', '春が来た']);
});

test('lines with tags of their own keep them, however long they become', async () => {
	const source = cue('<i>It was a dark night,</i>', '<i>and nobody was at home.</i>');
	const { text } = await shouted('a.srt', source, {}, (words) =>
		words.replace('dark night', 'dark and stormy night of the very worst kind'),
	);
	assert.equal(
		text,
		cue(
			'<i>It was a dark and stormy night of the very worst kind,</i>',
			'<i>and nobody was at home.</i>',
		),
	);
});

test('a cue of many lines is cut once, not anew for each of them', async (context) => {
	const segmented = context.mock.method(Intl.Segmenter.prototype, 'segment');
	const callsFor = async (count: number) => {
		segmented.mock.resetCalls();
		const made = '今日はとてもいい天気です。'.repeat(count);
		const source = cue(...Array.from({ length: count }, () => 'The weather is nice today.'));
		const { text } = await shouted('a.srt', source, { to: 'ja' }, () => made);
		const lines = text.trim().split('\n').slice(2);
		assert.deepEqual([lines.length, [...new Set(lines)]], [count, ['今日はとてもいい天気です。']]);
		return segmented.mock.callCount();
	};
	assert.equal(await callsFor(200), await callsFor(20));
});

test('a sound keeps its wide brackets', async () => {
	const { text } = await shouted(
		'a.srt',
		cue('［音楽が流れる］', '(拍手する)'),
		{ from: 'ja' },
		() => 'x',
	);
	assert.equal(text, cue('［x］', '(x)'));
});

test('a translation without spaces has as many lines as its source, each cut between words', async () => {
	const made = '今日はとてもいい天気なので、公園へ散歩に行きましょう。';
	const source = cue('The weather is nice today,', 'so let us go for a walk.');
	const { text } = await shouted('a.srt', source, { to: 'ja' }, () => made);
	assert.equal(text, cue('今日はとてもいい天気なので、', '公園へ散歩に行きましょう。'));
});
