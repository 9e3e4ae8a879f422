/** What reaches a terminal is text: nothing of a model, a name or an error steers it. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { TerminalWriter } from '../../server/cli/terminal.ts';
import { createLogger } from '../../server/daemon/fileLogger.ts';
import { escapedJson, plainText, visibleText } from '../../server/protocol/visibleText.ts';
import { type Home, newHome } from '../support/home.ts';
import { programArgs } from '../support/program.ts';
import { needsLinux } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

/** Title, clipboard, colour, C1, a turn of direction, blanks nobody sees, and hidden tags. */
const hostile =
	'a\u001b]0;PWNED\u0007\u001b[31m\u001b]52;c;cHduZWQ=\u0007\u009b2J\r\b\u202etxt.exe\u2066\u200b\u{e0041}z';
const harmless = 'a]0;PWNED[31m]52;c;cHduZWQ=2Jtxt.exez';
const steers = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function writer(isTTY: boolean, columns?: number) {
	const stream = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY, columns });
	const output = new TerminalWriter(stream as unknown as NodeJS.WriteStream);
	return { output, written: () => String(stream.read() ?? '') };
}

test('words are filtered everywhere, data on a terminal only', () => {
	for (const isTTY of [true, false]) {
		const { output, written } = writer(isTTY);
		output.write(`${hostile}\tb\n`);
		assert.equal(written(), `${harmless}\tb\n`);
	}
	const pipe = writer(false);
	pipe.output.data(hostile);
	assert.equal(pipe.written(), hostile, 'a document in a pipe is what it is');
	const terminal = writer(true);
	terminal.output.data(hostile);
	assert.doesNotMatch(terminal.written(), steers);
});

test('what writing needs stays in answers: joiners, marks of direction, emoji of several parts', () => {
	const text = 'می\u200cخواهم 👩\u200d💻 \u200fא\n\tend';
	assert.equal(plainText(text), text);
	assert.equal(visibleText('pay\u200bpal'), 'paypal');
});

test('a line that is rewritten stays one line, and is none where there is no terminal', () => {
	const { output, written } = writer(true, 20);
	output.status(`one\ntwo ${hostile} and much more`);
	assert.match(written(), /^\r[^\u001b\r\n]{1,19}\u001b\[K$/);
	const pipe = writer(false);
	pipe.output.status('three');
	assert.equal(pipe.written(), '');
});

test('lines of a log hold the same values without one letter that steers', async () => {
	const value = { msg: hostile, nested: { name: '\u202e\u0085' } };
	const line = escapedJson(JSON.stringify(value));
	assert.doesNotMatch(line, /[^\u0020-\u007e]/);
	assert.deepEqual(JSON.parse(line), value);
	const folder = temporaryFolder('log');
	const file = join(folder, 'daemon.log');
	createLogger({ level: 'info', file }).warn(hostile, { reason: hostile });
	const text = await readFile(file, 'utf8');
	assert.doesNotMatch(text.trimEnd(), /[^\u0020-\u007e]/);
	assert.equal(JSON.parse(text).msg, hostile);
	assert.equal(JSON.parse(text).reason, hostile);
});

test('output that cannot be written is a failure with a sentence, wherever it breaks off', {
	skip: needsLinux,
}, () => {
	const [file, args] = [process.execPath, programArgs()];
	const shell = (script: string, ...more: string[]) =>
		spawnSync('sh', ['-c', script, 'sh', file, ...args, ...more], {
			env: home.env,
			encoding: 'utf8',
		});
	const part = join(home.folder, 'part.txt');
	const full = 'exec "$@" > /dev/full';
	// The disk takes the beginning of one piece; Node would be content.
	const cut = `trap '' XFSZ; ulimit -f 1; exec "$@" > '${part}'`;
	for (const [script, ...more] of [
		[full, '--help'],
		[full, '--version'],
		[full, 'models', '--help'],
		[full, 'gateway', '--schema'],
		[full, 'keys', 'list'],
		[cut, 'serve', '--help'],
		[cut, 'gateway', '--schema'],
	] as const) {
		const { status, stderr } = shell(script, ...more);
		assert.equal(status, 1, `${more.join(' ')} ${stderr}`);
		assert.match(stderr, /^nearglot: The output cannot be written: .+\n$/, more.join(' '));
	}
	const deaf = shell('exec "$@" 2> /dev/full', 'nonsense');
	assert.equal(deaf.status, 2, 'an exit code needs no standard error');
});

test('errors and names on the command line do not steer the terminal', async () => {
	const commands: readonly string[][] = [
		[hostile],
		['models', 'info', hostile],
		['serve', '--log-level', hostile],
		['transcribe', hostile],
	];
	for (const args of commands) {
		const { stdout, stderr, code } = await home.run(args);
		assert.notEqual(stdout + stderr, '', args[0]);
		assert.doesNotMatch(stdout + stderr, steers, `${args.slice(0, 2).join(' ')}: ${code}`);
	}
});

test('a translated document in a pipe has every byte it had', async () => {
	const file = join(home.folder, 'odd.txt');
	const text = 'Good morning.\r\n\u202e\u001b[0m 12345\u0085\n';
	await writeFile(file, text);
	const { stdout, stderr, code } = await home.run([
		'translate',
		'--from',
		'de',
		'--to',
		'de',
		file,
	]);
	assert.equal(code, 0, stderr);
	for (const part of ['\r\n', '\u202e', '\u001b[0m', '\u0085']) assert.ok(stdout.includes(part));
});
