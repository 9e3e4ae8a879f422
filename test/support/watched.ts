/** Runs a program in a home and a temp folder of its own under the tracer, and tells what it did. */

import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { readTrace, type Seen, startTraced } from './syscallTrace.ts';

export interface Watched extends Seen {
	readonly stdout: string;
	/** Files in its home and temp folder that are not its own. */
	readonly left: readonly string[];
}

export const within = (path: string, parent: string): boolean =>
	path === parent || path.startsWith(parent + sep);

/**
 * Resolves when the program has ended; rejects when it fails.
 * @param own further folders it may write to, below its home
 */
export async function watch(
	args: readonly string[],
	folder: string,
	own: (home: string) => readonly string[] = () => [],
): Promise<Watched> {
	const home = join(folder, 'home');
	const tmp = join(folder, 'tmp');
	for (const path of [home, tmp]) mkdirSync(path, { recursive: true });
	const isOwn = (path: string): boolean =>
		path.startsWith(join(tmp, 'nearglot-')) ||
		['/dev/null', '/dev/tty'].includes(path) ||
		own(home).some((mine) => within(path, mine) || within(mine, path));
	const trace = join(folder, 'trace');
	const child = startTraced(
		[process.execPath, '--disable-warning=ExperimentalWarning', ...args],
		trace,
		{
			env: { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: tmp },
			cwd: home,
			stdio: ['ignore', 'pipe', 'pipe'],
		},
	);
	let stdout = '';
	let stderr = '';
	child.stdout?.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
	});
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	const [code] = (await once(child, 'close')) as [number | null];
	if (code !== 0) throw new Error(`ended with ${code}: ${stderr}`);
	const left = [home, tmp]
		.flatMap((path) =>
			readdirSync(path, { recursive: true, withFileTypes: true })
				.filter((entry) => !entry.isDirectory())
				.map((entry) => join(entry.parentPath, entry.name)),
		)
		.filter((path) => !isOwn(path));
	return { ...readTrace(trace, isOwn), stdout, left };
}
