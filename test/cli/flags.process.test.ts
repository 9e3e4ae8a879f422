/** What a flag promises holds in every mode of a command, or the flag is refused there: `--json`, and `-` as a file. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { type Finished, type Home, newHome } from '../support/home.ts';
import { programArgs } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const sources = join(import.meta.dirname, '../../server/cli');
let home: Home;
let folder: string;
before(async () => {
	home = await newHome({ SECRET: 'x' });
	folder = temporaryFolder('flags');
	await writeFile(join(folder, 'a.md'), 'Open the file.\n');
	await writeFile(join(folder, 'b.md'), 'Save the file.\n');
	await writeFile(join(folder, 'rows.jsonl'), '{}\n');
	const settings = {
		identityProviders: {
			gitHub: { registration: { clientId: 'c', clientSecretSettingName: 'SECRET' } },
		},
		'x-gateway': {
			publicUrl: 'http://127.0.0.1:8000',
			store: { kind: 'sqlite', path: ':memory:' },
		},
	};
	await writeFile(join(folder, 'auth.json'), JSON.stringify(settings));
});
after(() => home.close());

async function run(args: readonly string[]): Promise<Finished> {
	const child = spawn(process.execPath, programArgs(...args), { cwd: folder, env: home.env });
	child.stdin.end();
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
	if (child.exitCode === null) await once(child, 'close');
	return { code: child.exitCode, stdout, stderr };
}

/** Files of commands with a table of options that has a name, and the flags beside it in those tables. */
function tablesWith(name: string): Map<string, readonly string[]> {
	const found = new Map<string, readonly string[]>();
	for (const file of readdirSync(sources)) {
		const source = readFileSync(join(sources, file), 'utf8');
		const tables =
			source.match(
				/(?:readArgs\(\w+, \{|(?:Types|Arguments) = \{)[\s\S]*?\n?\t*\}\)?(?: as const)?;/g,
			) ?? [];
		const own = tables.filter((table) => new RegExp(`\\b${name}: (?:\\{|flag|text)`).test(table));
		const flags = own.flatMap((table) =>
			[...table.matchAll(/'?([\w-]+)'?: (?:flag|\{ type: 'boolean' \})/g)].map(
				([, flag = '']) => flag,
			),
		);
		if (own.length > 0) found.set(file, [...new Set(flags)]);
	}
	return found;
}

type Form = readonly [code: number, ...args: string[]];

/** One server for all. Without a number: who has no JSON has a reason. */
const jsonForms: Readonly<Record<string, readonly Form[]>> = {
	'batchCommand.ts': [
		[0, 'batch', 'list'],
		[1, 'batch', 'show', 'batch_0'],
		[1, 'batch', 'retry', 'batch_0'],
	],
	'chatCommand.ts': [[0, 'chat', 'hello', '--max-tokens', '2', '--exact']],
	'doctorCommand.ts': [
		[2, 'doctor', 'x'],
		[2, 'doctor', '--bench', 'x'],
	],
	'gatewayCommand.ts': [
		[0, 'gateway', '--config', 'auth.json', '--check'],
		[0, 'gateway', '--schema'],
		[1, 'gateway', '--config', 'auth.json', '--sessions'],
		[1, 'gateway', '--config', 'auth.json', '--end-sessions', `sid:${'0'.repeat(32)}`],
		[2, 'gateway', '--emulate'],
	],
	'keysCommand.ts': [
		[0, 'keys', 'create', 'anna', '--for', 'translate', '--multi-service'],
		[0, 'keys', 'list'],
		[0, 'keys', 'rotate', 'anna'],
	],
	'modelsInfo.ts': [
		[0, 'models', 'info', 'starter-chat'],
		[2, 'models', 'info', 'starter-chat', '--compare', 'x'],
	],
	'modelsList.ts': [[0, 'models', 'list']],
	'modelsPull.ts': [
		[0, 'models', 'pull', 'starter-chat'],
		[0, 'models', 'pull', 'starter-chat', '--plan'],
		[2, 'models', 'pull', 'starter-chat', '--keep', '--no-keep'],
		[2, 'models', 'pull', 'starter-chat', '--quality', '--no-quality'],
		[0, 'models', 'pull', 'starter-chat', '--accept-license'],
	],
	'modelsSearch.ts': [
		[0, 'models', 'search', 'qwen'],
		[0, 'models', 'search', 'nothing-is-called-so'],
		[2, 'models', 'search', '--hub'],
	],
	'peopleCommand.ts': [[0, 'people', 'forget', 'local']],
	'serveCommand.ts': [[2, 'serve', '--exact', '--require-key', '--background', '--ttl', '-1']],
	'translateCommand.ts': [
		[0, 'translate', 'Open the file.', '--to', 'de', '--align', '--html', '--doubtful'],
		[2, 'translate', 'a.md', '--to', 'de'],
		[2, 'translate', 'a.md', '--to', 'de', '--out', 'c.md', '--force'],
		[2, 'translate', 'a.md', 'b.md', '--to', 'de'],
		[2, 'translate', 'a.md', '--to', 'de', '--watch'],
		[2, 'translate', 'a.md', '--to', 'de', '--batch'],
		[2, 'translate', '.', '--check'],
		[2, 'translate', '.', '--check', '--accept'],
	],
	'upstreamsCommand.ts': [
		[0, 'upstreams', 'list'],
		[1, 'upstreams', 'test'],
	],
	'usageCommand.ts': [
		[0, 'usage'],
		[0, 'usage', '--by', 'row'],
		[2, 'usage', '--csv'],
	],
};

test('with --json a command prints JSON and nothing else, or nothing', async () => {
	const tables = tablesWith('json');
	assert.deepEqual([...tables.keys()].sort(), Object.keys(jsonForms).sort());
	for (const [file, forms] of Object.entries(jsonForms)) {
		for (const flag of tables.get(file) ?? [])
			assert.ok(
				flag === 'json' || forms.some((form) => form.includes(`--${flag}`)),
				`${file}: no form has --${flag} beside --json`,
			);
		for (const [code, ...args] of forms) {
			const done = await run([...args, '--json']);
			const what = `${args.join(' ')}: ${done.stderr}`;
			assert.equal(done.code, code, what);
			if (code === 0) assert.doesNotThrow(() => JSON.parse(done.stdout), what);
			else assert.equal(done.stdout, '', what);
		}
	}
});

test('--align without --json is refused', async () => {
	const done = await run(['translate', 'Open the file.', '--to', 'de', '--align']);
	assert.equal(done.code, 2);
	assert.match(done.stderr, /--align goes with --json/);
});

const dashForms: Readonly<Record<string, readonly Form[]>> = {
	'batchRun.ts': [
		[2, 'batch', 'run', 'rows.jsonl', '--endpoint', '/v1/embeddings'],
		[2, 'batch', 'fetch', 'batch_0'],
	],
	'embedCommand.ts': [[1, 'embed', 'a.md']],
	'systemsCommand.ts': [[2, 'systems', 'memory', 'a.po', 'b.po', '--from', 'en', '--to', 'de']],
	'transcribeCommand.ts': [
		[2, 'transcribe', 'a.md', '--batch'],
		[2, 'transcribe', 'a.md', 'b.md', '--format', 'srt'],
		[1, 'transcribe', 'a.md', '--format', 'srt'],
	],
	'translateCommand.ts': [
		[0, 'translate', 'a.md', '--to', 'de'],
		[2, 'translate', 'a.md', '--to', 'de,fr'],
		[2, 'translate', 'a.md', 'b.md', '--to', 'de'],
		[2, 'translate', 'a.md', '--to', 'de', '--watch'],
		[2, 'translate', 'a.md', '--to', 'de', '--batch'],
		[2, 'translate', 'a.md', '--to', 'de', '--check'],
	],
};

test('--out - is standard output or is refused, and never a file of that name', async () => {
	assert.deepEqual([...tablesWith('out').keys()].sort(), Object.keys(dashForms).sort());
	for (const forms of Object.values(dashForms))
		for (const [code, ...args] of forms) {
			const done = await run([...args, '--out', '-']);
			const what = `${args.join(' ')}: ${done.stderr}`;
			assert.equal(done.code, code, what);
			assert.equal(done.stdout !== '', code === 0, what);
			assert.equal(existsSync(join(folder, '-')), false, what);
		}
	const into = await run(['translate', 'a.md', '--to', 'de', '--into', '-']);
	assert.equal(into.code, 2);
	assert.match(into.stderr, /--into - is standard output/);
});

test('a name that is nobody’s is refused where what is stored of a person is deleted', async () => {
	for (const person of ['bob', 'nobody', 'person:nonsense', 'key:anna', 'Local'])
		for (const args of [
			['people', 'forget', person],
			['usage', 'delete', '--person', person],
		]) {
			const done = await run(args);
			assert.equal(done.code, 2, `${args.join(' ')}: ${done.stdout}`);
			assert.match(done.stderr, /is no person: write local, key:ID/);
		}
});
