/** New messages are looked through: what is decided, corrected, written, and what happens when something fails. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reviewRows } from '../../../extension/actions/review/reviewRows.ts';
import {
	type ReviewDeps,
	ReviewSession,
	type ReviewTarget,
} from '../../../extension/actions/review/reviewSession.ts';
import {
	AppError,
	parseReviewMessage,
	type ReviewHostMessage,
	type ReviewRow,
} from '../../../server/protocol/index.ts';

const targets: readonly ReviewTarget[] = [
	{ path: 'de.json', to: 'de' },
	{ path: 'fr.json', to: 'fr' },
];
const row = ({ path, to }: ReviewTarget, key: string, text: string): ReviewRow => ({
	...{ id: `${path}\n${key}`, key, path, to, source: key, text },
	...{ decision: 'open', isEdited: false },
});

/** A session whose files lack two messages each, the second without a proposal. */
function open(changes: Partial<ReviewDeps> = {}) {
	const written: (readonly ReviewRow[])[] = [];
	const errors: unknown[] = [];
	const session = new ReviewSession('en.json', targets, {
		fill: async (target) => [row(target, 'open', `${target.to} open`), row(target, 'lost', '')],
		check: async ({ text }) => (text.includes('{name}') ? undefined : '{name} is missing'),
		write: async (rows) => {
			written.push(rows);
			return { ids: new Set(rows.map(({ id }) => id)), note: 'done' };
		},
		reveal: async () => undefined,
		onError: (error) => errors.push(error),
		languageName: (code) => code,
		strings: {},
		...changes,
	});
	const posted: ReviewHostMessage[] = [];
	session.post = (message) => posted.push(message);
	const rows = async (): Promise<readonly ReviewRow[]> => {
		await session.handle({ type: 'ready' });
		return posted.at(-1)?.rows ?? [];
	};
	const state = () => posted.at(-1)?.state;
	return { session, written, errors, rows, state };
}

test('rows of all files are there one file after the other, and nothing is decided for the user', async () => {
	const { session, rows, state } = open();
	await session.fill();
	assert.deepEqual(
		(await rows()).map(({ id, decision }) => [id, decision]),
		[
			['de.json\nopen', 'open'],
			['de.json\nlost', 'open'],
			['fr.json\nopen', 'open'],
			['fr.json\nlost', 'open'],
		],
	);
	assert.equal(state()?.progress, null);
	assert.equal(session.isUnwritten, false);
	assert.equal(session.isDone, false);
});

test('only what was accepted is written, once, and an empty proposal cannot be accepted', async () => {
	const { session, written, rows } = open();
	await session.fill();
	const ids = (await rows()).map(({ id }) => id);
	await session.handle({ type: 'decide', ids, decision: 'accepted' });
	await session.handle({ type: 'decide', ids: ['fr.json\nopen'], decision: 'skipped' });
	assert.equal(session.isUnwritten, true);
	await session.handle({ type: 'write' });
	await session.handle({ type: 'write' });
	assert.deepEqual(
		written.map((all) => all.map(({ id }) => id)),
		[['de.json\nopen']],
	);
	assert.equal(session.isUnwritten, false);
	await session.handle({ type: 'decide', ids: ['de.json\nopen'], decision: 'open' });
	assert.equal((await rows())[0]?.decision, 'written');
});

test('what somebody writes is accepted and checked; a fault of a text that is gone is not shown', async () => {
	let answer: (fault: string | undefined) => void = () => undefined;
	const checks: string[] = [];
	const { session, rows } = open({
		check: ({ text }) => {
			checks.push(text);
			return new Promise((resolve) => {
				answer = resolve;
			});
		},
	});
	await session.fill();
	const id = 'de.json\nlost';
	const first = session.handle({ type: 'edit', id, text: 'weg' });
	const answerFirst = answer;
	const second = session.handle({ type: 'edit', id, text: '{name} weg' });
	answerFirst('{name} is missing');
	answer(undefined);
	await Promise.all([first, second]);
	const edited = (await rows()).find((one) => one.id === id);
	assert.deepEqual(
		[edited?.text, edited?.decision, edited?.isEdited, edited?.fault],
		['{name} weg', 'accepted', true, undefined],
	);
	const third = session.handle({ type: 'edit', id, text: 'fort' });
	answer('{name} is missing');
	await third;
	assert.equal((await rows()).find((one) => one.id === id)?.fault, '{name} is missing');
	assert.deepEqual(checks, ['weg', '{name} weg', 'fort']);
});

