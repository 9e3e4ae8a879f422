/** `nearglot transcribe` as a person runs it: a daemon, a runner and a tiny model, from file to text. */

import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Home, newHome } from '../support/home.ts';
import { sharedFolder } from '../support/sharedData.ts';

const whisper = sharedFolder('models-tiny', 'whisper-tjs');
const sentence = 'The small fox opens the old door and waits.';
const recording = (name: string) => join(whisper.path, 'audio', `${name}.wav`);
let home: Home;
before(async () => {
	home = await newHome();
	await mkdir(join(home.folder, 'models'));
	if (!whisper.skip)
		await symlink(whisper.path, join(home.folder, 'models', 'whisper-tjs'), 'junction');
});
after(() => home.close());

test('transcribe prints text, subtitles and JSON of files', { skip: whisper.skip }, async () => {
	const text = await home.run(['transcribe', recording('a'), '--model', 'whisper-tjs']);
	assert.equal(text.stderr, '');
	assert.equal(text.stdout, `${sentence}\n`);
	assert.equal(text.code, 0);
	const both = await home.run(['transcribe', recording('a'), recording('b')]);
	assert.match(both.stdout, /^==> .*a\.wav <==\nThe small fox .*\n==> .*b\.wav <==\nGuten Morgen/);
	const srt = await home.run(['transcribe', recording('a'), '--format', 'srt', '--language', 'en']);
	assert.match(
		srt.stdout,
		/^1\n00:00:00,000 --> 00:00:01,800\nThe small fox opens the old door\n\n2\n/,
	);
	const words = await home.run([
		'transcribe',
		recording('a'),
		'--format',
		'verbose_json',
		'--words',
	]);
	const parsed = JSON.parse(words.stdout) as {
		words: unknown[];
		segments: unknown[];
		language: string;
	};
	assert.deepEqual(
		[parsed.words.length, parsed.segments.length, parsed.language],
		[9, 2, 'english'],
	);
});

test('transcribe writes files into a folder, whole or not at all', {
	skip: whisper.skip,
}, async () => {
	const out = join(home.folder, 'out');
	await mkdir(out);
	const bad = join(home.folder, 'bad.wav');
	await writeFile(bad, 'no audio at all');
	const run = await home.run([
		'transcribe',
		recording('a'),
		bad,
		recording('b'),
		'--format',
		'vtt',
		'--out',
		out,
	]);
	assert.equal(run.code, 1);
	assert.match(run.stderr, /bad\.wav: The file is not audio|bad\.wav: This is a text file/);
	assert.deepEqual((await readdir(out)).sort(), ['a.vtt', 'b.vtt']);
	assert.match(await readFile(join(out, 'a.vtt'), 'utf8'), /^WEBVTT\n\n/);
});

