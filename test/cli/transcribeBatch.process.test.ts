/** `nearglot transcribe --batch`: recordings of a folder through the model server, fetched by whichever command comes then. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Home, newHome } from '../support/home.ts';
import { programArgs } from '../support/program.ts';
import { needsSignals } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const speech = join(import.meta.dirname, '../fixtures/speech');
const sentence = 'Please open the new window tomorrow.\n';
const model = ['--batch', '--model', 'starter-speech'];
let home: Home;
before(async () => {
	home = await newHome();
});
const children: ChildProcess[] = [];
after(async () => {
	for (const child of children) child.kill('SIGKILL');
	await home.close();
});

function start(args: readonly string[]): ChildProcess {
	const child = spawn(process.execPath, programArgs(...args), {
		...{ env: home.env, stdio: ['ignore', 'ignore', 'pipe'] },
	});
	children.push(child);
	return child;
}

async function batches(): Promise<{ readonly metadata: { readonly name: string } }[]> {
	const { code, stdout, stderr } = await home.run(['batch', 'list', '--json']);
	assert.equal(code, 0, stderr);
	return JSON.parse(stdout);
}

test('transcripts lie beside their recordings, what is there stays, and what fails is said', async () => {
	const folder = temporaryFolder('meetings');
	await mkdir(join(folder, 'sub'));
	await copyFile(join(speech, 'annie.flac'), join(folder, 'annie.flac'));
	await copyFile(join(speech, 'annie.flac'), join(folder, 'sub/again.flac'));
	await writeFile(join(folder, 'bad.wav'), 'no audio at all');
	await writeFile(join(folder, 'notes.md'), '');
	const first = await home.run(['transcribe', folder, ...model]);
	assert.equal(first.code, 1, first.stderr);
	assert.match(first.stderr, /bad\.wav: .*not audio/);
	assert.match(first.stderr, /2 transcribed, 1 failed/);
	assert.equal(await readFile(join(folder, 'annie.txt'), 'utf8'), sentence);
	assert.equal(await readFile(join(folder, 'sub/again.txt'), 'utf8'), sentence);
	await writeFile(join(folder, 'annie.txt'), 'corrected');
	const second = await home.run(['transcribe', join(folder, '*.flac'), ...model]);
	assert.equal(second.code, 0, second.stderr);
	assert.match(second.stderr, /0 transcribed, 1 there already/);
	assert.equal(await readFile(join(folder, 'annie.txt'), 'utf8'), 'corrected');
	const out = join(folder, 'out');
	const third = await home.run(['transcribe', folder, ...model, '--format', 'srt', '--out', out]);
	assert.match(third.stderr, /2 transcribed, 1 failed/);
	assert.match(await readFile(join(out, 'sub/again.srt'), 'utf8'), /^1\n00:00:0.*-->/);
	for (const other of [['--translate'], ['--microphone']]) {
		const refused = await home.run(['transcribe', folder, ...model, ...other]);
		assert.equal(refused.code, 2, refused.stderr);
	}
});

test('a recording that was left to the server is not sent again, and one that is added is found', {
	skip: needsSignals,
}, async () => {
	const folder = temporaryFolder('meetings');
	await copyFile(join(speech, 'annie.flac'), join(folder, 'left.flac'));
	const own = async () => (await batches()).filter(({ metadata }) => metadata.name === 'left.flac');
	// One of the same content is not asked for again, and has a transcript of its own.
	await copyFile(join(speech, 'annie.flac'), join(folder, 'same.flac'));
	const left = start(['transcribe', folder, ...model]);
	left.stderr?.resume();
	const ended = once(left, 'exit');
	await until('it is handed over', async () => (await own()).length > 0);
	left.kill('SIGINT');
	await ended;
	// The command that was ended may have come as far as its transcript, of which the next one says that it is there.
	const there = ['left.txt', 'same.txt'].filter((name) => existsSync(join(folder, name))).length;
	const watching = start(['transcribe', folder, ...model, '--watch']);
	let said = '';
	watching.stderr?.setEncoding('utf8').on('data', (part: string) => {
		said += part;
	});
	const text = async (name: string) => {
		await until(`${name} is there`, () => existsSync(join(folder, name)));
		return readFile(join(folder, name), 'utf8');
	};
	assert.equal(await text('left.txt'), sentence);
	assert.equal(await text('same.txt'), sentence);
	assert.equal((await own()).length, 1);
	await copyFile(join(speech, 'annie.flac'), join(folder, 'new.flac'));
	assert.equal(await text('new.txt'), sentence);
	// Its own transcripts are changes of the folder, too: of those it has nothing to say.
	await copyFile(join(speech, 'annie.flac'), join(folder, 'last.flac'));
	assert.equal(await text('last.txt'), sentence);
	const told = () =>
		[...said.matchAll(/^(\d+) transcribed/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
	await until('all is said', () => told() === 4 - there);
	const nothing = [...said.matchAll(/^0 transcribed.*$/gm)].map(([line]) => line);
	assert.deepEqual(nothing, there === 2 ? ['0 transcribed, 2 there already'] : []);
	const stopped = once(watching, 'exit');
	watching.kill('SIGINT');
	await stopped;
});
