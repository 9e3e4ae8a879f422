/** `nearglot batch`: runs a file, goes on after an interruption, shows and ends, and runs parts without a queue. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { requestShutdown } from '../../server/daemon/daemonConnection.ts';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import { timedId } from '../../server/jobs/storedFiles.ts';
import { cancelBatch, showBatch } from '../../server/protocol/routeAddresses.ts';
import { type Home, newHome } from '../support/home.ts';
import { needsSignals } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

const line = (id: number, model = 'starter-chat') =>
	`${JSON.stringify({
		...{ custom_id: `${id}`, method: 'POST', url: '/v1/chat/completions' },
		body: {
			...{ model, max_tokens: 4, temperature: 0 },
			messages: [{ role: 'user', content: `list files of ${id}` }],
		},
	})}\n`;

const idsIn = async (path: string) =>
	(await readFile(path, 'utf8'))
		.trim()
		.split('\n')
		.map((row) => JSON.parse(row).custom_id);

test('a batch is run, shown, and gone on with by the same command; failed lines are rows of errors', async () => {
	const file = join(temporaryFolder('batch'), 'in.jsonl');
	await writeFile(file, `${line(0)}${line(1)}${line(2, 'no-such-model')}`);
	const first = await home.run(['batch', 'run', file]);
	assert.equal(first.code, 1, first.stderr);
	assert.match(first.stderr, /2 done, 1 failed: .*in\n/);
	const out = file.replace('.jsonl', '');
	assert.deepEqual(await idsIn(join(out, 'output.jsonl')), ['0', '1']);
	assert.deepEqual(await idsIn(join(out, 'errors.jsonl')), ['2']);
	const again = await home.run(['batch', 'run', file]);
	assert.equal(again.code, 1);
	const listed = JSON.parse((await home.run(['batch', 'list', '--json'])).stdout);
	assert.equal(listed.length, 1, 'the same batch');
	const shown = await home.run(['batch', 'show', listed[0].id]);
	assert.match(shown.stdout, /completed {2}3 of 3 {2}1 failed/);
	const ended = await home.run(['batch', 'cancel', listed[0].id]);
	assert.equal(ended.code, 1);
	assert.match(ended.stderr, /is completed; it cannot be cancelled any more/);
	const retried = await home.run(['batch', 'retry', listed[0].id, '--json']);
	assert.equal(JSON.parse(retried.stdout).metadata.retry_of, listed[0].id);
});

test('Ctrl+C leaves the batch running', { skip: needsSignals }, async () => {
	const file = join(temporaryFolder('batch'), 'in.jsonl');
	await writeFile(file, Array.from({ length: 100 }, (_, id) => line(id)).join(''));
	const child = home.start(['batch', 'run', file]);
	const note = join(file.replace('.jsonl', ''), 'batch.json');
	await until(
		'the batch is begun',
		async () => existsSync(note) && (await readFile(note, 'utf8')).includes('"id"'),
	);
	let said = '';
	child.stderr?.on('data', (part) => {
		said += part;
	});
	child.kill('SIGINT');
	await once(child, 'close');
	assert.match(said, /goes on\. The same command shows it again/);
	const after = await home.run(['batch', 'run', file]);
	assert.match(after.stderr, /100 done, 0 failed/);
	assert.equal(new Set(await idsIn(join(file.replace('.jsonl', ''), 'output.jsonl'))).size, 100);
});

test('what a cancelled batch did not come to is retried, and the same command writes each row once', async () => {
	const file = join(temporaryFolder('batch'), 'in.jsonl');
	const out = file.replace('.jsonl', '');
	const lines = Array.from({ length: 500 }, (_, id) => line(id));
	await writeFile(file, ['\n', line(5000, 'no-such-model'), ...lines].join(''));
	const running = home.run(['batch', 'run', file]);
	const note = join(out, 'batch.json');
	await until(
		'the batch is begun',
		async () => existsSync(note) && (await readFile(note, 'utf8')).includes('"id"'),
	);
	const { id } = JSON.parse(await readFile(note, 'utf8'));
	const daemon = await findDaemon(home.env);
	assert.ok(daemon);
	await until('some of it is done', async () => {
		const { request_counts: counts } = await daemon.call(showBatch, { params: { id } });
		return counts.completed > 0;
	});
	// A command takes longer to start than many a part takes.
	await daemon.call(cancelBatch, { params: { id } });
	const first = await running;
	assert.equal(first.code, 1);
	assert.match(first.stderr, new RegExp(`nearglot batch retry ${id} runs what`));
	assert.ok((await idsIn(join(out, 'output.jsonl'))).length < 500);
	const retried = await home.run(['batch', 'retry', id, '--json']);
	const retry = JSON.parse(retried.stdout).id;
	const again = await home.run(['batch', 'run', file]);
	assert.match(again.stderr, /500 done, 1 failed/);
	const rows = async (folder: string) =>
		(await readFile(join(folder, 'output.jsonl'), 'utf8'))
			.trim()
			.split('\n')
			.map((row) => JSON.parse(row))
			.map(({ custom_id: own, line: number }) => `${own} ${number}`)
			.sort();
	const expected = lines.map((_, own) => `${own} ${own + 3}`).sort();
	assert.deepEqual(await rows(out), expected);
	assert.deepEqual(await idsIn(join(out, 'errors.jsonl')), ['5000']);
	const elsewhere = join(out, 'elsewhere');
	const fetched = await home.run(['batch', 'fetch', retry, '--out', elsewhere]);
	assert.equal(fetched.code, 1, fetched.stderr);
	assert.deepEqual(await rows(elsewhere), expected);
});

test('a server that ends while somebody watches is followed by one that goes on', async () => {
	const file = join(temporaryFolder('batch'), 'in.jsonl');
	await writeFile(file, Array.from({ length: 200 }, (_, id) => line(id)).join(''));
	const out = file.replace('.jsonl', '');
	const done = home.run(['batch', 'run', file]);
	const note = join(out, 'batch.json');
	await until(
		'the batch is begun',
		async () => existsSync(note) && (await readFile(note, 'utf8')).includes('"id"'),
	);
	const { id } = JSON.parse(await readFile(note, 'utf8'));
	const running = await findDaemon(home.env);
	assert.ok(running);
	const { status } = await running.call(showBatch, { params: { id } });
	assert.ok(['validating', 'in_progress'].includes(status), status);
	await requestShutdown(running.endpoint, false);
	const { code, stderr } = await done;
	assert.match(stderr, /200 done, 0 failed/);
	assert.equal(code, 0);
	assert.equal(new Set(await idsIn(join(out, 'output.jsonl'))).size, 200);
	const after = await findDaemon(home.env);
	assert.notEqual(after?.endpoint.pid, running.endpoint.pid);
});

test('a window that is none is refused before anything is noted', async () => {
	const file = join(temporaryFolder('batch'), 'in.jsonl');
	await writeFile(file, line(0));
	const refused = await home.run(['batch', 'run', file, '--window', '3w']);
	assert.deepEqual([refused.code, /--window takes a time/.test(refused.stderr)], [2, true]);
	const right = await home.run(['batch', 'run', file, '--window', '3d']);
	assert.equal(right.code, 0, right.stderr);
});

test('a command that ended before it heard of its batch asks for the same one', async () => {
	const file = join(temporaryFolder('batch'), 'in.jsonl');
	await writeFile(file, line(0));
	const run = (...more: string[]) => home.run(['batch', 'run', file, ...more]);
	const list = async (): Promise<{ readonly id: string; readonly input_file_id: string }[]> =>
		JSON.parse((await home.run(['batch', 'list', '--json'])).stdout);
	const first = await run('--window', '2h');
	assert.equal(first.code, 0, first.stderr);
	const note = join(file.replace('.jsonl', ''), 'batch.json');
	const { sha256, endpoint, window } = JSON.parse(await readFile(note, 'utf8'));
	assert.equal(window, '2h');
	// As it is before the answer comes.
	const [batch] = await list();
	const pending = { sha256, endpoint, window, key: 'one key', file: batch?.input_file_id };
	await writeFile(note, JSON.stringify(pending));
	assert.equal((await run()).code, 0);
	const made = await list();
	assert.notEqual(made[0]?.id, batch?.id, 'nobody had asked with this key');
	await writeFile(note, JSON.stringify(pending));
	assert.equal((await run('--window', '2h')).code, 0);
	assert.deepEqual(await list(), made);
	for (const other of [
		['--window', '3h'],
		['--window', '2h', '--shard', '0/1'],
	]) {
		const refused = await run(...other);
		assert.equal(refused.code, 2, refused.stderr);
		assert.match(refused.stderr, /--window/);
	}
});

test('a batch that the server does not know is run anew only when it can be kept no longer', async () => {
	const file = join(temporaryFolder('batch'), 'in.jsonl');
	await writeFile(file, line(0));
	const first = await home.run(['batch', 'run', file]);
	assert.equal(first.code, 0, first.stderr);
	const note = join(file.replace('.jsonl', ''), 'batch.json');
	const known = JSON.parse(await readFile(note, 'utf8'));
	const noteFrom = async (at: number) => {
		await writeFile(note, JSON.stringify({ ...known, id: timedId('batch_', at) }));
		return home.run(['batch', 'run', file]);
	};
	const refused = await noteFrom(Date.now());
	assert.equal(refused.code, 1);
	assert.match(refused.stderr, /does not know the batch batch_.*remove .*batch\.json/);
	const anew = await noteFrom(Date.now() - 31 * 86_400_000);
	assert.equal(anew.code, 0, anew.stderr);
	assert.notEqual(JSON.parse(await readFile(note, 'utf8')).id, known.id);
});

test('rows of an earlier file do not stay beside those of the next', async () => {
	const folder = temporaryFolder('batch');
	const file = join(folder, 'in.jsonl');
	const out = join(folder, 'in');
	await writeFile(file, `${line(0)}${line(1, 'no-such-model')}`);
	const run = () => home.run(['batch', 'run', file, '--shard', '0/1']);
	assert.match((await run()).stderr, /1 done, 1 failed/);
	await writeFile(file, `${line(0)}${line(1)}`);
	assert.match((await run()).stderr, /2 done, 0 failed/);
	assert.equal(existsSync(join(out, 'errors.jsonl')), false);
	assert.deepEqual(await idsIn(join(out, 'output.jsonl')), ['0', '1']);
});

test('parts of a file are run without a queue, and whoever ends last writes the rows', async () => {
	const file = join(temporaryFolder('batch'), 'in.jsonl');
	await writeFile(file, Array.from({ length: 120 }, (_, id) => line(id)).join(''));
	const part = (shard: string) => home.run(['batch', 'run', file, '--shard', shard]);
	const first = await part('1/3');
	assert.match(first.stderr, /Part 1 of 3 is done; 1 of 3 shards of all are/);
	const both = await Promise.all([part('0/3'), part('2/3')]);
	assert.ok(
		both.some(({ stderr }) => /120 done, 0 failed/.test(stderr)),
		both.map(({ stderr }) => stderr).join(),
	);
	const ids = await idsIn(join(file.replace('.jsonl', ''), 'output.jsonl'));
	assert.deepEqual(
		ids,
		Array.from({ length: 120 }, (_, id) => `${id}`),
	);
	assert.equal((await part('3/3')).code, 2);
});

test('recordings of a part that are not there, or lie elsewhere, are rows that say so', async () => {
	const folder = temporaryFolder('batch');
	const file = join(folder, 'in.jsonl');
	const rows = ['nothing.wav', '../elsewhere.wav', undefined].map((path, id) =>
		JSON.stringify({
			...{ custom_id: `${id}`, method: 'POST', url: '/v1/audio/transcriptions' },
			body: { model: 'starter-speech', file: path },
		}),
	);
	await writeFile(file, rows.join('\n'));
	await home.run(['batch', 'run', file, '--shard', '0/1']);
	const errors = (await readFile(join(folder, 'in', 'errors.jsonl'), 'utf8')).trim().split('\n');
	assert.deepEqual(
		errors.map((row) => {
			const { status_code: status, body } = JSON.parse(row).response;
			return `${status} ${body.error.message.replace(folder, 'FOLDER')}`;
		}),
		[
			'404 nothing.wav cannot be read: there is no such file.',
			"400 'file' must be a path below FOLDER, the folder of the batch's file.",
			"400 'file' must be a path below FOLDER, the folder of the batch's file.",
		],
	);
});
