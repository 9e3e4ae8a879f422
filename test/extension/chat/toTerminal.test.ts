/** Commands that are put at a prompt, and what a terminal shows: nothing runs by itself, and the clipboard is kept. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { commandEnded, commandStarted, desk, resetDesk } from '../vscodeDouble.ts';

const { putIntoTerminal, watchTerminals } = await import('../../../extension/chat/toTerminal.ts');
const { terminalOutput } = await import('../../../extension/ai/terminalOutput.ts');

const lines = 'echo one\necho two\n';
let sent: unknown[][] = [];

function terminal(shell: string | undefined, integrated = true): object {
	return {
		state: { shell },
		shellIntegration: integrated ? {} : undefined,
		show() {},
		sendText: (...words: unknown[]) => sent.push(words),
	};
}

beforeEach(() => {
	resetDesk();
	sent = [];
	desk.clipboard = 'kept';
});

test('one line is typed at the prompt of any shell and waits for Enter', async () => {
	desk.terminal = terminal('bash', false);
	await putIntoTerminal('$ ls -la\n');
	assert.deepEqual(sent, [['ls -la', false]]);
});

test('several lines are pasted as one text where the shell takes it, without the clipboard', async () => {
	for (const shell of ['zsh', 'fish']) {
		desk.terminal = terminal(shell);
		await putIntoTerminal(`${lines}\u001b[201~rm -rf x\n`);
		const [text, runs] = sent.pop() ?? [];
		assert.equal(text, '\u001b[200~echo one\necho two\n[201~rm -rf x\u001b[201~');
		assert.equal(runs, false);
	}
	assert.deepEqual([desk.commands, desk.clipboard], [[], 'kept']);
});

test('a shell that may run lines one by one, or another program, gets several lines only when asked for', async () => {
	using _watching = { [Symbol.dispose]: watchTerminals().dispose };
	const running = terminal('zsh');
	for (const [shown, isBusy] of [
		[terminal('bash'), false],
		[terminal('pwsh'), false],
		[terminal('zsh', false), false],
		[running, true],
	] as const) {
		desk.terminal = shown;
		if (isBusy) commandStarted.fire({ terminal: shown });
		const asked: unknown[][] = [];
		desk.message = async (...words) => {
			asked.push([...words]);
			return undefined;
		};
		await putIntoTerminal(lines);
		assert.deepEqual(asked[0]?.slice(1), ['Open in Editor', 'Copy and Paste']);
	}
	assert.deepEqual([sent, desk.commands, desk.clipboard], [[], [], 'kept']);
	commandEnded.fire({ terminal: running });
	await putIntoTerminal(lines);
	assert.equal(sent.length, 1);
});

test('the answer decides: an editor, or the clipboard, which then keeps the lines', async () => {
	desk.terminal = terminal('bash');
	desk.message = async () => 'Open in Editor';
	await putIntoTerminal(lines);
	assert.deepEqual([desk.documents, desk.commands, desk.clipboard], [[lines], [], 'kept']);
	desk.message = async () => 'Copy and Paste';
	await putIntoTerminal(lines);
	assert.deepEqual(desk.commands.at(-1), ['workbench.action.terminal.paste']);
	// A terminal that pastes late still pastes this.
	assert.equal(desk.clipboard, lines.trim());
});

test('what a terminal shows comes through the clipboard, whose text is there again afterwards', async () => {
	desk.command = (name) => {
		if (String(name).startsWith('workbench.action.terminal.copy')) desk.clipboard = '$ ls\nfile\n';
	};
	assert.equal(await terminalOutput('lastCommand'), '$ ls\nfile');
	assert.equal(desk.clipboard, 'kept');
	desk.command = () => {
		throw new Error('no terminal');
	};
	await assert.rejects(terminalOutput('selection'));
	assert.equal(desk.clipboard, 'kept');
});

test('a clipboard that may hold a picture is not replaced before somebody has agreed', async () => {
	desk.clipboard = '';
	assert.equal(await terminalOutput('lastCommand'), undefined);
	assert.deepEqual(desk.commands, []);
	desk.message = async () => 'Replace';
	assert.equal(await terminalOutput('lastCommand'), '');
	assert.equal(desk.commands.length, 1);
});
