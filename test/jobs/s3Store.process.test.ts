/** Batches in S3: objects, ranges and lists, of two that are made at once one, faults that pass, a service that cannot do it. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ObjectStore, readObject } from '../../server/jobs/objectStore.ts';
import { s3PlaceOf } from '../../server/jobs/s3Place.ts';
import { openS3Store } from '../../server/jobs/s3Store.ts';
import { type S3Bucket, s3Credentials, startS3Bucket } from './s3Bucket.ts';

let bucket: S3Bucket;
let store: ObjectStore;
before(async () => {
	Object.assign(process.env, s3Credentials);
	bucket = await startS3Bucket();
	store = await openS3Store(s3PlaceOf(bucket.url));
});
after(async () => {
	await store[Symbol.asyncDispose]();
	await bucket[Symbol.asyncDispose]();
});

const listed = async (prefix: string): Promise<string[]> => {
	const found: string[] = [];
	for await (const key of store.list(prefix)) found.push(key);
	return found;
};

async function* chunks(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('objects are put, read in part, listed in their order and removed', async () => {
	await store.put('a/two', Buffer.from('second'));
	await store.put('a/one', Buffer.from('first'));
	await store.put('b/other', Buffer.from(''));
	assert.deepEqual(await listed('a/'), ['a/one', 'a/two']);
	assert.equal((await readObject(store, 'a/two')).toString(), 'second');
	assert.equal((await readObject(store, 'a/two', 2, 4)).toString(), 'co');
	assert.equal((await readObject(store, 'a/two', 4)).toString(), 'nd');
	assert.equal((await readObject(store, 'b/other')).length, 0);
	assert.equal(await store.size('a/one'), 5);
	await store.remove('a/one');
	await store.remove('a/one');
	assert.equal(await store.size('a/one'), undefined);
	await assert.rejects(readObject(store, 'a/one'), { code: 'not_found' });
	await assert.rejects(store.put('../escape', Buffer.from('x')), { code: 'not_found' });
});

test('what is longer than a part comes in parts, and is what it was', async () => {
	const bytes = randomBytes(19_000_000);
	await store.put('large/one', chunks(bytes, 700_001));
	assert.equal(await store.size('large/one'), bytes.length);
	assert.ok((await readObject(store, 'large/one')).equals(bytes));
});

test('of several that are made at once exactly one comes to be', async () => {
	const made = await Promise.all(
		Array.from({ length: 6 }, (_, at) => store.putIfAbsent('once/key', Buffer.from(`${at}`))),
	);
	assert.equal(made.filter((isFirst) => isFirst).length, 1);
	const kept = (await readObject(store, 'once/key')).toString();
	assert.equal(kept, `${made.indexOf(true)}`);
});

test('a fault that passes is not seen, one that stays is said in words', async () => {
	bucket.fail(1, 503);
	await store.put('fault/a', Buffer.from('x'));
	bucket.fail(20, 500);
	await assert.rejects(store.put('fault/b', Buffer.from('x')), {
		code: 'store_unavailable',
		message: /The bucket 'batches' cannot be written: its service answers 500\. Batches go on/,
	});
	bucket.fail(0, 500);
	await store.put('fault/b', Buffer.from('x'));
});

test('a service that says nothing, and an answer that stops in its middle, are not waited for without an end', async () => {
	await using hasty = await openS3Store(s3PlaceOf(bucket.url), 300);
	await hasty.put('silent/a', Buffer.alloc(100_000));
	const list = async (): Promise<void> => {
		for await (const _ of hasty.list('silent/'));
	};
	const asked = {
		answer: [
			() => hasty.size('silent/a'),
			() => hasty.put('silent/b', Buffer.alloc(3_000_000)),
			() => hasty.remove('silent/a'),
		],
		content: [],
	};
	for (const where of ['answer', 'content'] as const) {
		bucket.hang(where);
		for (const ask of [...asked[where], () => readObject(hasty, 'silent/a'), list])
			await assert.rejects(
				ask(),
				{ code: 'store_unavailable', message: /its service does not answer\. Batches go on/ },
				`${where} ${ask}`,
			);
	}
	bucket.hang(undefined);
	assert.equal((await readObject(hasty, 'silent/a')).length, 100_000);
});

test('content that is taken slowly is not given up', async () => {
	await using hasty = await openS3Store(s3PlaceOf(bucket.url), 300);
	await store.put('slow/a', Buffer.alloc(4_000_000));
	let bytes = 0;
	for await (const part of hasty.read('slow/a')) {
		if (bytes === 0) await sleep(1000);
		bytes += part.byteLength;
	}
	assert.equal(bytes, 4_000_000);
});

test('a service without conditional writes, and what is no place in S3, are refused', async () => {
	await assert.rejects(openS3Store(s3PlaceOf(bucket.plainUrl)), /conditional writes/);
	for (const url of ['s3://', 's3://B', 's3://bucket?region=x', 's3://bucket?endpoint=file:///x'])
		assert.throws(() => s3PlaceOf(url), /is no place in S3/, url);
	assert.equal(s3PlaceOf('s3://bucket/a/b/').prefix, 'a/b/');
});
