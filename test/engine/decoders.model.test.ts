/** Every way of running a decoder gives what the plain one gives. */

import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BatchItem, Decoder } from '../../server/engine/decode/decoder.ts';
import type { KvCache } from '../../server/engine/kv/kvCache.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { difference } from '../../server/engine/verify/readings.ts';
import { AppError } from '../../server/protocol/index.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { Random } from '../fixtures/graphBuilder.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { openDecoder } from './openDecoder.ts';

const folder = temporaryFolder();
const models = {
	gqa: writeDecoderModel(join(folder, 'gqa'), { attention: 'gqa' }),
	int4: writeDecoderModel(join(folder, 'int4'), { attention: 'gqa', block: 32 }),
	plain: writeDecoderModel(join(folder, 'plain'), { attention: 'plain' }),
	fusable: writeDecoderModel(join(folder, 'fusable'), { attention: 'plain', queryScale: 1 }),
};

const starter = fileURLToPath(new URL('../../starter/models/starter-chat', import.meta.url));

type Work = Omit<BatchItem, 'cache'>;

interface Pair {
	readonly fast: KvCache;
	readonly plain: KvCache;
}

/** Largest relative difference over random steps of several sequences, with joins and truncations. */
async function compare(fast: Decoder, plain: Decoder, rounds: number): Promise<number> {
	const random = new Random(99);
	const below = (limit: number): number => random.bits() % limit;
	const pairs: Pair[] = Array.from({ length: 6 }, () => ({
		fast: fast.createCache(),
		plain: plain.createCache(),
	}));
	let worst = 0;
	for (let round = 0; round < rounds; round++) {
		const chosen = pairs.filter(() => below(3) > 0).slice(0, fast.maxBatchSize);
		if (chosen.length === 0) continue;
		if (below(4) === 0) {
			const pair = chosen[0] as Pair;
			const length = Math.floor(pair.fast.length / 2);
			pair.fast.truncate(length);
			pair.plain.truncate(length);
		}
		const rows = chosen.map(() => {
			const tokens = Array.from({ length: 1 + below(6) }, () => below(256));
			return { tokens, logits: below(3) === 0 ? tokens.length : below(2) };
		});
		const together = await fast.step(
			chosen.map(({ fast: cache }, k) => ({ cache, ...(rows[k] as Work) })),
		);
		const copies = together.map((row) => row.map((logits) => logits.slice()));
		for (const [k, { plain: cache }] of chosen.entries()) {
			const [alone = []] = await plain.step([{ cache, ...(rows[k] as Work) }]);
			assert.equal(alone.length, copies[k]?.length);
			for (const [at, logits] of alone.entries()) {
				const value = difference(logits, copies[k]?.[at] as Float32Array);
				if (!(value <= worst)) worst = value;
			}
		}
	}
	for (const { fast: a, plain: b } of pairs) assert.equal(a.length, b.length);
	return worst;
}

for (const [name, mode] of [
	['gqa', 'packed'],
	['int4', 'packed'],
	['fusable', 'packed'],
] as const) {
	test(`mixed runs of several sequences equal single ones: ${name}, ${mode}`, async () => {
		const notices: string[] = [];
		const fast = await openDecoder(models[name], { notices });
		const plain = await openDecoder(models[name], { prepare: false });
		try {
			assert.deepEqual(notices, []);
			assert.equal(fast.mode, mode);
			assert.equal(plain.mode, 'serial');
			assert.ok(fast.maxBatchSize >= 4);
			const worst = await compare(fast, plain, 24);
			assert.ok(worst < 1e-4, `logits differ by ${worst}`);
		} finally {
			fast.close();
			plain.close();
		}
	});
}

