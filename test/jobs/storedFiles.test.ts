/** Uploads keep to what one person may keep and to the room on the disk; what could not be kept whole is gone. */

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { openFolderStore } from '../../server/jobs/folderStore.ts';
import { type FileRoom, personFolder, StoredFiles } from '../../server/jobs/storedFiles.ts';
import { AppError } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const mib = 1_048_576;
const file = { filename: 'a', purpose: 'user_data' };

async function opened(room: FileRoom) {
	const store = await openFolderStore(temporaryFolder('files'), Date.now);
	const files = new StoredFiles(store, Date.now, room);
	const upload = (person: string, bytes: number) =>
		files.upload(person, Readable.from([Buffer.alloc(bytes)]), bytes, file);
	const contents = async () => {
		let count = 0;
		for await (const _ of store.list('files/')) count++;
		return count;
	};
	return { store, files, upload, contents };
}

test('one person keeps so many bytes and files, others are not concerned, deleting makes room', async () => {
	const { files, upload, contents } = await opened({ personBytes: 100, personFiles: 3 });
	const first = await upload('a', 60);
	await assert.rejects(upload('a', 41), { code: 'payload_too_large', message: /0 MB in files/ });
	await upload('b', 100);
	await files.add('a', Readable.from([Buffer.alloc(30)]), { ...file, purpose: 'batch_output' });
	await assert.rejects(upload('a', 11), { code: 'payload_too_large' }, 'results count');
	await assert.rejects(files.checkRoom('a', 11), { code: 'payload_too_large' });
	assert.equal(await contents(), 3, 'nothing of what was refused');
	await files.delete('a', first.id);
	const both = await Promise.allSettled([upload('a', 40), upload('a', 40)]);
	assert.equal(
		both.filter(({ status }) => status === 'rejected').length > 0,
		true,
		'at once as well',
	);
	for (let kept = (await contents()) - 1; kept < 3; kept++) await upload('a', 1);
	await assert.rejects(upload('a', 1), { code: 'payload_too_large', message: /3 files/ });
});

test('an upload that would fill the disk is refused before a byte is written', async () => {
	let free = 300 * mib;
	const room = { personBytes: 1e12, personFiles: 1e6, freeBytes: async () => free };
	const { files, upload, contents } = await opened(room);
	await upload('a', 1000);
	await assert.rejects(files.checkRoom('a', 45 * mib), {
		code: 'disk_full',
		message: /300 MB left/,
	});
	free = 200 * mib;
	await assert.rejects(upload('a', 1000), { code: 'disk_full' });
	assert.equal(await contents(), 1);
});

test('content without its record is removed again', async () => {
	const { store, contents } = await opened({ personBytes: 1000, personFiles: 10 });
	const failing = new Proxy(store, {
		get: (target, name) =>
			name === 'put'
				? async (key: string, content: Uint8Array) => {
						if (key.startsWith('files-of/')) throw new Error('the disk is full');
						await target.put(key, content);
					}
				: Reflect.get(target, name).bind(target),
	});
	const files = new StoredFiles(failing, Date.now);
	await assert.rejects(files.add('a', Readable.from([Buffer.alloc(9)]), file), /disk is full/);
	assert.equal(await contents(), 0);
});

test('a flood of small files has what is kept counted now and then, not for each of them', async () => {
	const { store } = await opened({ personBytes: 1e9, personFiles: 50 });
	let lists = 0;
	const counted = {
		...{
			put: store.put.bind(store),
			read: store.read.bind(store),
			remove: store.remove.bind(store),
		},
		list: (prefix: string) => {
			lists++;
			return store.list(prefix);
		},
	} as unknown as typeof store;
	let now = 1_000_000;
	const room = { personBytes: 1e9, personFiles: 50 };
	const files = new StoredFiles(counted, () => now, room);
	const upload = (at = files) => at.upload('a', Readable.from([Buffer.alloc(9)]), 9, file);
	await Promise.all(Array.from({ length: 8 }, () => upload()));
	for (let sent = 8; sent < 50; sent++) await upload();
	for (let turn = 0; turn < 20; turn++)
		await assert.rejects(upload(), { code: 'payload_too_large', message: /50 files/ });
	assert.equal(lists, 1);
	// Another server of the same store has made room.
	const other = new StoredFiles(store, () => now, room);
	const [first] = (await other.list('a', { limit: 1, order: 'asc' })).items;
	await other.delete('a', first?.id ?? '');
	now += 1500;
	await upload();
	assert.equal(lists, 2);
	await other.add('a', Readable.from([Buffer.alloc(9)]), file);
	now += 10_000;
	await assert.rejects(upload(), { code: 'payload_too_large' });
	assert.equal(lists, 3);
});

test('a file that cannot be read is not left out of a list without a word', async () => {
	const { store, upload, files: own } = await opened({ personBytes: 1000, personFiles: 10 });
	const { id } = await upload('a', 9);
	let isAway = true;
	const away = new Proxy(store, {
		get: (target, name) =>
			name === 'read' && isAway
				? () => {
						throw new AppError('store_unavailable', 'The store is away.');
					}
				: Reflect.get(target, name).bind(target),
	});
	const files = new StoredFiles(away, Date.now);
	const range = { limit: 10, order: 'asc' } as const;
	await assert.rejects(files.list('a', range), { code: 'store_unavailable' });
	await assert.rejects(files.discard('a', id), { code: 'store_unavailable' });
	isAway = false;
	assert.equal((await files.list('a', range)).items.length, 1);
	await store.put(
		`files-of/${personFolder('a')}/file-${'0'.repeat(25)}`,
		Buffer.from('{"expiresAt":0}'),
	);
	assert.equal((await own.list('a', range)).items.length, 1, 'what is over is left out');
});
