/** Ctrl+C at the scripts: what they have started ends softly, on every system. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { forwardSignals } from '../../scripts/forwardSignals.mjs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'];

test('signals are passed on, but on Windows, where that would be killing', () => {
	for (const platform of ['linux', 'darwin', 'win32']) {
		const source = new EventEmitter();
		const passed: string[] = [];
		const stop = forwardSignals({ kill: (name: string) => passed.push(name) }, source, platform);
		for (const signal of signals) source.emit(signal);
		assert.deepEqual(passed, platform === 'win32' ? [] : signals.slice(0, 3), platform);
		// Without a listener Ctrl+Break would end this process before its child has ended.
		assert.equal(source.listenerCount('SIGBREAK'), platform === 'win32' ? 1 : 0);
		stop();
		assert.deepEqual(source.eventNames(), []);
	}
});

test('the scripts that start others pass signals on in no other way', () => {
	for (const name of ['run', 'start']) {
		const text = readFileSync(new URL(`../../scripts/${name}.mjs`, import.meta.url), 'utf8');
		assert.match(text, /forwardSignals\(child\)/, name);
		assert.doesNotMatch(text, /process\.on(?:ce)?\('SIG|child\.kill/, name);
	}
});