test('mixed runs of several sequences equal single ones on own products of 4-bit weights', async (t) => {
	const { kernel } = await openRuntime(false);
	if (kernel === undefined || 'refused' in kernel) return t.skip(kernel?.refused ?? 'none here');
	const notices: string[] = [];
	const together = await openDecoder(models.int4, { kernel: true, notices });
	const alone = await openDecoder(models.int4, { kernel: true });
	try {
		assert.deepEqual(notices, [
			`Products of 4-bit weights run on Nearglot's own kernel (${kernel.instructions}).`,
		]);
		assert.equal(together.mode, 'packed');
		const worst = await compare(together, alone, 24);
		assert.ok(worst < 1e-4, `logits differ by ${worst}`);
	} finally {
		together.close();
		alone.close();
	}
});

test('a sequence that comes back to an earlier place brings what it holds now', async () => {
	for (const model of [models.fusable, models.gqa]) {
		const decoder = await openDecoder(model);
		const plain = await openDecoder(model, { prepare: false });
		const caches = Array.from({ length: 4 }, () => decoder.createCache());
		const [a, b, c, d] = caches as [KvCache, KvCache, KvCache, KvCache];
		for (const cache of caches) cache.reserve(60);
		const row = (cache: KvCache, tokens: number[]): BatchItem => ({ cache, tokens, logits: 1 });
		await decoder.step([row(b, [1, 2]), row(c, [3, 4]), row(d, [5, 6]), row(a, [7, 8, 9, 10])]);
		// The last token was a wrong guess; alone in a run, another one takes its cell.
		a.truncate(3);
		await decoder.step([row(a, [20])]);
		await decoder.step([row(b, [11])]);
		const together = [row(b, [12]), row(c, [13]), row(d, [14]), row(a, [15])];
		const last = (await decoder.step(together))[3]?.[0]?.slice();
		const cache = plain.createCache();
		const [alone] = await plain.step([row(cache, [7, 8, 9, 20, 15])]);
		assert.ok(difference(alone?.[0] as Float32Array, last as Float32Array) < 1e-4);
		decoder.close();
		plain.close();
	}
});

test('sequences that outgrow their caches in shared runs go on in the new ones', async () => {
	for (const model of [models.gqa, models.fusable]) {
		const decoder = await openDecoder(model);
		const plain = await openDecoder(model, { prepare: false });
		const texts = [3, 5].map((step) => Array.from({ length: 150 }, (_, k) => (k * step) % 251));
		const caches = texts.map(() => decoder.createCache());
		const single = texts.map(() => plain.createCache());
		// Lengths on both sides of 64 and 128, where caches are replaced.
		for (const [from, to] of [
			[0, 40],
			[40, 63],
			[63, 66],
			[66, 67],
			[67, 127],
			[127, 130],
			[130, 150],
		] as const) {
			const rows = (of: readonly KvCache[]): BatchItem[] =>
				of.map((cache, k) => ({ cache, tokens: texts[k]?.slice(from, to) ?? [], logits: 1 }));
			const together = (await decoder.step(rows(caches))).map((row) => row[0]?.slice());
			for (const [k, row] of rows(single).entries()) {
				const [alone] = await plain.step([row]);
				const worst = difference(alone?.[0] as Float32Array, together[k] as Float32Array);
				assert.ok(worst < 1e-4, `${worst} after ${to}`);
			}
		}
		decoder.close();
		plain.close();
	}
});

test('attention in a form of its own is left as it is, one sequence at a time, and that is said', async () => {
	const notices: string[] = [];
	const decoder = await openDecoder(models.plain, { notices });
	assert.equal(decoder.mode, 'serial');
	assert.match(notices.join(), /^Sequences run one at a time: the attention is spelled out/);
	decoder.close();
});

test('session.run gives what the C API gives', async () => {
	for (const model of [models.gqa, models.plain]) {
		const fast = await openDecoder(model);
		const fallback = await openDecoder(model, { prepare: false, plain: true });
		const worst = await compare(fast, fallback, 8);
		assert.ok(worst < 1e-4, `logits differ by ${worst}`);
		fast.close();
		fallback.close();
	}
});

