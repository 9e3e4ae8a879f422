/** `nearglot translate --batch`: files of a project through the model server, fetched by whichever command comes then. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findOrStartDaemon } from '../../server/daemon/findDaemon.ts';
import { type Finished, type Home, newHome } from '../support/home.ts';
import { programArgs } from '../support/program.ts';
import { needsSignals } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

function start(cwd: string, args: readonly string[]): ChildProcess {
	return spawn(process.execPath, programArgs(...args), {
		cwd,
		env: home.env,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
}

async function run(cwd: string, args: readonly string[]): Promise<Finished> {
	const child = start(cwd, args);
	let [stdout, stderr] = ['', ''];
	child.stdout?.on('data', (part) => {
		stdout += part;
	});
	child.stderr?.on('data', (part) => {
		stderr += part;
	});
	const [code] = await once(child, 'close');
	return { code, stdout, stderr };
}

test('whole files are handed to the server, and the same command fetches what is done', async () => {
	const folder = temporaryFolder('batch');
	await mkdir(join(folder, 'docs/sub'), { recursive: true });
	await mkdir(join(folder, '.git'));
	await writeFile(join(folder, 'docs/a.md'), '# Open the file\n\nSave the file.\n');
	await writeFile(join(folder, 'docs/sub/b.json'), '{"k": "Save the file."}\n');
	await writeFile(join(folder, 'docs/bad.json'), '{"k":');
	const batch = ['translate', 'docs/', '--from', 'en', '--to', 'de,fr', '--batch'];
	const first = await run(folder, batch);
	assert.equal(first.code, 1, first.stderr);
	assert.match(first.stderr, /bad\.(?:de|fr)\.json: .*line 1, column/);
	assert.match(first.stderr, /4 translated, 2 failed/);
	const made = await readFile(join(folder, 'docs/a.de.md'), 'utf8');
	assert.match(made, /^# \S+.*\n\n\S.*\n$/);
	await rm(join(folder, 'docs/bad.json'));
	const second = await run(folder, batch);
	assert.equal(second.code, 0, second.stderr);
	assert.match(second.stderr, /0 translated, 4 up to date/);
	// What the command line translates itself is the same, and the record is one.
	await rm(join(folder, 'docs/a.de.md'));
	const plain = await run(folder, batch.slice(0, -1));
	assert.equal(plain.code, 0, plain.stderr);
	assert.equal(await readFile(join(folder, 'docs/a.de.md'), 'utf8'), made);
	for (const other of [['--watch'], ['--tone', 'formal'], ['--into', 'x']]) {
		const refused = await run(folder, [...batch, ...other]);
		assert.equal(refused.code, 2, refused.stderr);
		assert.match(refused.stderr, new RegExp(`${other[0]} does not go with --batch`));
	}
});

test('a system that is misspelt is refused before anything is sent', async () => {
	const folder = temporaryFolder('batch');
	await mkdir(join(folder, '.git'));
	await writeFile(join(folder, 'a.md'), 'Save the file.\n');
	const batch = ['translate', 'a.md', '--from', 'en', '--to', 'de', '--batch'];
	const files = async () => {
		const daemon = await findOrStartDaemon({ env: home.env });
		return JSON.parse(await (await daemon.request('/v1/files', {})).text()).data.length;
	};
	const before = await files();
	for (const name of ['legl', 'chat:nosuch']) {
		const refused = await run(folder, [...batch, '--system', name]);
		assert.equal(refused.code, 1, refused.stderr);
		assert.match(refused.stderr, new RegExp(`There is no system '${name}', so nothing was sent`));
	}
	assert.equal(await files(), before);
	assert.equal(existsSync(join(folder, 'a.de.md')), false);
	const good = await run(folder, [...batch, '--system', 'General']);
	assert.equal(good.code, 0, good.stderr);
});

test('links of a batch follow the headings of other files, also of those that are up to date', async () => {
	const folder = temporaryFolder('batch');
	await mkdir(join(folder, 'docs/en'), { recursive: true });
	await mkdir(join(folder, '.git'));
	const heading = '# Open the file\n';
	await writeFile(join(folder, 'docs/en/a.md'), 'Read [this](b.md#open-the-file).\n');
	await writeFile(join(folder, 'docs/en/b.md'), heading);
	const batch = ['translate', 'docs/en', '--from', 'en', '--to', 'de', '--batch'];
	const slug = async () => {
		const made = await readFile(join(folder, 'docs/de/b.md'), 'utf8');
		return made.trim().split('\n').at(-1)?.slice(2).toLowerCase().replaceAll(' ', '-');
	};
	const link = async () =>
		/b\.md#(.+)\)/.exec(await readFile(join(folder, 'docs/de/a.md'), 'utf8'))?.[1];
	const first = await run(folder, batch);
	assert.equal(first.code, 0, first.stderr);
	assert.notEqual(await slug(), 'open-the-file');
	assert.equal(await link(), await slug());
	const hub = 'Read [this](b.md#save-the-file).\n';
	await writeFile(join(folder, 'docs/en/a.md'), hub);
	const second = await run(folder, batch);
	assert.equal(await link(), 'save-the-file', second.stderr);
	await writeFile(join(folder, 'docs/en/b.md'), `${heading}\n# Save the file\n`);
	const third = await run(folder, batch);
	assert.match(third.stderr, /^docs\/de\/a\.md: links follow headings of other files$/m);
	assert.equal(await link(), await slug());
	const fourth = await run(folder, batch);
	assert.match(fourth.stderr, /0 translated, 2 up to date/);
});

test('a batch records what stayed as it was, as a run of this command alone does', async () => {
	const broken = '{n, plural, one {# file} other {# files}';
	const made = async (options: readonly string[]) => {
		const folder = temporaryFolder('batch');
		await mkdir(join(folder, '.git'));
		await writeFile(join(folder, 'en.json'), JSON.stringify({ a: 'Save the file.', b: broken }));
		await writeFile(join(folder, 'none.json'), JSON.stringify({ b: broken }));
		const whole = ['translate', 'en.json', 'none.json', '--from', 'en', '--to', 'de', ...options];
		const first = await run(folder, whole);
		const second = await run(folder, whole);
		for (const { code, stderr } of [first, second]) {
			assert.equal(code, 1, stderr);
			assert.match(stderr, /1 of these with texts that stayed as they were, 1 failed/);
			assert.match(stderr, /none\.json: no text could be translated/);
		}
		assert.match(second.stderr, /1 up to date/);
		const check = await run(folder, ['translate', '.', '--check']);
		assert.equal(check.code, 1, check.stderr);
		assert.match(check.stdout, /1 text has no translation, but stayed as in en\.json/);
		return readFile(join(folder, '.nearglot/translations.json'), 'utf8');
	};
	assert.equal(await made(['--batch']), await made([]));
});

test('a batch of files that was left goes on, and no edit of a translation is lost', {
	skip: needsSignals,
}, async () => {
	const folder = temporaryFolder('batch');
	await mkdir(join(folder, '.git'));
	const names = Array.from({ length: 12 }, (_, index) => `page${index}.md`);
	for (const name of names)
		await writeFile(join(folder, name), `# Open ${name}\n\nSave the file.\n`);
	const batch = ['translate', '*.md', '--from', 'en', '--to', 'de', '--batch'];
	const child = start(folder, batch);
	const note = join(folder, '.nearglot/batch.json');
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
	assert.match(said, /goes on\. The same command fetches what is done/);
	const edited = join(folder, 'page0.de.md');
	await writeFile(edited, 'Von Hand.\n');
	const after = await run(folder, batch);
	assert.equal(after.code, 1, after.stderr);
	assert.equal(await readFile(edited, 'utf8'), 'Von Hand.\n');
	assert.match(after.stderr, /page0\.de\.md/);
	for (const name of names.slice(1)) await stat(join(folder, name.replace('.md', '.de.md')));
	await assert.rejects(stat(note));
	assert.deepEqual(
		JSON.parse((await run(folder, ['batch', 'list', '--json'])).stdout).length > 0,
		true,
	);
});

test('a command that ended before it heard of its batch goes on with the same one', {
	skip: needsSignals,
}, async () => {
	const folder = temporaryFolder('batch');
	await mkdir(join(folder, '.git'));
	const names = Array.from({ length: 12 }, (_, index) => `leaf${index}.md`);
	for (const name of names)
		await writeFile(join(folder, name), `# Open ${name}\n\nSave the file.\n`);
	const batch = ['translate', '*.md', '--from', 'en', '--to', 'de', '--batch'];
	const list = async (): Promise<unknown[]> =>
		JSON.parse((await run(folder, ['batch', 'list', '--json'])).stdout);
	const before = (await list()).length;
	const child = start(folder, batch);
	const note = join(folder, '.nearglot/batch.json');
	await until(
		'the batch is begun',
		async () => existsSync(note) && (await readFile(note, 'utf8')).includes('"id"'),
	);
	child.kill('SIGKILL');
	await once(child, 'close');
	// As it is when the server has heard of it, and the command has not heard of that.
	const [{ wanted }] = JSON.parse(await readFile(note, 'utf8'));
	const body = JSON.stringify({
		inputs: wanted.map(({ file, language }: Record<string, string>) => ({
			storageType: 'File',
			source: { sourceUrl: `/v1/files/${file}`, language: 'en' },
			targets: [{ targetUrl: '/v1/files', language }],
		})),
	});
	const daemon = await findOrStartDaemon({ env: home.env }, AbortSignal.timeout(60_000));
	await daemon.request('/translator/document/batches?api-version=2024-05-01', {
		...{ method: 'POST', body },
		headers: { 'content-type': 'application/json', 'idempotency-key': 'one key' },
	});
	assert.equal((await list()).length, before + 2);
	await writeFile(note, JSON.stringify([{ asked: { key: 'one key', body }, wanted }]));
	const after = await run(folder, batch);
	assert.equal(after.code, 0, after.stderr);
	assert.match(after.stderr, /12 translated/);
	for (const name of names) await stat(join(folder, name.replace('.md', '.de.md')));
	assert.equal((await list()).length, before + 2);
});
