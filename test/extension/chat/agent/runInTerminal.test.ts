/** The terminals that commands of the agent leave open: one, whatever the commands do. */

import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, mock, test } from 'node:test';
import {
	commandEnded,
	commandStarted,
	desk,
	resetDesk,
	shellIntegrated,
	terminalClosed,
} from '../../vscodeDouble.ts';

const { runInTerminal } = await import('../../../../extension/chat/agent/runInTerminal.ts');
const { watchTerminals } = await import('../../../../extension/chat/toTerminal.ts');

const folder = realpathSync.native(tmpdir());
const elsewhere = join(folder, '..');

/** A terminal whose shell does what a command says: `cd` leaves the folder, `stay` never ends, `deaf` not even when told to. */
class Terminal {
	exitStatus: object | undefined;
	running: string | undefined;
	readonly options: { readonly isTransient?: boolean };
	shellIntegration: object | undefined;
	readonly #shell = {
		cwd: { fsPath: folder },
		executeCommand: (line: string) => this.begin(line),
	};

	constructor(options: Terminal['options'], tells: boolean) {
		this.options = options;
		if (!tells) return;
		queueMicrotask(() => {
			this.shellIntegration = this.#shell;
			shellIntegrated.fire({ terminal: this, shellIntegration: this.#shell });
		});
	}

	begin(line: string) {
		this.running = line;
		commandStarted.fire({ terminal: this });
		if (line.startsWith('cd')) this.#shell.cwd = { fsPath: elsewhere };
		if (!/^(?:stay|deaf)/.test(line)) queueMicrotask(() => this.#end());
		return {
			read: async function* () {
				yield `ran ${line}\n`;
			},
		};
	}

	#end(): void {
		this.running = undefined;
		commandEnded.fire({ terminal: this, exitCode: 0 });
	}

	show() {}

	sendText(text: string): void {
		if (text === '\u0003' && this.running !== undefined && !this.running.startsWith('deaf'))
			this.#end();
	}

	dispose(): void {
		this.exitStatus = { code: undefined };
		terminalClosed.fire(this);
	}
}

let made: Terminal[] = [];
let doShellsTell = true;
const open = () => made.filter(({ exitStatus }) => exitStatus === undefined);
const never = new AbortController().signal;
watchTerminals();

beforeEach(() => {
	for (const terminal of made) terminal.dispose();
	made = [];
	doShellsTell = true;
	resetDesk();
	desk.folders = [folder];
	desk.createTerminal = (options) => {
		const terminal = new Terminal(options, doShellsTell);
		made.push(terminal);
		return terminal;
	};
});

test('commands share a terminal, which a reload of the window closes', async () => {
	for (const line of ['one', 'two', 'three'])
		assert.equal(await runInTerminal(line, never), `Exit code: 0\nran ${line}`);
	assert.deepEqual(
		made.map(({ options }) => options.isTransient),
		[true],
	);
});

test('a terminal that a command has led elsewhere is closed before the next one opens', async () => {
	for (let round = 0; round < 4; round++) await runInTerminal('cd / && pwd', never);
	assert.equal(made.length, 4);
	assert.equal(open().length, 1);
});

test('a terminal in which a person has run something stays theirs', async () => {
	await runInTerminal('cd / && pwd', never);
	made[0]?.begin('their own');
	await Promise.resolve();
	await runInTerminal('one', never);
	assert.equal(open().length, 2);
	await runInTerminal('cd /', never);
	await runInTerminal('two', never);
	assert.deepEqual(
		made.map(({ exitStatus }) => exitStatus === undefined),
		[true, false, true],
	);
});

test('a command that does not end when it is told to ends with its terminal', async () => {
	mock.timers.enable({ apis: ['setTimeout'] });
	try {
		for (const [line, isClosed] of [
			['stay', false],
			['deaf', true],
		] as const) {
			const stop = new AbortController();
			const run = runInTerminal(line, stop.signal);
			const rejected = assert.rejects(run, { code: 'cancelled' });
			while (made.at(-1)?.running !== line) await tick();
			stop.abort();
			await rejected;
			mock.timers.tick(5000);
			await tick();
			assert.equal(made.at(-1)?.exitStatus !== undefined, isClosed, line);
		}
	} finally {
		mock.timers.reset();
	}
	assert.match(await runInTerminal('one', never), /ran one/);
	assert.equal(open().length, 1);
});

test('a terminal whose shell tells nothing is closed', async () => {
	doShellsTell = false;
	mock.timers.enable({ apis: ['setTimeout'] });
	try {
		for (let round = 0; round < 3; round++) {
			const rejected = assert.rejects(runInTerminal('one', never), { code: 'timeout' });
			while (made.length <= round) await tick();
			await tick();
			mock.timers.tick(30_000);
			await rejected;
		}
	} finally {
		mock.timers.reset();
	}
	assert.equal(open().length, 0);
});

/** Lets what is queued go on. */
const tick = () => {
	mock.timers.tick(1000);
	return new Promise((done) => setImmediate(done));
};
