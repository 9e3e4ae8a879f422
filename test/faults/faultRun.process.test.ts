/** Some eighty faults, met by the real command line and a real server: each is told in a sentence. */

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { FaultHome } from './faultHome.ts';
import type { Fault } from './faults.ts';
import { complaintsOf } from './messages.ts';
import { startFaults } from './startFaults.ts';
import { workFaults } from './workFaults.ts';

const skip = process.platform === 'win32' ? 'rights and limits are others on Windows' : false;

/** Says what is wrong with what a fault is told as; `undefined` when nothing is. */
async function faultOf({ name, act, names }: Fault): Promise<string | undefined> {
	await using home = await FaultHome.make();
	const { message, done } = await act(home);
	const complaints = message
		.trim()
		.split(/\n(?=nearglot |warning: )/)
		.flatMap((line) => complaintsOf(line.replace(/^(?:nearglot \w+|warning): /, '')));
	if (done) complaints.push('it was not noticed');
	if (!message.includes(names)) complaints.push(`it does not name ${names}`);
	return complaints.length === 0 ? undefined : `${name}: ${complaints.join(', ')}: ${message}`;
}

test('faults of models, hubs and requests are told in sentences', { skip }, () => walk(workFaults));

test('faults of files, folders, rights, disks and ports are told in sentences', { skip }, () =>
	walk(startFaults),
);

async function walk(faults: readonly Fault[]): Promise<void> {
	const waiting = [...faults];
	const bad: string[] = [];
	const worker = async () => {
		for (let next = waiting.shift(); next; next = waiting.shift()) {
			const found = await faultOf(next).catch((error: Error) => `${next?.name}: ${error.stack}`);
			if (found !== undefined) bad.push(found);
		}
	};
	await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
	assert.equal(bad.length, 0, `${bad.length} of ${faults.length}:\n${bad.join('\n')}`);
}
