/** Whether a process lives. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isAlive, lives, thisProcess } from '../../server/store/processIdentity.ts';
import { until } from '../support/until.ts';

test('this process lives, and a number that no process has does not', () => {
	assert.equal(isAlive(process.pid), true);
	assert.equal(isAlive(2 ** 22 + 1), false);
});

test('a process that has ended does not live while its parent does not look', {
	skip: process.platform === 'linux' ? false : 'only Linux tells',
}, async () => {
	// The shell becomes a program that never looks after the child it had.
	const parent = spawn('sh', ['-c', 'sh -c "read line" <&3 & echo $!; exec sleep 60'], {
		stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
	});
	try {
		const [line] = (await once(parent.stdout as NodeJS.ReadableStream & EventEmitter, 'data')) as [
			Buffer,
		];
		const pid = Number(String(line));
		assert.equal(isAlive(pid), true);
		const began = readFileSync(`/proc/${pid}/stat`, 'utf8')
			.replace(/^.*\) /s, '')
			.split(' ')[19];
		(parent.stdio[3] as NodeJS.WritableStream).end('\n');
		await until('it has ended', () => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z'));
		assert.equal(isAlive(pid), false);
		assert.equal(lives({ ...thisProcess(), pid, began: began ?? '' }), false);
	} finally {
		parent.kill('SIGKILL');
	}
});
