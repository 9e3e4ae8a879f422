/** `nearglot embed`: vectors of a file's texts, as the server makes them, and nothing lost by an interruption. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findOrStartDaemon } from '../../server/daemon/findDaemon.ts';
import { embeddings } from '../../server/protocol/routeAddresses.ts';
import { type Home, newHome } from '../support/home.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { needsSignals } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const { path: model, skip } = sharedFolder('models-tiny/bert-tjs');
const options = skip === false ? {} : { skip };
let home: Home;
before(async () => {
	const models = temporaryFolder('models');
	if (skip === false) cpSync(model, join(models, 'bert-tjs'), { recursive: true });
	home = await newHome({ NEARGLOT_MODELS: models });
});
after(() => home.close());

interface Row {
	readonly id: string | number;
	readonly embedding: number[] | string;
}

const rowsIn = async (path: string): Promise<Row[]> =>
	(await readFile(path, 'utf8'))
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line));

async function batches(): Promise<unknown[]> {
	return JSON.parse((await home.run(['batch', 'list', '--json'])).stdout);
}

test(
	'texts of lines and rows become vectors in their order, the same as over HTTP',
	options,
	async () => {
		const folder = temporaryFolder('embed');
		const texts = Array.from({ length: 40 }, (_, at) => `text number ${at} of a corpus`);
		const lines = join(folder, 'corpus.txt');
		await writeFile(
			lines,
			`\uFEFF${texts.slice(0, 20).join('\r\n')}\r\n\r\n${texts.slice(20).join('\n')}`,
		);
		const out = join(folder, 'vectors.jsonl');
		const done = await home.run(['embed', lines, '--out', out]);
		assert.equal(done.code, 0, done.stderr);
		assert.match(done.stderr, /(?:^|\n)40 of 40 texts embedded: .*vectors\.jsonl\n$/);
		const rows = await rowsIn(out);
		assert.deepEqual(
			rows.map(({ id }) => id),
			Array.from({ length: 41 }, (_, at) => at + 1).filter((line) => line !== 21),
		);

		const daemon = await findOrStartDaemon({ env: home.env }, AbortSignal.timeout(60_000));
		const { data } = await daemon.call(embeddings, { body: { model: 'bert-tjs', input: texts } });
		for (const [at, row] of rows.entries()) {
			const other = data[at]?.embedding ?? [];
			assert.ok(Array.isArray(row.embedding) && row.embedding.length === other.length);
			for (const [place, value] of row.embedding.entries())
				assert.ok(Math.abs(value - Number(other[place])) < 1e-4);
		}

		const jsonl = join(folder, 'corpus.jsonl');
		const some = [{ id: 'a', body: texts[0] }, { body: texts[1] }, texts[2]];
		await writeFile(jsonl, some.map((row) => JSON.stringify(row)).join('\n'));
		const second = join(folder, 'second.jsonl');
		const again = await home.run(['embed', jsonl, '--field', 'body', '--base64', '--out', second]);
		assert.equal(again.code, 0, again.stderr);
		const found = await rowsIn(second);
		assert.deepEqual(
			found.map(({ id }) => id),
			['a', 2, 3],
		);
		const bytes = Buffer.from(String(found[1]?.embedding), 'base64');
		const first = rows[1]?.embedding[0];
		assert.ok(Math.abs(bytes.readFloatLE(0) - Number(first)) < 1e-4);
		assert.deepEqual(await readdir(folder), [
			'corpus.jsonl',
			'corpus.txt',
			'second.jsonl',
			'vectors.jsonl',
		]);
	},
);

test('of a text that is too long the end is left out, and that is said', options, async () => {
	const folder = temporaryFolder('embed');
	const file = join(folder, 'long.txt');
	await writeFile(file, `short\n${'a very long text '.repeat(20_000)}\n`);
	const out = join(folder, 'out.jsonl');
	const done = await home.run(['embed', file, '--out', out]);
	assert.equal(done.code, 0, done.stderr);
	assert.match(done.stderr, /2 of 2 texts embedded, of 1 the end was left out: /);
	assert.equal((await rowsIn(out)).length, 2);
});

test('Ctrl+C leaves the texts being embedded, and the same command fetches them', {
	...options,
	skip: skip || needsSignals,
}, async () => {
	const folder = temporaryFolder('embed');
	const file = join(folder, 'many.txt');
	// Long ones, so that it is still at work when it is stopped.
	const words = ' and many more words of a long line'.repeat(4);
	const texts = Array.from({ length: 3000 }, (_, at) => `text ${at}${words}`);
	await writeFile(file, texts.join('\n'));
	const before = (await batches()).length;
	const out = join(folder, 'out.jsonl');
	const child = home.start(['embed', file, '--out', out]);
	let said = '';
	child.stderr?.on('data', (part) => {
		said += part;
	});
	await until('the batch is begun', async () => (await batches()).length > before);
	child.kill('SIGINT');
	await once(child, 'close');
	assert.match(said, /The same command fetches what is done/);
	assert.equal(existsSync(out), false);
	const done = await home.run(['embed', file, '--out', out]);
	assert.equal(done.code, 0, done.stderr);
	assert.equal((await batches()).length, before + 1, 'the same batch');
	assert.deepEqual(
		(await rowsIn(out)).map(({ id }) => id),
		Array.from({ length: 3000 }, (_, at) => at + 1),
	);
});

test(
	'what cannot be embedded is refused with its line, before anything is begun',
	options,
	async () => {
		const folder = temporaryFolder('embed');
		const file = join(folder, 'rows.jsonl');
		const out = join(folder, 'out.jsonl');
		const cases: readonly [string, RegExp][] = [
			[
				'{"text":"a"}\n{"txt":"b"}\n',
				/rows\.jsonl:2 has no text: a string, or an object with a 'text'/,
			],
			['{"text":"a"}\n{"text"', /rows\.jsonl:2 is no JSON/],
			['\n\n', /has no texts/],
		];
		for (const [content, message] of cases) {
			await writeFile(file, content);
			const done = await home.run(['embed', file, '--out', out]);
			assert.equal(done.code, 2);
			assert.match(done.stderr, message);
		}
		await writeFile(file, '"a"\n');
		await writeFile(out, 'kept');
		assert.match((await home.run(['embed', file, '--out', out])).stderr, /exists already/);
		assert.match((await home.run(['embed', file])).stderr, /--out OUT/);
		const unknown = await home.run(['embed', file, '--out', out, '--force', '--model', 'no-such']);
		assert.equal(unknown.code, 1, 'no wrong use of the command');
		assert.match(unknown.stderr, /None of the texts could be embedded\. 1: .*no-such/);
		assert.equal(await readFile(out, 'utf8'), 'kept');
	},
);

test('without an embedding model it is said which command gets one, and that command exists', async () => {
	const bare = await newHome();
	try {
		const file = join(temporaryFolder('embed'), 'a.txt');
		await writeFile(file, 'a\n');
		const { code, stderr } = await bare.run(['embed', file, '--out', '-']);
		assert.equal(code, 1, stderr);
		assert.match(stderr, /models search embed shows some; nearglot models pull all-minilm-l6-v2 /);
		const found = await bare.run(['models', 'search', 'embed']);
		assert.equal(found.code, 0, found.stderr);
		assert.match(found.stdout, /all-minilm-l6-v2/i);
	} finally {
		await bare.close();
	}
});
