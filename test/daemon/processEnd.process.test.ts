/** The end of processes whose pipes somebody else has inherited and keeps open. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { onProcessEnd } from '../../server/daemon/processEnd.ts';
import { RunnerProcess } from '../../server/daemon/runnerProcess.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Ends with code 7 and leaves a process that has its pipes and stays. */
const leavesOne = (noted: string) => `
	const { spawn } = require('node:child_process');
	const stays = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
	require('node:fs').writeFileSync(${JSON.stringify(noted)}, String(stays.pid));
	process.stderr.write('last words', () => process.exit(7));`;

const left: string[] = [];
afterEach(() => {
	for (const noted of left.splice(0)) process.kill(Number(readFileSync(noted, 'utf8')), 'SIGKILL');
});

function leaving(): string[] {
	const noted = join(temporaryFolder('left'), 'pid');
	left.push(noted);
	return ['-e', leavesOne(noted)];
}

const endOf = (child: ChildProcess, waitMs?: number) =>
	new Promise<unknown>((resolve) =>
		onProcessEnd(child, (code, signal) => resolve([code, signal]), waitMs),
	);

test('a process is over though another one keeps its pipes, and what it wrote is there', async () => {
	const child = spawn(process.execPath, leaving(), { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
	let said = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		said += text;
	});
	assert.deepEqual(await endOf(child), [7, null]);
	assert.equal(said, 'last words');
});

test('a process that closes its pipes is over without a wait', async () => {
	const child = spawn(process.execPath, ['-e', 'process.exit(3)'], { stdio: 'pipe' });
	// Waiting so long would be seen.
	assert.deepEqual(await endOf(child, 3_600_000), [3, null]);
});

test('who waits for a runner hears of its end, and a server can end', async () => {
	const command = { file: process.execPath, args: leaving(), env: process.env };
	const runner = new RunnerProcess({ model: 'm', command, log: silentLogger });
	await assert.rejects(
		runner.call('ping', undefined),
		/ended with code 7\. It said last: last words\. The next/,
	);
	await runner.close();
});
