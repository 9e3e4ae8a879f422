/**
 * Every example of the documents is run as it is written, in a fresh home, against a real server. What needs a network, a
 * provider, Docker and the like says so behind its language (`sh needs=network`); its commands are checked all the same
 * (test/docs/statements.process.test.ts).
 */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { parseSettings } from '../../server/gateway/config/parseSettings.ts';
import { freePort } from '../support/freePort.ts';
import { firstLine, gone, type Home, newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { type Block, blocksOf, documents, needs, root } from './blocks.ts';

/** Longest that one block may take. */
const limitMs = 120_000;

let home: Home;
let server: ChildProcess;
let url = '';
before(async () => {
	home = await newHome();
	server = home.start(['serve', '--port', '0', '--json']);
	url = String((await firstLine(server))['url']);
});
after(async () => {
	server.kill('SIGTERM');
	if (server.pid) await gone(server.pid);
	await home.close();
});

/** A folder with what the examples name. */
function place(): string {
	const folder = temporaryFolder('docs examples');
	const fixture = (name: string) => join(root, 'test/fixtures', name);
	copyFileSync(fixture('speech/annie.flac'), join(folder, 'annie.flac'));
	// What is in a recording is told from its content.
	copyFileSync(fixture('speech/annie.flac'), join(folder, 'recording.mp3'));
	copyFileSync(join(root, 'README.md'), join(folder, 'README.md'));
	copyFileSync(join(root, 'docs/start/built-in-models.md'), join(folder, 'guide.md'));
	const body = { model: 'starter-chat', messages: [{ role: 'user', content: 'list all files' }] };
	const request = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body };
	writeFileSync(join(folder, 'requests.jsonl'), `${JSON.stringify(request)}\n`);
	mkdirSync(join(folder, 'locales'));
	for (const under of ['', 'locales']) {
		writeFileSync(
			join(folder, under, 'en.json'),
			'{"open":"Open the file.","save":"Save the file."}\n',
		);
		writeFileSync(join(folder, under, 'fr.json'), '{"open":"Ouvrir le fichier."}\n');
	}
	writeFileSync(
		join(folder, 'company-ca.pem'),
		readFileSync(join(root, 'test/fixtures/company-ca.pem')),
	);
	const git = (...args: string[]) =>
		spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
			cwd: folder,
		});
	git('init');
	git('commit', '--allow-empty', '--message', 'Save the file before it is closed.');
	const bin = join(folder, 'bin');
	mkdirSync(bin);
	for (const [name, args] of [
		['nearglot', '"$@"'],
		['npx', '"${@:2}"'],
	]) {
		const main = join(root, 'server/main.ts');
		writeFileSync(
			join(bin, String(name)),
			`#!/usr/bin/env bash\nexec "${process.execPath}" --disable-warning=ExperimentalWarning "${main}" ${args}\n`,
		);
		chmodSync(join(bin, String(name)), 0o755);
	}
	return folder;
}

/** Ports that the pages name stand for free ones; the address of the running server for it. */
async function withAddresses(text: string): Promise<string> {
	const { port } = new URL(url);
	const [serve, gateway] = [await freePort(), await freePort()];
	return text
		.replaceAll(/\bPORT\b/g, port)
		.replaceAll(/\b8080\b/g, String(serve))
		.replaceAll(/\b8000\b/g, String(gateway))
		.replaceAll(
			/^(nearglot gateway .*--upstream \S+)( &)?$/gm,
			`$1 --port ${gateway} --host 127.0.0.1$2`,
		);
}

interface Ended {
	readonly code: number | null;
	readonly told: string;
}