test('a comparison of different caches is noticed', async () => {
	const decoder = await openDecoder(models.gqa);
	const [a, b] = [decoder.createCache(), decoder.createCache()];
	await decoder.step([{ cache: a, tokens: [1, 2, 3], logits: 0 }]);
	await decoder.step([{ cache: b, tokens: [9, 8, 7], logits: 0 }]);
	const results = await decoder.step([
		{ cache: a, tokens: [5], logits: 1 },
		{ cache: b, tokens: [5], logits: 1 },
	]);
	const [first, second] = results.map((row) => row[0] as Float32Array);
	assert.ok(difference(first as Float32Array, second as Float32Array) > 1e-2);
	decoder.close();
});

test('a cancelled step leaves every cache as it was, and the same step runs again', async () => {
	for (const model of [models.gqa, models.fusable]) {
		const decoder = await openDecoder(model);
		const caches = [decoder.createCache(), decoder.createCache()];
		for (const cache of caches) await decoder.step([{ cache, tokens: [1, 2, 3, 4], logits: 0 }]);
		const rows = caches.map((cache, k) => ({ cache, tokens: [7 + k, 8], logits: 1 }));
		const controller = new AbortController();
		controller.abort();
		await assert.rejects(
			decoder.step(rows, controller.signal),
			(error: unknown) => error instanceof AppError && error.code === 'cancelled',
		);
		assert.deepEqual(
			caches.map(({ length }) => length),
			[4, 4],
		);
		const after = (await decoder.step(rows)).map((row) => (row[0] as Float32Array).slice());
		assert.deepEqual(
			caches.map(({ length }) => length),
			[6, 6],
		);
		const fresh = decoder.createCache();
		const [alone] = await decoder.step([{ cache: fresh, tokens: [1, 2, 3, 4, 7, 8], logits: 1 }]);
		assert.ok(difference(alone?.[0] as Float32Array, after[0] as Float32Array) < 1e-4);
		decoder.close();
	}
});

test('a fork continues like its original', async () => {
	for (const model of [models.gqa, models.plain]) {
		for (const prepare of [true, false]) {
			const decoder = await openDecoder(model, { prepare });
			const cache = decoder.createCache();
			await decoder.step([{ cache, tokens: [1, 2, 3, 4, 5], logits: 0 }]);
			const copy = cache.fork(3);
			cache.truncate(3);
			const [a] = await decoder.step([{ cache, tokens: [6], logits: 1 }]);
			const first = Float32Array.from(a?.[0] ?? []);
			const [b] = await decoder.step([{ cache: copy, tokens: [6], logits: 1 }]);
			assert.ok(difference(first, b?.[0] as Float32Array) < 1e-6);
			decoder.close();
		}
	}
});

test('nothing is written to the folder of a model', async () => {
	const state = () =>
		['', 'onnx', ...readdirSync(join(models.gqa, 'onnx')).map((name) => join('onnx', name))].map(
			(name) => [name, statSync(join(models.gqa, name)).mtimeMs],
		);
	const before = state();
	(await openDecoder(models.gqa)).close();
	assert.deepEqual(state(), before);
	assert.deepEqual(
		before.filter(([name]) => /[\\/]\./.test(String(name))),
		[],
	);
});

test('the attention of the built-in model is fused, so that its sequences are packed', async () => {
	const notices: string[] = [];
	const decoder = await openDecoder(starter, { notices });
	assert.deepEqual(notices, []);
	assert.equal(decoder.mode, 'packed');
	assert.equal(decoder.bitwiseInvariant, true);
	decoder.close();
});

test('attention that scales otherwise stays as published, now and at the next load', async () => {
	const odd = writeDecoderModel(join(folder, 'odd'), { attention: 'plain', queryScale: 2 });
	for (const expected of [
		/fused attention.*: a prompt gives results that differ/,
		/fused attention/,
	]) {
		const notices: string[] = [];
		const decoder = await openDecoder(odd, { notices });
		assert.equal(decoder.mode, 'serial');
		assert.match(notices.join(), expected);
		const plain = await openDecoder(odd, { prepare: false });
		assert.ok((await compare(decoder, plain, 6)) < 1e-4);
		decoder.close();
		plain.close();
	}
});