test('the built-in model writes Markdown and subtitles, reads standard input, and takes names with spaces', async () => {
	const speech = join(import.meta.dirname, '..', 'fixtures', 'speech');
	const folder = join(home.folder, 'Gespräche äö', 'erste Woche');
	const out = join(home.folder, 'neu', 'Unter titel');
	await mkdir(folder, { recursive: true });
	const file = join(folder, 'Größe #1.flac');
	await copyFile(join(speech, 'annie.flac'), file);
	const model = ['--model', 'starter-speech'];
	// As cmd and PowerShell hand a pattern over.
	const pattern = join(folder, '*.flac');
	const markdown = await home.run(['transcribe', pattern, '--format', 'md', ...model]);
	assert.equal(
		markdown.stdout,
		'# Größe \\#1.flac\n\n**0:00** Please open the new window tomorrow.\n',
	);
	const other = join(speech, 'f2.flac');
	const run = await home.run([
		'transcribe',
		file,
		other,
		'--format',
		'srt',
		'--out',
		out,
		...model,
	]);
	assert.equal(run.code, 0, run.stderr);
	assert.deepEqual((await readdir(out)).sort(), ['Größe #1.srt', 'f2.srt']);
	assert.match(
		await readFile(join(out, 'Größe #1.srt'), 'utf8'),
		/^1\n[\d:,]+ --> [\d:,]+\nPlease open the new window tomorrow\.\n\n$/,
	);
	const subtitles = join(home.folder, 'neu', 'eins');
	for (const path of [`${subtitles}/`, join(subtitles, 'deeper', 'f2.srt')]) {
		const one = await home.run(['transcribe', other, '--format', 'srt', '--out', path, ...model]);
		assert.equal(one.code, 0, one.stderr);
	}
	assert.deepEqual((await readdir(subtitles, { recursive: true })).sort(), [
		'deeper',
		join('deeper', 'f2.srt'),
		'f2.srt',
	]);
	const kept = join(subtitles, 'f2.srt');
	await writeFile(kept, 'mine');
	const again = ['transcribe', other, '--format', 'srt', '--out', kept, ...model];
	const refused = await home.run(again);
	assert.deepEqual([refused.code, await readFile(kept, 'utf8')], [2, 'mine']);
	assert.match(refused.stderr, /f2\.srt exists already; choose another name or add --force\./);
	assert.equal((await home.run([...again, '--force'])).code, 0);
	assert.notEqual(await readFile(kept, 'utf8'), 'mine');
	const piped = await home.run(['transcribe', '-', ...model], await readFile(other));
	assert.equal(piped.stdout, 'I will read it again.\n');
});

test('a folder, empty standard input and a folder that cannot be made are said in words', async () => {
	const none = await home.run(['transcribe', join(home.folder, '*.nothing')]);
	assert.equal(none.code, 1);
	assert.match(none.stderr, /^nearglot transcribe: No file matches .*\*\.nothing\./);
	const folder = await home.run(['transcribe', home.folder]);
	assert.deepEqual([folder.code, folder.stdout], [1, '']);
	assert.match(folder.stderr, /is a folder; name the recordings in it\.\n$/);
	const several = await home.run(['transcribe', 'none.wav', home.folder]);
	assert.match(several.stderr, /none\.wav: It cannot be read: there is no such file\./);
	assert.match(several.stderr, /: It is a folder; name the recordings in it\./);
	const nothing = await home.run(['transcribe', '-']);
	assert.equal(nothing.code, 1);
	assert.match(nothing.stderr, /Nothing came from standard input; send a recording\./);
	const file = join(home.folder, 'a file');
	await writeFile(file, '');
	const taken = await home.run(['transcribe', 'a', 'b', '--format', 'srt', '--out', file]);
	assert.equal(taken.code, 2);
	assert.match(taken.stderr, /'.*a file' cannot be one \(EEXIST\)/);
});

test('recordings that differ in their suffix only get a file each', {
	skip: whisper.skip,
}, async () => {
	const out = join(home.folder, 'both');
	await mkdir(out);
	const wave = await readFile(recording('a'));
	await writeFile(join(home.folder, 'talk.wav'), wave);
	await writeFile(join(home.folder, 'talk.wave'), wave);
	const files = ['talk.wav', 'talk.wave'].map((name) => join(home.folder, name));
	const run = await home.run(['transcribe', ...files, '--format', 'srt', '--out', out]);
	assert.equal(run.code, 0, run.stderr);
	assert.deepEqual((await readdir(out)).sort(), ['talk.wav.srt', 'talk.wave.srt']);
});

test('wrong use is said with exit code 2, a missing file with 1', async () => {
	for (const args of [
		[],
		['a', '--format', 'xml'],
		['a', 'b', '--format', 'srt'],
		['a', '--words'],
	]) {
		const run = await home.run(['transcribe', ...args]);
		assert.equal(run.code, 2, `${args.join(' ')}: ${run.stderr}`);
		assert.match(run.stderr, /^nearglot transcribe: /);
	}
	const missing = await home.run(['transcribe', join(home.folder, 'none.wav')]);
	assert.equal(missing.code, 1);
	assert.match(missing.stderr, /none\.wav cannot be read: there is no such file/);
	const help = await home.run(['transcribe', '--help']);
	assert.equal(help.code, 0);
	assert.match(help.stdout, /--language L/);
});
