/**
 * A disk that fails or a process that dies at a chosen step of what the store does: loaded before the store,
 * it takes the place of the file functions. `NEARGLOT_FAULT` is `<kind> <step>`.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export const kinds = ['EIO', 'ENOSPC', 'before', 'half', 'after'] as const;

const [kind = '', at = '0'] = (process.env['NEARGLOT_FAULT'] ?? '').split(' ');
let steps = 0;

type Call = (...args: unknown[]) => Promise<unknown>;

function die(): never {
	process.kill(process.pid, 'SIGKILL');
	// The signal may take a moment; nothing is done meanwhile.
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
	throw new Error('unreachable');
}

function faulty(name: string, call: Call): Call {
	return async function (this: unknown, ...args: unknown[]) {
		steps++;
		if (steps !== Number(at)) return call.apply(this, args);
		if (kind === 'before') die();
		if (kind === 'half') {
			const [text] = args;
			if (name === 'writeFile' && typeof text === 'string')
				await call.call(this, text.slice(0, text.length / 2));
			die();
		}
		if (kind === 'after') {
			await call.apply(this, args);
			die();
		}
		throw Object.assign(new Error(`${kind}: injected, ${name}`), { code: kind });
	};
}

const promises = fs.promises as unknown as Record<string, Call>;
for (const name of ['open', 'mkdir', 'readFile', 'rename', 'rm', 'stat', 'utimes']) {
	const call = promises[name];
	if (call) promises[name] = faulty(name, call.bind(promises));
}
const handle = await fs.promises.open(process.execPath, 'r');
steps = 0;
const proto = Object.getPrototypeOf(handle) as Record<string, Call>;
await handle.close();
for (const name of ['writeFile', 'sync', 'close']) {
	const call = proto[name];
	if (call) proto[name] = faulty(name, call);
}
syncBuiltinESMExports();

/** Steps taken since the last call. */
export function stepsTaken(): number {
	const taken = steps;
	steps = 0;
	return taken;
}