test('a failure is shown with what is there, and another try goes on with what is left', async () => {
	let fails = true;
	const filled: string[] = [];
	const { session, errors, rows, state } = open({
		fill: async (target) => {
			if (target.to === 'fr' && fails) throw new AppError('model_not_found', 'No model.');
			filled.push(target.to);
			return [row(target, 'open', 'x')];
		},
	});
	await session.fill();
	assert.equal(state()?.problem, 'No model.');
	assert.equal(errors.length, 1);
	assert.equal((await rows()).length, 1);
	fails = false;
	await session.handle({ type: 'again' });
	assert.equal(state()?.problem, null);
	assert.deepEqual(filled, ['de', 'fr']);
});

test('stopping ends what runs, says nothing of a failure, and keeps the rows', async () => {
	const { session, errors, rows, state } = open({
		fill: (target, _, signal) =>
			target.to === 'de'
				? Promise.resolve([row(target, 'open', 'x')])
				: new Promise((_resolve, reject) => {
						signal.addEventListener('abort', () => reject(new AppError('cancelled')));
					}),
	});
	const filling = session.fill();
	while ((await rows()).length === 0) await new Promise((resolve) => setImmediate(resolve));
	await session.handle({ type: 'stop' });
	await filling;
	assert.deepEqual([state()?.problem, state()?.progress, errors.length], [null, null, 0]);
	assert.equal((await rows()).length, 1);
});

test('what could not be put into a file stays accepted', async () => {
	const { session, rows } = open({
		write: async () => ({ ids: new Set(['de.json\nopen']), note: 'one left' }),
	});
	await session.fill();
	const ids = ['de.json\nopen', 'fr.json\nopen'];
	await session.handle({ type: 'decide', ids, decision: 'accepted' });
	await session.handle({ type: 'write' });
	assert.deepEqual(
		(await rows()).filter(({ key }) => key === 'open').map(({ decision }) => decision),
		['written', 'accepted'],
	);
});

test('rows are what was missing, with what is known of them, and what no translation could keep', () => {
	const message = (key: string, source: string, target?: string) => ({
		...{ key, source, sourceAt: 0 },
		...(target === undefined ? {} : { target }),
	});
	const before = [message('a', 'One', 'Eins'), message('b', 'Two'), message('c', 'Three {n}')];
	const after = [
		message('a', 'One', 'Eins'),
		message('b', 'Two', 'Zwei'),
		message('c', 'Three {n}'),
		message('d', '12'),
	];
	const terms = [{ source: 'Two', target: 'Zwo', isUsed: false }];
	const made = {
		added: [{ path: ['b'], text: 'Two', quality: 0.5, terms }],
		refused: ['Three {n}'],
	};
	const rows = reviewRows({ path: 'de.json', to: 'de' }, before, after, made);
	assert.deepEqual(
		rows.map(({ key, text, quality, terms: own }) => [key, text, quality, own?.length]),
		[
			['b', 'Zwei', 0.5, 1],
			['c', '', undefined, undefined],
		],
	);
});

test('a message whose source has changed comes with what its file says until then', () => {
	const before = [
		{ key: 'a', source: 'One more', sourceAt: 0, target: 'Eins', isStale: true as const },
		{ key: 'b', source: 'Two', sourceAt: 9, target: 'Zwei' },
	];
	const after = [
		{ key: 'a', source: 'One more', sourceAt: 0, target: 'Eins mehr' },
		{ key: 'b', source: 'Two', sourceAt: 9, target: 'Zwei' },
	];
	const rowsOf = (now: typeof before | typeof after, refused: string[]) =>
		reviewRows({ path: 'de.json', to: 'de' }, before, now, { added: [], refused }).map(
			({ key, text, before: old }) => [key, text, old],
		);
	assert.deepEqual(rowsOf(after, []), [['a', 'Eins mehr', 'Eins']]);
	const lost = [{ key: 'a', source: 'One more', sourceAt: 0 }, after[1]!] as typeof after;
	assert.deepEqual(rowsOf(lost, ['One more']), [['a', '', 'Eins']]);
});

test('a message of the page that is none is refused', () => {
	assert.deepEqual(parseReviewMessage({ type: 'edit', id: 'a', text: 'b', more: 1 }), {
		...{ type: 'edit', id: 'a', text: 'b' },
	});
	for (const value of [
		null,
		{ type: 'edit', id: 'a' },
		{ type: 'decide', ids: ['a'], decision: 'written' },
		{ type: 'decide', ids: [1], decision: 'open' },
		{ type: 'other' },
	])
		assert.equal(parseReviewMessage(value), undefined);
});
