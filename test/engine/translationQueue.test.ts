/** Which texts are translated next: turns of calls, company of like length, and short calls beside long ones. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestQueue } from '../../server/engine/queue/requestQueue.ts';
import type { EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { LikeLengths } from '../../server/engine/seq2seq/likeLengths.ts';
import {
	TranslationCall,
	TranslationQueue,
	type WaitingText,
} from '../../server/engine/seq2seq/translationQueue.ts';

type Priority = 'interactive' | 'batch';

/** A queue whose batches are written as `call:length` of their texts. */
function setUp(batchInvariant = true) {
	const calls = new RequestQueue<TranslationCall>({
		maxWaiting: Number.POSITIVE_INFINITY,
		maxWaitingWork: 10_000,
		unit: 'characters',
	});
	const model = { batchInvariant } as EncoderDecoder;
	const queue = new TranslationQueue(calls, { model, contextLength: 512 });
	const names = new Map<TranslationCall, string>();
	const call = (
		name: string,
		priority: Priority,
		lengths: readonly number[],
		{ owner, beams = 1, target = 'de' }: { owner?: string; beams?: number; target?: string } = {},
	): TranslationCall => {
		const made = new TranslationCall({ priority, owner });
		names.set(made, name);
		const texts = lengths.map(
			(length, index) =>
				({
					call: made,
					priority,
					item: { text: `${index} `.padEnd(length, 'x'), owner, targetLanguage: target },
					encoded: { source: new Array<number>(length).fill(1), start: [2, 3], offsets: [] },
					search: { beams },
					wantsAttention: false,
					ownTokens: undefined,
				}) as unknown as WaitingText,
		);
		queue.add(made, texts);
		return made;
	};
	const written = (batch: readonly WaitingText[]): string =>
		batch.map((text) => `${names.get(text.call)}:${text.encoded.source.length}`).join(' ');
	return { queue, calls, call, written };
}

test('company of like length comes first, and takes what it passes only', () => {
	const lengths = [5, 9, 6, 30, 5, 1];
	const all = new LikeLengths<{ length: number }>(({ length }) => length);
	const items = lengths.map((length) => ({ length }));
	for (const item of items) all.add(item);
	const near = (index: number) =>
		[...all.near(items[index] as { length: number })].map(({ length }) => length);
	assert.deepEqual(near(0), [5, 6, 1, 9, 30]);
	assert.deepEqual(near(3), [9, 6, 5, 5, 1]);
	all.delete(items[0] as { length: number });
	all.delete(items[0] as { length: number });
	assert.equal(all.size, 5);
	assert.deepEqual(near(4), [6, 1, 9, 30]);
});

test('texts of other calls ride along; other settings and priorities do not', () => {
	const { queue, call, written, calls } = setUp();
	call('a', 'batch', [10, 40]);
	call('b', 'batch', [11, 12]);
	call('wide', 'batch', [10], { beams: 4 });
	call('person', 'interactive', [10]);
	const first = queue.next();
	assert.equal(written(first), 'person:10');
	const second = queue.next();
	assert.equal(written(second), 'a:10 b:11 b:12 a:40');
	assert.deepEqual(queue.next(), [], 'one batch of files at a time');
	assert.equal(queue.running, 3);
	queue.end(second);
	assert.equal(written(queue.next()), 'wide:10');
	assert.equal(calls.size, 0);
	assert.equal(calls.totals.admitted, 4);
});

test('a short call begins beside long ones of the same person; a long one does not begin twice', () => {
	const { queue, call, written } = setUp();
	call('long', 'interactive', new Array<number>(150).fill(60), { owner: 'me' });
	call('also', 'interactive', new Array<number>(150).fill(400), { owner: 'me' });
	const first = queue.next();
	assert.ok(first.length === 64 && written(first).startsWith('long:60 long:60'));
	assert.ok(written(queue.next()).startsWith('also:400'));
	assert.deepEqual(queue.next(), []);
	call('short', 'interactive', [8], { owner: 'me' });
	assert.equal(written(queue.next()), 'short:8', 'without the others, who would keep it waiting');
	const page = new Array<number>(64).fill(60);
	for (const name of ['third', 'late']) call(name, 'interactive', page, { owner: name });
	assert.ok(written(queue.next()).startsWith('third:60'));
	assert.deepEqual(queue.next(), [], 'not more than three long ones at a time');
	queue.end(first);
	// Calls have their turns: the long one's next comes after those who have had none.
	assert.ok(written(queue.next()).startsWith('late:60'));
});

