/** A server whose data folder lies on a disk that is really full: it says so, keeps nothing by halves, and goes on later. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import OpenAI, { type APIError, toFile } from 'openai';
import { firstLine, type Home, newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const mib = 1_048_576;
/** More than the server leaves free, so that it fills up only when the test fills it. */
const diskMib = 300;
const place = join(temporaryFolder('full disk'), 'disk');
mkdirSync(place);
const mounted = mountDisk();
const skip = {
	skip: !mounted && 'a disk of its own needs the right to mount one (root on Linux)',
	timeout: 300_000,
};

function mountDisk(): boolean {
	if (process.platform !== 'linux') return false;
	const options = ['-t', 'tmpfs', '-o', `size=${diskMib}m,mode=700`, 'nearglot-test', place];
	return spawnSync('mount', options).status === 0;
}

let home: Home;
let url: string;
let openai: OpenAI;
before(async () => {
	if (!mounted) return;
	home = await newHome({}, undefined, place);
	const server = home.start(['serve', '--port', '0', '--json']);
	const endpoint = (await firstLine(server)) as { url: string; key: string };
	url = endpoint.url;
	openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: endpoint.key, maxRetries: 0 });
});
after(async () => {
	await home?.close();
	if (mounted) spawnSync('umount', ['-l', place]);
});

const filler = join(place, 'filler');

/** Writes until not one byte more has room. */
function fill(): void {
	const file = openSync(filler, 'a');
	try {
		for (const size of [mib, 4096, 1])
			try {
				for (;;) writeSync(file, Buffer.alloc(size, 1));
			} catch (error) {
				assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
			}
	} finally {
		closeSync(file);
	}
}

/** Paths and sizes below the data folder, but for logs, databases and what the server notes of its models by the way. */
const files = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter(
			(entry) =>
				entry.isFile() &&
				!/\.log$|-wal$|-shm$|\.db$|^(?:load-times|verdicts)\.json$/.test(entry.name),
		)
		.map((entry) => join(entry.parentPath, entry.name))
		.map((path) => `${path} ${statSync(path).size}`)
		.sort();

const line = (id: string) =>
	JSON.stringify({
		...{ custom_id: id, method: 'POST', url: '/v1/chat/completions' },
		body: {
			model: 'starter-chat',
			...{ max_tokens: 2, messages: [{ role: 'user', content: 'list all files' }] },
		},
	});
const upload = async (content: string | Uint8Array, name = 'a.jsonl') =>
	openai.files.create({ file: await toFile(Buffer.from(content), name), purpose: 'batch' });
const batchOf = (file: string) =>
	openai.batches.create({
		...{ input_file_id: file, completion_window: '24h' },
		endpoint: '/v1/chat/completions',
	});

/** Refused with 507 and what it means, in a sentence. */
async function full(work: Promise<unknown>, what: string): Promise<void> {
	const error = await work.then(
		() => assert.fail(`${what} was not refused`),
		(error: unknown) => error as APIError,
	);
	assert.deepEqual([error.status, error.code], [507, 'disk_full'], `${what}: ${error.message}`);
	assert.match(error.message, /disk|space/, what);
	assert.doesNotMatch(error.message, /ENOSPC/, what);
}

test(
	'a full disk is a 507 that leaves nothing behind; what is there can be read, and all goes on once there is room',
	skip,
	async () => {
		const kept = await upload(line('first'));
		const done = await batchOf(kept.id);
		await until(
			'the first batch has ended',
			async () => (await openai.batches.retrieve(done.id)).status === 'completed',
		);
		const before = files(home.folder);
		await full(upload(new Uint8Array(60 * mib)), 'a file that would fill the disk');
		assert.deepEqual(files(home.folder), before);

		fill();
		await full(upload(line('second')), 'a small file');
		await full(batchOf(kept.id), 'a batch');
		await full(openai.conversations.create(), 'a conversation');
		await full(
			openai.responses.create({ model: 'starter-chat', input: 'Hi', store: true }),
			'a response that is to be kept',
		);
		const voice = openai.audio.transcriptions.create({
			file: await toFile(Buffer.alloc(2 * mib), 'a.wav'),
			model: 'starter-speech',
		});
		await full(voice, 'a recording');
		assert.deepEqual(files(home.folder), before);

		const chat = { model: 'starter-chat', messages: [{ role: 'user' as const, content: 'Hi' }] };
		assert.equal(
			(await openai.chat.completions.create({ ...chat, max_tokens: 2 })).choices.length,
			1,
		);
		const unasked = await openai.responses
			.create({ model: 'starter-chat', input: 'Hi', max_output_tokens: 2 })
			.withResponse();
		assert.equal(unasked.response.headers.get('x-not-stored'), 'disk_full');
		assert.equal(await (await openai.files.content(kept.id)).text(), line('first'));
		assert.deepEqual(
			(await openai.files.list()).data.filter(({ purpose }) => purpose === 'batch').length,
			1,
		);
		assert.equal((await openai.batches.list()).data.length, 1);

		rmSync(filler);
		const later = await batchOf((await upload(line('second'))).id);
		await until(
			'the batch after the shortage has ended',
			async () => (await openai.batches.retrieve(later.id)).status === 'completed',
		);
		const { output_file_id: output } = await openai.batches.retrieve(later.id);
		assert.match(await (await openai.files.content(output ?? '')).text(), /"custom_id":"second"/);
		assert.match((await openai.conversations.create()).id, /^conv_/);
	},
);

test(
	'a batch on a disk that fills up while it runs waits, and has every answer once there is room',
	skip,
	async () => {
		const ids = Array.from({ length: 600 }, (_, at) => `item-${at}`);
		const { id } = await batchOf((await upload(ids.map(line).join('\n'))).id);
		fill();
		const counts = async () => (await openai.batches.retrieve(id)).request_counts?.completed ?? 0;
		// It works on as far as what is on the disk already allows.
		let [last, same] = [-1, 0];
		await until('it rests', async () => {
			const now = await counts();
			same = now === last ? same + 1 : 0;
			last = now;
			return same >= 15;
		});
		const stopped = await openai.batches.retrieve(id);
		assert.ok((await counts()) < ids.length, 'there is work left');
		assert.match(stopped.status, /^(?:validating|in_progress)$/);
		rmSync(filler);
		await until('the batch has ended', async () =>
			['completed', 'failed', 'expired'].includes((await openai.batches.retrieve(id)).status),
		);
		const { status, output_file_id: output } = await openai.batches.retrieve(id);
		assert.equal(status, 'completed');
		const rows = (await (await openai.files.content(output ?? '')).text()).trim().split('\n');
		const answered = rows.map((row) => (JSON.parse(row) as { custom_id: string }).custom_id);
		assert.deepEqual(answered.sort(), ids.sort());
	},
);
