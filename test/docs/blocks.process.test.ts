/**
 * Every example of the documents is run as it is written, in a fresh home, against a real server. What needs a network, a
 * provider, Docker and the like says so behind its language (`sh needs=network`); its commands are checked all the same
 * (test/docs/statements.process.test.ts).
 */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { firstLine, gone, type Home, newHome } from '../support/home.ts';
import { type Ended, place, runIn, script, startIn, withAddresses } from './blockPlace.ts';
import { type Block, blocksOf, documents, needs, root } from './blocks.ts';
import { notRun, reasons } from './notRun.ts';
import { type StandInHub, startStandInHub } from './standInHub.ts';

let home: Home;
let server: ChildProcess;
let url = '';
/** For blocks that download, or need what was downloaded: `sh hub`, `sh with=whisper-base`. */
let hub: Promise<StandInHub> | undefined;

before(async () => {
	home = await newHome();
	server = home.start(['serve', '--port', '0', '--json']);
	url = String((await firstLine(server))['url']);
});
after(async () => {
	server.kill('SIGTERM');
	if (server.pid) await gone(server.pid);
	await home.close();
	await (await hub)?.[Symbol.asyncDispose]();
});

/** Runs a block where models can be downloaded, in a home of its own, after those that it needs are there. */
async function runWithHub(block: Block, text: string, folder: string): Promise<Ended> {
	hub ??= startStandInHub();
	const { url: address } = await hub;
	const own = await newHome({ HF_ENDPOINT: address });
	try {
		const running = own.start(['serve', '--port', '0', '--json']);
		const there = String((await firstLine(running))['url']);
		const { env } = own;
		const wanted = block.words.find((word) => word.startsWith('with='))?.slice(5);
		for (const name of wanted?.split(',') ?? []) {
			const got = await runIn(folder, env, 'nearglot', ['models', 'pull', name]);
			assert.equal(got.code, 0, got.told);
		}
		const here = (await withAddresses(text, there)).replaceAll(
			'https://models.example.net',
			address,
		);
		return await runIn(folder, env, 'bash', ['-c', script(here)]);
	} finally {
		await own.close();
	}
}

const hasHub = ({ words }: Block) =>
	words.some((word) => word === 'hub' || word.startsWith('with='));

async function runShell(block: Block, text: string, folder: string): Promise<Ended> {
	const fixture = block.words.find((word) => word.startsWith('fixture='))?.slice(8);
	if (fixture !== undefined) {
		const source = blocksOf(block.document).find(({ language }) => language === 'json');
		writeFileSync(join(folder, fixture), (source?.text ?? '').replaceAll('"/data/', `"${folder}/`));
	}
	if (block.words.includes('until-stopped')) return stopped(text, folder);
	if (hasHub(block)) return runWithHub(block, text, folder);
	return runIn(folder, home.env, 'bash', ['-c', script(await withAddresses(text, url))]);
}

/** What runs until Ctrl+C, in a home of its own: until it says its address, and then to its end. */
async function stopped(text: string, folder: string): Promise<Ended> {
	const own = await newHome();
	try {
		const command = `exec ${(await withAddresses(text, url)).trim()}`;
		const child = startIn(folder, own.env, 'bash', ['-c', command]);
		let told = '';
		for (const stream of [child.stdout, child.stderr])
			stream?.setEncoding('utf8').on('data', (part: string) => {
				told += part;
				// A second one may come when nothing listens to it any more.
				if (!child.killed && /http:\/\/127\.0\.0\.1:\d+/.test(told)) child.kill('SIGINT');
			});
		const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
		assert.match(told, /http:\/\/127\.0\.0\.1:\d+/, text);
		return { code, told };
	} finally {
		await own.close();
	}
}

async function runScript(text: string, folder: string): Promise<Ended> {
	// Below the project, where its packages are found.
	const file = join(root, 'test/.work', `example-${process.pid}.mjs`);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, await withAddresses(text, url));
	try {
		return await runIn(folder, home.env, process.execPath, [file]);
	} finally {
		rmSync(file, { force: true });
	}
}

const all = documents.flatMap((document) => blocksOf(document));
const where = ({ document, line }: Block) => `${document}:${line}`;

/** A block after what readers of its page have typed before: what they call the address of their server. */
function withEarlier({ document, line, text }: Block): string {
	const earlier = all
		.filter((one) => one.document === document && one.language === 'sh' && one.line < line)
		.flatMap((one) => one.text.match(/^URL=.*$/gm) ?? []);
	return [...earlier, text].join('\n');
}

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
					const { code, told } = await runShell(block, withEarlier(block), folder);
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
			'curl -sf http://127.0.0.1:PORT/nothing',
		])
			assert.notEqual((await runShell(block, text, folder)).code, 0, text);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

test('every block of commands is run, or is one of a list that says why not', () => {
	const commands = all.filter(({ language }) => ['sh', 'js'].includes(language));
	const found = documents.map((document) => {
		const own = commands.filter((block) => block.document === document);
		return [document, own.map(needs).filter((need) => need !== undefined)] as const;
	});
	assert.deepEqual(Object.fromEntries(found.filter(([, list]) => list.length > 0)), notRun);
	const missing = new Set(Object.values(notRun).flat());
	assert.deepEqual([...missing].sort(), Object.keys(reasons).sort());
});

test('a page that calls an address $URL says before what it is', () => {
	for (const block of all.filter(({ language, text }) => language === 'sh' && /\$URL\b/.test(text)))
		assert.match(withEarlier(block), /^URL=.*\$URL\b/ms, where(block));
});
