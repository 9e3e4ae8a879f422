/**
 * Loaded before a process: its calendar is as many milliseconds off as the file `NEARGLOT_CLOCK` says, while the
 * clock that measures time runs on. So is a machine whose clock somebody sets.
 */

import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const file = process.env['NEARGLOT_CLOCK'] ?? '';
const TrueDate = Date;
let offsetMs = 0;
let readAt = Number.NEGATIVE_INFINITY;

function now() {
	const at = performance.now();
	if (at - readAt > 50) {
		readAt = at;
		try {
			offsetMs = Number(readFileSync(file, 'utf8')) || 0;
		} catch {
			// Nobody has set it.
		}
	}
	return TrueDate.now() + offsetMs;
}

globalThis.Date = new Proxy(TrueDate, {
	get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
	apply: () => new TrueDate(now()).toString(),
	construct: (target, args, made) =>
		Reflect.construct(target, args.length === 0 ? [now()] : args, made),
});
