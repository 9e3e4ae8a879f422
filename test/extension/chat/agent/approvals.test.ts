/** What a person has allowed an agent's tools. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Approvals, type Memory } from '../../../../extension/chat/agent/approvals.ts';
import type { ApprovalChoice } from '../../../../server/protocol/index.ts';

function setUp() {
	const kept = new Map<string, unknown>();
	const memory: Memory = {
		get: <T>(key: string, usual: T) => (kept.get(key) as T | undefined) ?? usual,
		update: async (key, value) => void kept.set(key, value),
	};
	return { memory, open: () => new Approvals(memory, () => {}) };
}
const never = new AbortController().signal;
const edit = { tool: 'edit_file', detail: 'Change a.ts', scope: 'edit_file' };

/** Answers the question that is open; there must be one. */
async function answered(approvals: Approvals, choice: ApprovalChoice, asked = edit) {
	const answer = approvals.ask(asked, never);
	assert.equal(approvals.request?.detail, asked.detail);
	approvals.decide(approvals.request?.id ?? '', choice);
	return answer;
}

test('once is once, a session lasts as long as the window, always lasts', async () => {
	const { open } = setUp();
	const first = open();
	assert.equal(await answered(first, 'once'), true);
	assert.equal(await answered(first, 'no'), false);
	assert.equal(await answered(first, 'session'), true);
	assert.equal(await first.ask(edit, never), true);
	assert.equal(first.request, null);
	const second = open();
	assert.equal(await answered(second, 'always'), true);
	assert.equal(await open().ask(edit, never), true);
});

test('what was allowed holds for that tool and scope alone, and never where it is asked each time', async () => {
	const approvals = setUp().open();
	const run = (line: string) => ({ tool: 'run_command', detail: line, scope: line });
	assert.equal(await answered(approvals, 'always', run('npm test')), true);
	assert.equal(await approvals.ask(run('npm test'), never), true);
	assert.equal(await answered(approvals, 'no', run('npm test; rm -rf x')), false);
	assert.equal(await answered(approvals, 'always'), true);
	const settings = { ...edit, detail: 'Change .vscode/settings.json', eachTime: true };
	assert.equal(await answered(approvals, 'always', settings), true);
	assert.equal(await answered(approvals, 'no', settings), false);
});

test('questions are asked one after the other, and an answer that is stopped asks no more', async () => {
	const approvals = setUp().open();
	const stop = new AbortController();
	const one = approvals.ask(edit, stop.signal);
	const two = approvals.ask({ ...edit, detail: 'Change b.ts' }, never);
	assert.equal(approvals.request?.detail, 'Change a.ts');
	stop.abort();
	assert.equal(await one, false);
	assert.equal(await approvals.ask(edit, stop.signal), false, 'nothing is asked any more');
	assert.equal(approvals.request?.detail, 'Change b.ts');
	approvals.decide('no such id', 'once');
	approvals.decide(approvals.request?.id ?? '', 'once');
	assert.equal(await two, true);
});
