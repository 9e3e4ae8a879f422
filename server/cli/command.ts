/** What every sub-command looks like, and how it talks to the terminal. */

import { debuglog } from 'node:util';
import {
	actionCommand,
	asAppError,
	errno,
	errorActionOf,
	offersIn,
	stackOf,
	systemReason,
} from '../protocol/index.ts';
import { productVersion } from '../protocol/version.ts';
import { onNotice } from '../store/notices.ts';
import { endSignals } from './endSignals.ts';
import { TerminalWriter } from './terminal.ts';

export interface CommandIo {
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: TerminalWriter;
	readonly stderr: TerminalWriter;
	readonly env: NodeJS.ProcessEnv;
	/** Aborted by Ctrl+C and by the end of the terminal. */
	readonly signal: AbortSignal;
}

export interface Command {
	readonly name: string;
	/** One line for the list of commands. */
	readonly summary: string;
	/** Whole text of `--help`. */
	readonly help: string;
	/** What it does is not its output: it goes on when nobody can read that. */
	readonly outlivesOutput?: boolean;
	/** Resolves to the exit code: 0 success, 1 failure, 2 wrong use. */
	run(args: readonly string[], io: CommandIo): Promise<number>;
}

/** With `NODE_DEBUG=nearglot`, where an unexpected error came from. */
const debug = debuglog('nearglot');

/** A second signal after this time means that the person does not want to wait. */
const impatienceMs = 700;

/**
 * Finds the command, runs it and ends the process with its exit code. `--help` and `--version` work
 * everywhere. An unexpected error is one sentence on stderr, never a stack.
 */
export async function runCommand(
	commands: Readonly<Record<string, () => Promise<Command>>>,
	args: readonly string[],
	version = productVersion(),
): Promise<void> {
	const [name, ...rest] = args;
	const stop = new AbortController();
	const io: CommandIo = {
		stdin: process.stdin,
		stdout: new TerminalWriter(process.stdout),
		stderr: new TerminalWriter(process.stderr),
		env: process.env,
		signal: stop.signal,
	};
	let stoppedAt = 0;
	for (const signal of endSignals(process.platform)) {
		process.on(signal, () => {
			// One Ctrl+C often arrives twice: from the terminal and from the process that started us.
			if (stop.signal.aborted && performance.now() - stoppedAt > impatienceMs) process.exit(130);
			if (!stop.signal.aborted) stoppedAt = performance.now();
			stop.abort();
		});
	}
	let command: Command | undefined;
	let isLost = false;
	io.stdout.onFault((error) => {
		// A reader that closed its end (`| head`) is no failure of ours.
		if (errno(error) === 'EPIPE') process.exit(0);
		if (!isLost) {
			const why = systemReason(error) ?? error.message;
			io.stderr.write(`nearglot: The output cannot be written: ${why}. It is not complete.\n`);
		}
		isLost = true;
		process.exitCode = 1;
		if (command?.outlivesOutput !== true) stop.abort();
	});
	// Without a terminal there is still the exit code.
	io.stderr.onFault(() => {});
	if (name === '--version' || name === '-v') {
		io.stdout.write(`${version}\n`);
		return;
	}
	const load = name === undefined ? undefined : commands[name];
	if (!load) {
		const isRequested = name === undefined || name === '--help' || name === '-h' || name === 'help';
		(isRequested ? io.stdout : io.stderr).write(
			`${isRequested ? '' : `Unknown command '${name}'.\n\n`}${await overview(commands)}`,
		);
		process.exitCode = isRequested ? 0 : 2;
		return;
	}
	using _notices = onNotice((text) => io.stderr.write(`nearglot ${name}: ${text}\n`));
	try {
		command = await load();
		if (rest.includes('--help') || rest.includes('-h')) {
			io.stdout.write(`${command.help.trim()}\n`);
			return;
		}
		const code = await command.run(rest, io);
		process.exitCode = isLost ? 1 : code;
	} catch (error) {
		if (stop.signal.aborted) {
			process.exitCode = isLost ? 1 : 130;
			return;
		}
		const { message } = error instanceof UsageError ? error : asAppError(error);
		io.stderr.write(
			`nearglot ${name}: ${message}\n${error instanceof UsageError ? '' : remedy(error)}`,
		);
		debug('%s', stackOf(error) ?? '');
		process.exitCode = error instanceof UsageError ? 2 : 1;
	}
}

/** What can be done about an error, as a command, with what it costs. */
function remedy(error: unknown): string {
	const action = errorActionOf(asAppError(error));
	if (!action) return '';
	const costs = offersIn(action).map(({ bytes, licence }) =>
		bytes === undefined ? licence : `about ${Math.round(bytes / 1e6)} MB, ${licence}`,
	);
	const cost = costs.length === 0 ? '' : `  (${costs.join('; ')})`;
	return `${action.kind === 'search' ? 'Look on the hub' : 'Get it'} with: ${actionCommand(action)}${cost}\n`;
}

/** Wrong use of the command line: exit code 2. */
export class UsageError extends Error {}

async function overview(
	commands: Readonly<Record<string, () => Promise<Command>>>,
): Promise<string> {
	const rows = await Promise.all(Object.values(commands).map((load) => load()));
	const shown = rows.filter((row) => row.summary !== '');
	const width = Math.max(...shown.map((row) => row.name.length));
	const list = shown.map((row) => `  ${row.name.padEnd(width)}  ${row.summary}`).join('\n');
	return `Usage: nearglot COMMAND [OPTIONS]\n\n${list}\n\nnearglot COMMAND --help says more.\n`;
}
