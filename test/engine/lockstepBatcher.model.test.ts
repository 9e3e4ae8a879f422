/** Users of one encoder-decoder share its runs and get what they would get alone. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import type { EncodedBatch, EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { LockstepBatcher } from '../../server/engine/seq2seq/lockstepBatcher.ts';
import { openEncoderDecoder } from '../../server/engine/seq2seq/openEncoderDecoder.ts';
import { decodeHypothesis } from '../../server/engine/speech/decodeHypothesis.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { AppError } from '../../server/protocol/index.ts';
import { writeTranslationModel } from '../fixtures/translationModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let model: EncoderDecoder;
/** Rows and tokens of every run of the decoder's graph. */
let runs: string[] = [];
let counting: EncoderDecoder;

before(async () => {
	const folder = writeTranslationModel(join(temporaryFolder(), 'joined'));
	const description = await describeModel(folder);
	const variant = description.variants[0];
	assert.ok(variant);
	model = await openEncoderDecoder({
		description,
		variant,
		runtime: await openRuntime(),
		session: { threads: 1 },
	});
	counting = {
		...model,
		start: (encoded, options) => {
			const run = model.start(encoded, options);
			const feed = run.feed.bind(run);
			run.feed = (tokens, signal) => {
				runs.push(`${tokens.length}×${tokens[0]?.length}`);
				return feed(tokens, signal);
			};
			return run;
		},
	};
});
after(() => model.close());

/** A window of six source tokens. */
function encode(member: EncoderDecoder, seed: number): Promise<EncodedBatch> {
	const ids = BigInt64Array.from({ length: 6 }, (_, k) => BigInt((seed * 31 + k * 7) % 250));
	const mask = new BigInt64Array(6).fill(1n);
	const dims = [1, 6];
	return member.encode({
		input_ids: { type: 'int64', dims, data: ids },
		attention_mask: { type: 'int64', dims, data: mask },
	});
}

async function transcribe(
	member: EncoderDecoder,
	seed: number,
	temperature: number,
	signal?: AbortSignal,
): Promise<number[]> {
	const encoded = await encode(member, seed);
	const { tokens } = await decodeHypothesis(
		member,
		encoded,
		{
			prompt: [258, 3 + (seed % 2), 9],
			// Some end sooner than others, so that rows leave.
			endToken: 40 + seed * 3,
			maxTokens: 14,
			temperature,
			seed,
			samples: 3,
			processors: [
				({ logits, tokens }) => {
					if (tokens.length >= 4 + seed) {
						logits.fill(Number.NEGATIVE_INFINITY);
						logits[40 + seed * 3] = 0;
					}
				},
			],
		},
		signal,
	);
	return tokens.map((token) => token.id);
}

for (const temperature of [0, 0.8]) {
	test(`windows decoded together are those decoded alone (temperature ${temperature})`, async () => {
		const seeds = [1, 2, 3, 4, 5];
		const alone: number[][] = [];
		for (const seed of seeds) alone.push(await transcribe(model, seed, temperature));
		runs = [];
		const joined = new LockstepBatcher(counting, 16);
		const member = joined.member('batch');
		const together = await Promise.all(seeds.map((seed) => transcribe(member, seed, temperature)));
		assert.deepEqual(together, alone);
		const rows = temperature === 0 ? 1 : 3;
		assert.equal(runs[0], `${5 * rows}×3`);
		const longest = Math.max(...alone.map((tokens) => tokens.length));
		assert.ok(runs.length <= longest + 2, `${runs.length} runs for ${longest} tokens`);
		assert.equal(joined.isDecoding, false);
	});
}

test('no more rows are open than allowed, and every window gets its turn', async () => {
	runs = [];
	const member = new LockstepBatcher(counting, 2).member('batch');
	const found = await Promise.all([1, 2, 3, 4, 5].map((seed) => transcribe(member, seed, 0)));
	assert.ok(found.every((tokens) => tokens.length > 0));
	assert.ok(runs.every((run) => Number(run.split('×')[0]) <= 2));
});

test('a cancelled window leaves the others alone', async () => {
	const expected = await transcribe(model, 4, 0);
	const stop = new AbortController();
	const stopping: EncoderDecoder = {
		...model,
		start: (encoded, options) => {
			const run = model.start(encoded, options);
			const feed = run.feed.bind(run);
			run.feed = (tokens, signal) => {
				stop.abort();
				return feed(tokens, signal);
			};
			return run;
		},
	};
	const joined = new LockstepBatcher(stopping, 8);
	const member = joined.member('batch');
	const cancelled = transcribe(member, 5, 0, stop.signal);
	const others = [transcribe(member, 4, 0), transcribe(member, 4, 0)];
	await assert.rejects(cancelled, { code: 'cancelled' });
	assert.deepEqual(await Promise.all(others), [expected, expected]);
	assert.equal(joined.isDecoding, false);
});

test('a failed step is told to all whose rows it had; later windows are decoded', async () => {
	let fails = true;
	const failing: EncoderDecoder = {
		...model,
		start: (encoded, options) => {
			const run = model.start(encoded, options);
			const feed = run.feed.bind(run);
			run.feed = (tokens, signal) =>
				fails ? Promise.reject(new AppError('internal', 'on purpose')) : feed(tokens, signal);
			return run;
		},
	};
	const member = new LockstepBatcher(failing, 8).member('batch');
	const both = await Promise.allSettled([transcribe(member, 1, 0), transcribe(member, 2, 0)]);
	assert.deepEqual(
		both.map(({ status }) => status),
		['rejected', 'rejected'],
	);
	fails = false;
	assert.deepEqual(await transcribe(member, 1, 0), await transcribe(model, 1, 0));
});

test('an interactive window is decoded while batch windows are under way', async () => {
	const joined = new LockstepBatcher(counting, 4);
	const ended: string[] = [];
	const batch = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) =>
		transcribe(joined.member('batch'), seed, 0).then(() => ended.push('batch')),
	);
	const urgent = transcribe(joined.member('interactive'), 1, 0).then(() => ended.push('urgent'));
	await Promise.all([...batch, urgent]);
	assert.equal(ended[0], 'urgent');
});

test('windows of a batch wait for somebody who is expected, and go on when nobody comes', async () => {
	runs = [];
	const joined = new LockstepBatcher(counting, 4);
	const expected = joined.expect();
	const batch = transcribe(joined.member('batch'), 3, 0);
	for (let turns = 0; turns < 8; turns++) await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual(runs, [], 'no run of the batch');
	const urgent = transcribe(joined.member('interactive'), 1, 0).then(() => runs.length);
	const alone = (await transcribe(model, 1, 0)).length;
	assert.ok((await urgent) >= alone - 1);
	expected[Symbol.dispose]();
	assert.deepEqual(await batch, await transcribe(model, 3, 0));
	using _never = joined.expect();
	assert.deepEqual(await transcribe(joined.member('batch'), 3, 0), await transcribe(model, 3, 0));
});
