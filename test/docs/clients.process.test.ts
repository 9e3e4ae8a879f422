/**
 * Programs of others, as the pages of Connect say to set them up, against a real server with a real (tiny) model. They
 * are large, so they are no dependencies: `node scripts/clients.mjs` installs them.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { clientsFolder, clients as versions } from '../../scripts/clients.mjs';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { firstLine, type Home, newHome } from '../support/home.ts';
import { needsShell } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { blocksOf, readDocument } from './blocks.ts';

const clients = clientsFolder as string;
const skip =
	needsShell ||
	(existsSync(join(clients, 'node_modules/.bin/cn'))
		? false
		: 'the clients are not installed: node scripts/clients.mjs');

let home: Home;
let folder = '';
let url = '';
let key = '';
before(async () => {
	if (skip !== false) return;
	folder = temporaryFolder('clients');
	// Instructions of agents are long.
	const shape = { layers: 1, hidden: 64, heads: 4, kvHeads: 2, inner: 64, vocabulary: 320 };
	writeDecoderModel(join(folder, 'models/tiny'), {
		attention: 'gqa',
		shape: { ...shape, context: 65_536 },
	});
	mkdirSync(join(folder, 'work'));
	home = await newHome();
	const serve = home.start(['serve', '--port', '0', '--json', '--models', join(folder, 'models')]);
	const line = await firstLine(serve);
	url = String(line['url']);
	key = String(line['key']);
});
after(async () => {
	if (skip !== false) return;
	await home.close();
	await endLeft();
	rmSync(folder, { recursive: true, force: true });
});

/** Processes of this test's home: Cline leaves a daemon, its hub, that would outlive the test. */
function left(): number[] {
	if (process.platform !== 'linux') return [];
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.filter((pid) => {
			try {
				return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${folder}`);
			} catch {
				// It is somebody else's, or has ended.
				return false;
			}
		})
		.map(Number);
}

async function endLeft(): Promise<void> {
	for (const pid of left()) process.kill(pid, 'SIGTERM');
	const end = Date.now() + 5000;
	await until('what the clients left has ended', () => left().length === 0 || Date.now() > end);
	for (const pid of left()) process.kill(pid, 'SIGKILL');
	await until('what the clients left has ended', () => left().length === 0);
}

/** What the pages write, with the address and a model of this test. */
const here = (text: string) =>
	text
		.replaceAll('http://127.0.0.1:8080', url)
		.replaceAll('http://127.0.0.1:PORT', url)
		.replaceAll('qwen2.5-coder-0.5b', 'tiny');

function blockOf(document: string, contains: string): string {
	const found = blocksOf(document).find(({ text }) => text.includes(contains));
	assert.ok(found !== undefined, `${document} has no block with '${contains}'`);
	return here(found.text);
}

async function run(command: string, args: readonly string[]): Promise<string> {
	const child = spawn(command, args, {
		cwd: join(folder, 'work'),
		timeout: 240_000,
		env: {
			...home.env,
			HOME: folder,
			// Nobody is to be told of this but the server.
			...{ HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' },
			NO_PROXY: '127.0.0.1',
			PATH: [
				join(clients, 'node_modules/.bin'),
				dirname(process.execPath),
				process.env['PATH'],
			].join(delimiter),
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let told = '';
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => {
			told += text;
		});
	const code = await new Promise((resolve) => child.once('close', resolve));
	assert.equal(code, 0, `${command} ${args.join(' ')}\n${told}`);
	return told;
}

/** Chats of the tiny model that were answered. */
async function answered(): Promise<number> {
	const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
	const text = await response.text();
	const counts = text.matchAll(
		/^nearglot_requests_total\{route="\/v1\/chat\/completions",status="200",model="tiny:1"\} (\d+)/gm,
	);
	return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('Continue reads the settings of its page and gets an answer', { skip }, async () => {
	const before = await answered();
	const file = join(folder, 'config.yaml');
	writeFileSync(file, blockOf('docs/connect/editors.md', 'schema: v1'));
	await run('cn', ['--config', file, '-p', 'Say hello.']);
	assert.ok((await answered()) > before);
});

test('Cline is set up by the commands of its page and gets an answer', { skip }, async () => {
	const before = await answered();
	await run('bash', ['-ec', blockOf('docs/connect/editors.md', 'cline auth')]);
	assert.ok((await answered()) > before);
});

test('the program with LlamaIndex gets an answer', { skip }, async () => {
	const file = join(clients, `example-${process.pid}.mjs`);
	writeFileSync(file, blockOf('docs/connect/libraries.md', '@llamaindex/openai'));
	try {
		assert.match(await run(process.execPath, [file]), /tar/);
	} finally {
		rmSync(file, { force: true });
	}
});

test('nothing of the clients outlives the test', { skip }, async () => {
	await endLeft();
	assert.deepEqual(left(), []);
});

test('the pages of Connect name the versions that are run, and when that was', () => {
	const pages = ['editors', 'libraries']
		.map((name) => readDocument(`docs/connect/${name}.md`))
		.join('');
	for (const version of Object.values(versions as Record<string, string>))
		assert.ok(pages.includes(version), version);
	assert.match(readDocument('docs/connect/editors.md'), /as of \d{1,2} [A-Z][a-z]+ 20\d\d/);
	assert.match(readDocument('docs/connect/libraries.md'), /, on \d{1,2} [A-Z][a-z]+ 20\d\d\)/);
});