test('short calls begin beside as many pages as there may be, in company of short ones only', () => {
	const { queue, call, written } = setUp();
	const page = new Array<number>(36).fill(60);
	for (const name of ['a', 'b', 'c', 'd']) {
		call(name, 'interactive', page);
		assert.equal(queue.next().length, name === 'd' ? 0 : 36);
	}
	call('short', 'interactive', [60, 60]);
	call('other', 'interactive', [61]);
	// Others of its kind share its steps, the page that waits would make them long.
	assert.equal(written(queue.next()), 'short:60 short:60 other:61');
	const more = Array.from({ length: 4 }, (_, turn) => {
		call(`${turn}`, 'interactive', [9]);
		return queue.next();
	});
	assert.deepEqual(
		more.map((batch) => batch.length),
		[1, 1, 1, 0],
		'they are bounded as well',
	);
	queue.end(more[0] ?? []);
	assert.equal(written(queue.next()), '3:9', 'and pass the page that waits');
});

test('people have equal shares of files, however many files each has', () => {
	const { queue, call, written } = setUp();
	for (const name of ['a1', 'a2', 'a3'])
		call(name, 'batch', new Array<number>(9).fill(500), { owner: 'a' });
	call('b1', 'batch', new Array<number>(9).fill(20), { owner: 'b' });
	const turns: string[] = [];
	for (let batch = queue.next(); batch.length > 0; batch = queue.next()) {
		turns.push(written(batch).slice(0, 2));
		queue.end(batch);
	}
	assert.ok(turns.indexOf('b1') <= 1, turns.join());
});

test('beside 200 requests of one person the others wait no more batches than there are people', () => {
	const { queue, call, written } = setUp();
	for (let count = 0; count < 200; count++)
		call(`a${count}`, 'interactive', new Array<number>(40).fill(60), { owner: 'a' });
	const under = Array.from({ length: 5 }, () => queue.next());
	const others = ['b', 'c', 'd'];
	// Other texts than the flood's: none rides along in its batches.
	for (const [index, owner] of others.entries())
		call(owner, 'interactive', [100 + 60 * index], { owner, beams: 2 + index });
	const waited = new Map<string, number>();
	for (let batches = 1; waited.size < others.length && batches < 100; batches++) {
		const done = under.shift();
		if (done) queue.end(done);
		const batch = queue.next();
		under.push(batch);
		for (const owner of others)
			if (!waited.has(owner) && written(batch).startsWith(`${owner}:`)) waited.set(owner, batches);
	}
	for (const owner of others)
		assert.ok((waited.get(owner) ?? 100) <= others.length + 1, JSON.stringify([...waited]));
});

test('who leaves takes the texts along, and nothing is left behind', () => {
	const { queue, call, calls, written } = setUp();
	const gone = call('gone', 'batch', [5, 6, 7]);
	call('stays', 'batch', [6]);
	queue.remove(gone);
	queue.remove(gone);
	const batch = queue.next();
	assert.equal(written(batch), 'stays:6');
	call('more', 'batch', [3, 4]);
	assert.equal(queue.clear().length, 2);
	queue.end(batch);
	queue.end(batch);
	assert.deepEqual([calls.size, calls.work, queue.running], [0, 0, 0]);
	assert.deepEqual(queue.next(), []);
});

test('where texts are computed alone, the targets of one source come one after the other', () => {
	const { queue, call, written } = setUp(false);
	call('de', 'batch', [10, 11]);
	call('fr', 'batch', [10, 11]);
	const order: string[] = [];
	for (let batch = queue.next(); batch.length > 0; batch = queue.next()) {
		order.push(written(batch));
		queue.end(batch);
		if (order.length === 1) call('person', 'interactive', [10]);
	}
	assert.deepEqual(order, ['de:10', 'person:10', 'fr:10', 'de:11', 'fr:11']);
});