function runIn(folder: string, command: string, args: readonly string[]): Promise<Ended> {
	const child = spawn(command, args, {
		cwd: folder,
		timeout: limitMs,
		env: {
			...home.env,
			URL: url,
			PATH: `${join(folder, 'bin')}${delimiter}${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let told = '';
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => {
			told += text;
		});
	return new Promise((resolve) => child.once('close', (code) => resolve({ code, told })));
}

/** What a block started in the background ends with it. */
const script = (text: string) => `set -euo pipefail
trap 'jobs -p | xargs -r kill 2>/dev/null; wait' EXIT
${text}`;

async function runShell(block: Block, text: string, folder: string): Promise<Ended> {
	const fixture = block.words.find((word) => word.startsWith('fixture='))?.slice(8);
	if (fixture !== undefined) {
		const source = blocksOf(block.document).find(({ language }) => language === 'json');
		writeFileSync(join(folder, fixture), (source?.text ?? '').replaceAll('"/data/', `"${folder}/`));
	}
	return runIn(folder, 'bash', ['-c', script(await withAddresses(text))]);
}

async function runScript(text: string, folder: string): Promise<Ended> {
	// Below the project, where its packages are found.
	const file = join(root, 'test/.work', `example-${process.pid}.mjs`);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, await withAddresses(text));
	try {
		return await runIn(folder, process.execPath, [file]);
	} finally {
		rmSync(file, { force: true });
	}
}

const all = documents.flatMap((document) => blocksOf(document));
const where = ({ document, line }: Block) => `${document}:${line}`;

for (const document of documents) {
	const own = all.filter((block) => block.document === document && needs(block) === undefined);
	const shells = own.filter(({ language }) => language === 'sh');
	if (shells.length > 0)
		test(`the commands of ${document} run as they are written`, {
			skip: process.platform === 'win32' && 'they are for shells of Unix',
		}, async () => {
			const folder = place();
			try {
				for (const block of shells) {
					const { code, told } = await runShell(block, block.text, folder);
					assert.equal(code, 0, `${where(block)} ended with ${code}:\n${block.text}\n${told}`);
				}
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
		});
	const scripts = own.filter(({ language }) => language === 'js');
	if (scripts.length > 0)
		test(`the programs of ${document} run as they are written`, async () => {
			const folder = place();
			try {
				for (const block of scripts) {
					const { code, told } = await runScript(block.text, folder);
					assert.equal(code, 0, `${where(block)}:\n${told}`);
					assert.ok(told.trim() !== '', `${where(block)} printed nothing`);
				}
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
		});
}

test('a command that fails in an example is found', {
	skip: process.platform === 'win32' && 'shells of Unix',
}, async () => {
	const folder = place();
	try {
		const block = { document: 'none.md', line: 1, language: 'sh', words: [], text: '' };
		for (const text of [
			'nearglot chat --no-such-option hello',
			'false; true',
			'curl -sf $URL/nothing',
		])
			assert.notEqual((await runShell(block, text, folder)).code, 0, text);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

test('what is not run is read: JSON, YAML, settings of the gateway', () => {
	for (const block of all) {
		if (block.language === 'json') JSON.parse(block.text);
		if (block.language === 'yaml') assert.ok(parseYaml(block.text), where(block));
		if (block.words.includes('auth')) {
			const secrets = [...block.text.matchAll(/"clientSecretSettingName": "(\w+)"/g)];
			const env = Object.fromEntries(secrets.map(([, name]) => [String(name), 'a-secret']));
			parseSettings(JSON.parse(block.text), env, 8000);
		}
	}
});

test('every block says what it is, and only known things are missing', () => {
	const languages = [
		'sh',
		'js',
		'json',
		'yaml',
		'python',
		'lua',
		'elisp',
		'ini',
		'jsonl',
		'powershell',
		'text',
		'',
	];
	const missing = [
		'archives',
		'checkout',
		'docker',
		'editor',
		'gpu',
		'llama-index',
		'machines',
		'model',
	];
	missing.push(
		'namespaces',
		'network',
		'openai-python',
		'person',
		'provider',
		'redis',
		'systemd',
		'terminal',
	);
	for (const block of all) {
		assert.ok(languages.includes(block.language), `${where(block)}: language '${block.language}'`);
		const need = needs(block);
		if (need !== undefined) assert.ok(missing.includes(need), `${where(block)}: needs=${need}`);
	}
	const run = all.filter(
		(block) => ['sh', 'js'].includes(block.language) && needs(block) === undefined,
	);
	assert.ok(run.length >= 25, `${run.length} blocks are run`);
});
