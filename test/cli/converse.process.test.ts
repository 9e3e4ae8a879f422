/** A conversation of `nearglot chat` with somebody at a terminal. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { chatCommand } from '../../server/cli/chatCommand.ts';
import type { CommandIo } from '../../server/cli/command.ts';
import { TerminalWriter } from '../../server/cli/terminal.ts';
import { startFakeDaemon } from '../support/fakeDaemon.ts';
import { type Home, newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let home: Home;
before(async () => {
	home = await newHome();
});
after(() => home.close());

/**
 * Types each line when the last answer is there, and those of `early` as soon as the first one begins; gives
 * the answers and what the terminal shows beside them.
 */
async function converse(
	questions: readonly string[],
	early = '',
	env = home.env,
	model = 'starter-chat',
) {
	const stdin = Object.assign(new PassThrough(), { isTTY: true });
	const stdout = new PassThrough().setEncoding('utf8');
	const stderr = new PassThrough().setEncoding('utf8');
	const answers: string[] = [];
	let answer = '';
	let told = '';
	const waiting = [...questions];
	let unsaid = early;
	stdout.on('data', (text: string) => {
		answer += text;
		if (unsaid !== '') stdin.write(unsaid);
		unsaid = '';
	});
	stderr.on('data', (text: string) => {
		told += text;
		if (!text.endsWith('> ')) return;
		answers.push(answer);
		answer = '';
		stdin.write(`${waiting.shift() ?? ''}\n`);
	});
	const io = {
		stdin,
		stdout: new TerminalWriter(stdout as unknown as NodeJS.WriteStream),
		stderr: new TerminalWriter(stderr as unknown as NodeJS.WriteStream),
		env,
		signal: new AbortController().signal,
	};
	const code = await chatCommand.run([model, '--temperature', '0'], io as unknown as CommandIo);
	assert.equal(code, 0, told);
	return { answers: answers.slice(1), told };
}

const twelve = [
	'how do I list all files',
	'show free disk space',
	'find large files',
	'what is a mutex?',
	'extract a tar.gz file',
	'who wrote hamlet?',
	'how do I list models',
	'count lines in a file',
	'show running processes',
	'show the date',
	'compress a folder',
	'how do I list all files',
];

test('twelve questions in a row are answered as each is alone, and one line says that earlier ones are not read', async () => {
	const { answers, told } = await converse(twelve);
	assert.equal(answers.length, twelve.length);
	for (const [index, question] of twelve.entries()) {
		const alone = await converse([question]);
		assert.deepEqual([answers[index]], alone.answers, question);
	}
	assert.equal(told.match(/does not read all of this conversation/g)?.length, 1, told);
	const [before] = told.split('does not read');
	assert.equal(before?.match(/> /g)?.length, 2, 'told with the second question');
});

test('one question says nothing of turns; one that is too long costs only itself', async () => {
	const { answers, told } = await converse(['word '.repeat(600), 'show the date']);
	assert.equal(answers[0], '');
	assert.match(answers[1] ?? '', /date/);
	assert.match(told, /this model reads 512 tokens including the answer. Shorten it by at least/);
	assert.doesNotMatch(told, /does not read all/);
});

test('lines typed while an answer is written are asked next, in their order', async () => {
	const [first = '', second = '', third = ''] = twelve;
	const one = await converse([first, second, third]);
	for (const [questions, early] of [
		[[first], `${second}\n\n${third}\n`],
		[[`${first}\n${second}\n${third}`], ''],
	] as const) {
		const { answers, told } = await converse(questions, early);
		assert.equal(answers.join(''), one.answers.join(''));
		for (const line of [second, third]) assert.ok(told.includes(`> ${line}\n`), told);
	}
});

test('half a line typed while an answer is written is gone on with', async () => {
	const [first = '', second = ''] = twelve;
	const one = await converse([first, second]);
	const { answers } = await converse([first, second.slice(5)], second.slice(0, 5));
	assert.deepEqual(answers, one.answers);
});

test('all turns of a conversation say that they are of the same one, and those of another that they are not', async () => {
	const folder = temporaryFolder('converse');
	const daemon = await startFakeDaemon(folder);
	try {
		const env = { ...process.env, NEARGLOT_HOME: folder };
		await converse(['one', 'two'], '', env, 'fake');
		await converse(['one'], '', env, 'fake');
		const [first, second, other] = daemon.conversations;
		assert.match(first ?? '', /^[\da-f-]{36}$/);
		assert.equal(second, first);
		assert.match(other ?? '', /^[\da-f-]{36}$/);
		assert.notEqual(other, first);
	} finally {
		await daemon.close();
	}
});
