/** `nearglot transcribe --microphone` with a program of the test's own for a microphone. */

import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Home, newHome } from '../support/home.ts';
import { sharedFolder } from '../support/sharedData.ts';

const whisper = sharedFolder('models-tiny', 'whisper-tjs');
const windows = process.platform === 'win32' && 'the program of the test is a shell script';
const skip = whisper.skip || windows;
let home: Home;
let path = '';
before(async () => {
	home = await newHome();
	path = join(home.folder, 'bin');
	await mkdir(path);
	await mkdir(join(home.folder, 'models'));
	if (!whisper.skip)
		await symlink(whisper.path, join(home.folder, 'models', 'whisper-tjs'), 'junction');
	home.env.PATH = path + delimiter + home.env.PATH;
});
after(() => home.close());

/** Plays a recording as if somebody spoke, then silence until it is stopped. */
const silence = 'while head -c 3200 /dev/zero; do sleep 0.1; done';
async function speak(file: string, then = silence): Promise<void> {
	const wav = await readFile(file);
	await writeFile(join(path, 'sound.raw'), wav.subarray(44));
	const script = `#!/bin/sh\ncat '${join(path, 'sound.raw')}'\n${then}\n`;
	await writeFile(join(path, 'pw-record'), script);
	await chmod(join(path, 'pw-record'), 0o755);
}

test('what is spoken is printed, and in every format', { skip }, async () => {
	await speak(join(whisper.path, 'audio', 'a.wav'), 'exit 0');
	const text = await home.run(['transcribe', '--microphone', '--model', 'whisper-tjs']);
	assert.equal(text.stdout, 'The small fox opens the old door and waits.\n', text.stderr);
	assert.equal(text.code, 0);
	const srt = await home.run(['transcribe', '--microphone', '--format', 'srt']);
	assert.match(srt.stdout, /^1\n00:00:0\d,\d+ --> .*\nThe small fox/, srt.stderr);
	const out = join(home.folder, 'said.json');
	await home.run([
		'transcribe',
		'--microphone',
		'--format',
		'verbose_json',
		'--words',
		'--out',
		out,
	]);
	const parsed = JSON.parse(await readFile(out, 'utf8')) as Record<string, unknown>;
	assert.equal((parsed['words'] as unknown[]).length, 9);
	assert.ok(!('type' in parsed));
});

test('the time ends the recording, and so does Ctrl+C, with the text of what was said', {
	skip,
}, async () => {
	await speak(join(whisper.path, 'audio', 'a.wav'));
	const timed = await home.run(['transcribe', '--microphone', '--seconds', '1']);
	assert.equal(timed.stdout, 'The small fox opens the old door and waits.\n', timed.stderr);
	const child = home.start(['transcribe', '--microphone']);
	let stdout = '';
	const said = new Promise<void>((resolve) => {
		child.stdout?.on('data', (chunk: Buffer) => {
			stdout += chunk.toString();
			resolve();
		});
	});
	const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
	// Text comes while the microphone is still on, in the pause behind the sentence.
	await said;
	child.kill('SIGINT');
	assert.equal(await ended, 0);
	assert.equal(stdout, 'The small fox opens the old door and waits.\n');
});

test('wrong use is said', async () => {
	for (const args of [
		['--microphone', 'file.wav'],
		['--microphone', '--seconds', '0'],
		['--microphone', '--temperature', '1'],
		['--seconds', '3', 'file.wav'],
	]) {
		const run = await home.run(['transcribe', ...args]);
		assert.equal(run.code, 2, `${args.join(' ')}: ${run.stderr}`);
	}
});
