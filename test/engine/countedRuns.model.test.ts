/** What holds caches of an encoder-decoder is counted until it is released. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadEngine } from '../../server/engine/engine.ts';
import { countRuns } from '../../server/engine/seq2seq/countedRuns.ts';
import type { DecoderRun, EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { writeTranslationModel } from '../fixtures/translationModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('rows count from their start to their release, fewer when some are dropped', async () => {
	const released: number[] = [];
	const start = (): DecoderRun => {
		let rows = 3;
		return {
			get batchSize() {
				return rows;
			},
			length: 5,
			itemOfSequence: [0, 0, 1],
			feed: async (tokens) => ({ tokens: tokens.length, logits: () => new Float32Array(2) }),
			select: (parents) => {
				rows = parents.length;
			},
			release: () => released.push(rows),
		};
	};
	const { model, openSequences } = countRuns({ start } as unknown as EncoderDecoder);
	const encoded = {} as Parameters<EncoderDecoder['start']>[0];
	const first = model.start(encoded);
	const second = model.start(encoded);
	assert.equal(openSequences(), 6);
	assert.deepEqual([first.length, first.itemOfSequence], [5, [0, 0, 1]]);
	assert.equal((await first.feed([[1], [2]])).tokens, 2);
	first.select([0]);
	assert.equal(openSequences(), 4);
	first.release();
	assert.deepEqual([openSequences(), released], [3, [1]]);
	second.release();
	assert.equal(openSequences(), 0);
});

test('a translation model holds nothing after its last answer, nor after a cancelled one', async () => {
	const folder = writeTranslationModel(join(temporaryFolder(), 'model'));
	const engine = await loadEngine({ folder, threads: 1 });
	const request = (text: string) => ({
		items: [{ text }, { text: `${text} again` }],
		beams: 2,
		maxTokens: 30,
		priority: 'interactive' as const,
	});
	let most = 0;
	const look = async (): Promise<number> => {
		const { openSequences } = await engine.stats();
		most = Math.max(most, openSequences);
		return openSequences;
	};
	const timer = setInterval(() => void look(), 1);
	await engine.seq2seq(request('one'));
	const stop = new AbortController();
	const second = engine.seq2seq(request('two'), stop.signal);
	setTimeout(() => stop.abort(), 3);
	await second.catch(() => undefined);
	await engine.seq2seq(request('three'));
	clearInterval(timer);
	assert.ok(most >= 2, `${most} rows were seen`);
	assert.equal(await look(), 0);
	await engine.close();
});
