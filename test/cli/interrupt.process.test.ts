/** Ctrl+C and Ctrl+D at the terminal of `nearglot chat`, as keys: a line editor takes them before they are signals. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { chatCommand } from '../../server/cli/chatCommand.ts';
import type { CommandIo } from '../../server/cli/command.ts';
import { TerminalWriter } from '../../server/cli/terminal.ts';
import { type FakeDaemon, startFakeDaemon } from '../support/fakeDaemon.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const ctrlC = '\u0003';
const ctrlD = '\u0004';
const folder = temporaryFolder('interrupt');
let daemon: FakeDaemon;
before(async () => {
	daemon = await startFakeDaemon(folder);
});
after(async () => {
	await daemon.close();
});

/** A conversation whose keys a test presses when it has seen what it waits for. */
function terminal() {
	const stdin = Object.assign(new PassThrough(), { isTTY: true });
	let shown = '';
	let waiting: { readonly pattern: RegExp; readonly done: () => void } | undefined;
	const screen = () => {
		const stream = Object.assign(new PassThrough().setEncoding('utf8'), {
			isTTY: true,
			columns: 80,
		});
		stream.on('data', (text: string) => {
			shown += text;
			if (!waiting?.pattern.test(shown)) return;
			shown = '';
			waiting.done();
		});
		return new TerminalWriter(stream as unknown as NodeJS.WriteStream);
	};
	const stop = new AbortController();
	const io = { stdin, stdout: screen(), stderr: screen(), signal: stop.signal };
	const code = chatCommand.run([], {
		...io,
		env: { ...process.env, NEARGLOT_HOME: folder },
	} as unknown as CommandIo);
	return {
		code,
		stop,
		/** Waits for something new on the screen, then presses keys. */
		press: async (pattern: RegExp, keys: string) => {
			await new Promise<void>((resolve) => {
				waiting = { pattern, done: resolve };
				if (!pattern.test(shown)) return;
				shown = '';
				resolve();
			});
			stdin.write(keys);
		},
	};
}

test('Ctrl+C stops an answer, the conversation goes on, and at the prompt it ends it', async () => {
	const { code, press } = terminal();
	daemon.answer = { words: ['Use ', 'it.'], hang: true };
	await press(/> /, 'first\r');
	const left = daemon.left();
	await press(/Use/, ctrlC);
	await press(/stopped[\s\S]*> /, 'second\r');
	await press(/Use/, ctrlC);
	await press(/stopped[\s\S]*> /, ctrlC);
	assert.equal(await code, 130);
	assert.ok(daemon.left() > left, 'the server has heard of it');
	const [, second] = daemon.chats as { messages: { role: string; content: string }[] }[];
	assert.deepEqual(
		second?.messages.map(({ role, content }) => `${role}: ${content}`),
		['user: first', 'assistant: Use ', 'user: second'],
		'what had come stays',
	);
});

test('Ctrl+D ends the conversation, at the prompt and during an answer', async () => {
	const atPrompt = terminal();
	await atPrompt.press(/> /, ctrlD);
	assert.equal(await atPrompt.code, 0);
	const during = terminal();
	daemon.answer = { words: ['Use ', 'it.'], hang: true };
	await during.press(/> /, 'first\r');
	await during.press(/Use/, ctrlD);
	assert.equal(await during.code, 0);
});

test('a signal ends the conversation as it ends other commands', async () => {
	const { code, press, stop } = terminal();
	await press(/> /, '');
	stop.abort();
	assert.equal(await code, 130);
});
