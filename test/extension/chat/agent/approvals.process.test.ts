/** What a person has allowed an agent's tools, once and for longer, and takes back. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Allowances } from '../../../../extension/chat/agent/allowances.ts';
import { Approvals } from '../../../../extension/chat/agent/approvals.ts';
import type { ApprovalChoice } from '../../../../server/protocol/index.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { until } from '../../../support/until.ts';

/** A workspace; each window of it has its own session. */
function setUp() {
	const path = join(temporaryFolder('approvals'), 'agent/workspace.json');
	const open = () => {
		const allowances = new Allowances(() => path);
		return { allowances, approvals: new Approvals(allowances, () => {}) };
	};
	return { path, open };
}
const never = new AbortController().signal;
const edit = { tool: 'edit_file', detail: 'Change a.ts', scope: 'edit_file' };
const run = (line: string) => ({ tool: 'run_command', detail: line, scope: line });

const isAsked = (approvals: Approvals, detail: string) =>
	until(`'${detail}' is asked`, () => approvals.request?.detail === detail);

/** Answers the question that is open; there must be one. */
async function answered(approvals: Approvals, choice: ApprovalChoice, asked = edit) {
	const answer = approvals.ask(asked, never);
	await isAsked(approvals, asked.detail);
	approvals.decide(approvals.request?.id ?? '', choice);
	return answer;
}

test('once is once, a session lasts as long as the window and holds in all its chats, always lasts', async () => {
	const { open } = setUp();
	const { approvals: first, allowances } = open();
	assert.equal(await answered(first, 'once'), true);
	assert.equal(await answered(first, 'no'), false);
	assert.equal(await answered(first, 'session'), true);
	assert.equal(await first.ask(edit, never), true);
	assert.equal(first.request, null);
	assert.equal(await new Approvals(allowances, () => {}).ask(edit, never), true);
	const { approvals: second } = open();
	assert.equal(await answered(second, 'always'), true);
	assert.equal(await open().approvals.ask(edit, never), true);
});

test('what was allowed holds for that tool and scope alone, and never where it is asked each time', async () => {
	const { approvals } = setUp().open();
	assert.equal(await answered(approvals, 'always', run('npm test')), true);
	assert.equal(await approvals.ask(run('npm test'), never), true);
	assert.equal(await answered(approvals, 'no', run('npm test; rm -rf x')), false);
	assert.equal(await answered(approvals, 'always'), true);
	const settings = { ...edit, detail: 'Change .vscode/settings.json', eachTime: true };
	assert.equal(await answered(approvals, 'always', settings), true);
	assert.equal(await answered(approvals, 'no', settings), false);
});

test('questions are asked one after the other, and an answer that is stopped asks no more', async () => {
	const { approvals } = setUp().open();
	const stop = new AbortController();
	const one = approvals.ask(edit, stop.signal);
	await isAsked(approvals, 'Change a.ts');
	const two = approvals.ask({ ...edit, detail: 'Change b.ts' }, never);
	assert.equal(approvals.request?.detail, 'Change a.ts');
	stop.abort();
	assert.equal(await one, false);
	assert.equal(await approvals.ask(edit, stop.signal), false, 'nothing is asked any more');
	await isAsked(approvals, 'Change b.ts');
	approvals.decide('no such id', 'once');
	approvals.decide(approvals.request?.id ?? '', 'once');
	assert.equal(await two, true);
});

test('what is taken back is asked for again, also in a window that had it before', async () => {
	const { open, path } = setUp();
	const [one, other] = [open(), open()];
	await answered(one.approvals, 'session');
	for (const line of ['npm test', 'npm run lint'])
		await answered(one.approvals, 'always', run(line));
	assert.equal(await other.approvals.ask(run('npm test'), never), true);
	const given = await other.allowances.list();
	assert.deepEqual(
		given.map(({ scope, isAlways }) => [scope, isAlways]),
		[
			['npm test', true],
			['npm run lint', true],
		],
		'the session of another window is not told',
	);
	let changes = 0;
	const end = other.allowances.onChange(() => changes++);
	await other.allowances.takeBack(given.slice(0, 1));
	end();
	assert.equal(changes, 1);
	assert.equal(await answered(one.approvals, 'no', run('npm test')), false);
	assert.equal(await one.approvals.ask(run('npm run lint'), never), true);
	assert.doesNotMatch(await readFile(path, 'utf8'), /npm test/);
	const [session] = await one.allowances.list();
	assert.equal(session?.isAlways, false);
	await one.allowances.takeBack([session!]);
	assert.equal(await answered(one.approvals, 'no'), false);
});

test('two windows that allow something at once lose nothing', async () => {
	const { open } = setUp();
	const [one, other] = [open().allowances, open().allowances];
	const lines = Array.from({ length: 10 }, (_, index) => `line ${index}`);
	await Promise.all(
		lines.map((scope, index) =>
			(index % 2 === 0 ? one : other).give({ tool: 'run_command', scope, isAlways: true }),
		),
	);
	const kept = (await open().allowances.list()).map(({ scope }) => scope);
	assert.deepEqual(kept.sort(), lines);
});

test('what was allowed for some folders is asked for again when others are open', async () => {
	const folder = temporaryFolder('approvals');
	let open = 'one';
	const allowances = new Allowances(() => join(folder, `${open}.json`));
	const approvals = new Approvals(allowances, () => {});
	await answered(approvals, 'session');
	await answered(approvals, 'always', run('npm test'));
	open = 'one and another';
	assert.deepEqual(await allowances.list(), []);
	assert.equal(await answered(approvals, 'no'), false);
	assert.equal(await answered(approvals, 'no', run('npm test')), false);
	await allowances.takeBack([{ tool: 'edit_file', scope: 'edit_file', isAlways: false }]);
	open = 'one';
	assert.equal(await approvals.ask(edit, never), true);
	assert.equal(await approvals.ask(run('npm test'), never), true);
});

test('what cannot be kept always is allowed in this session, and said', async () => {
	const { path, open } = setUp();
	const { allowances } = open();
	const errors: unknown[] = [];
	const approvals = new Approvals(
		allowances,
		() => {},
		(error) => errors.push(error),
	);
	await writeFile(dirname(path), 'a file in the place of the folder');
	assert.equal(await answered(approvals, 'always', run('npm test')), true);
	assert.equal(errors.length, 1);
	assert.equal(await approvals.ask(run('npm test'), never), true);
	assert.equal(approvals.request, null);
});
