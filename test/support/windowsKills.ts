/**
 * How Windows ends processes (TerminateProcess): whatever signal is sent, the process has no word in it and ends at once,
 * and with it those that Node has started for it, but for detached ones. Other signals do not exist.
 */

import { ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export interface Kill {
	/** Number of the process that was to end. */
	readonly pid: number;
	readonly signal: string;
}

/** The variable that names the file into which programs of tests write whom they have killed. */
const listVariable = 'NEARGLOT_TEST_KILLS';

const ending: ReadonlySet<unknown> = new Set([
	'SIGINT',
	'SIGQUIT',
	'SIGTERM',
	'SIGKILL',
	2,
	3,
	9,
	15,
]);

/** Makes this process one of Windows, as far as killing goes, until disposed. */
export function killAsWindows(onKill: (kill: Kill) => void): Disposable {
	const { kill } = process;
	const childKill = ChildProcess.prototype.kill;
	const hard = (pid: number, signal: unknown): 'SIGKILL' => {
		onKill({ pid, signal: String(signal) });
		if (ending.has(signal)) return 'SIGKILL';
		throw Object.assign(new Error('kill ENOSYS'), { code: 'ENOSYS', syscall: 'kill' });
	};
	process.kill = (pid, signal = 'SIGTERM') =>
		Reflect.apply(kill, process, [pid, signal === 0 ? 0 : hard(pid, signal)]);
	ChildProcess.prototype.kill = function (this: ChildProcess, signal = 'SIGTERM') {
		return Reflect.apply(childKill, this, [signal === 0 ? 0 : hard(this.pid ?? 0, signal)]);
	};
	return {
		[Symbol.dispose]: () => {
			process.kill = kill;
			ChildProcess.prototype.kill = childKill;
		},
	};
}

/** Variables of a program that is to be as on Windows, and so what it starts; each kill goes into the file. */
export const windowsKillsEnv = (list: string): NodeJS.ProcessEnv => ({
	[listVariable]: list,
	NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${pathToFileURL(import.meta.filename).href}`,
});

/** Whom such programs have killed. */
export const killsIn = (list: string): Kill[] =>
	existsSync(list)
		? readFileSync(list, 'utf8')
				.split('\n')
				.filter((line) => line !== '')
				.map((line) => JSON.parse(line) as Kill)
		: [];

const list = process.env[listVariable];
if (list !== undefined) killAsWindows((kill) => appendFileSync(list, `${JSON.stringify(kill)}\n`));
