/** What an agent has changed, question by question. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesOf, TurnChanges, undoStep } from '../../../../extension/chat/agent/turnChanges.ts';

/** Question 1 changes a and makes n, question 2 changes a again and b. */
function changed(): TurnChanges {
	const changes = new TurnChanges();
	const edit = (question: string, uri: string, before: string | null, after: string) => {
		changes.remember(question, uri, before);
		changes.changed(question, uri, after);
	};
	edit('q1', 'a', 'a0', 'a1');
	edit('q1', 'a', 'a1', 'a2');
	edit('q1', 'n', null, 'n1');
	edit('q2', 'a', 'a2', 'a3');
	edit('q2', 'b', 'b0', 'b1');
	return changes;
}
const order = ['q1', 'answer', 'q2'];

test('a file is once in the list, as it was before its first change', () => {
	assert.deepEqual(changed().files, [
		{ uri: 'a', before: 'a0', after: 'a3' },
		{ uri: 'n', before: null, after: 'n1' },
		{ uri: 'b', before: 'b0', after: 'b1' },
	]);
	assert.deepEqual(changed().questions, ['q1', 'q2']);
});

test('taking back from a question on restores what was there then', () => {
	const changes = changed();
	const since = (question: string) => filesOf(changes.since(question, order));
	assert.deepEqual(since('q2'), [
		{ uri: 'a', before: 'a2', after: 'a3' },
		{ uri: 'b', before: 'b0', after: 'b1' },
	]);
	assert.equal(since('q1').length, 3);
	assert.deepEqual(since('unknown'), []);
	changes.drop(changes.since('q2', order));
	assert.deepEqual(changes.questions, ['q1']);
	assert.deepEqual(changes.files[0], { uri: 'a', before: 'a0', after: 'a2' });
});

test('what is kept is gone from the list, and what was saved comes back', () => {
	const changes = changed();
	changes.drop(changes.of('a'));
	assert.deepEqual(
		changes.files.map(({ uri }) => uri),
		['n', 'b'],
	);
	const again = new TurnChanges(JSON.parse(JSON.stringify(changes.all)));
	assert.deepEqual(again.files, changes.files);
	changes.drop(changes.of());
	assert.deepEqual(changes.all, []);
});

test('what was decided on before a file was changed again leaves the later change in the list', () => {
	const changes = changed();
	const shown = changes.of('b');
	changes.remember('q2', 'b', 'b1');
	changes.changed('q2', 'b', 'b2');
	changes.drop(shown);
	assert.deepEqual(filesOf(changes.of('b')), [{ uri: 'b', before: 'b0', after: 'b2' }]);
});

test('what somebody wrote between two changes of the agent is known, and what could not be changed is forgotten', () => {
	const changes = new TurnChanges();
	changes.remember('q1', 'a', 'a0');
	changes.changed('q1', 'a', 'a1');
	changes.remember('q1', 'a', 'a1 and mine');
	changes.changed('q1', 'a', 'a2');
	assert.deepEqual(changes.files, [{ uri: 'a', before: 'a0', after: 'a2', touched: true }]);
	changes.remember('q2', 'b', null);
	changes.forget('q2', 'b');
	changes.forget('q1', 'a');
	assert.deepEqual(changes.questions, ['q1']);
});

test('whoever has changed a file since is asked, but not where it is as it was already', () => {
	const file = { uri: 'a', before: 'old\n', after: 'new\n' };
	const saved = (text: string | null | undefined) => ({ text, isSaved: true });
	assert.equal(undoStep(file, saved('new\n')), 'write');
	assert.equal(undoStep({ ...file, touched: true }, saved('new\n')), 'ask');
	for (const other of ['by hand\n', null, undefined])
		assert.equal(undoStep(file, saved(other)), 'ask');
	// A person has taken it back, with the line ends of their editor.
	for (const own of ['old\n', 'old\r\n', '\ufeffold\n'])
		assert.equal(undoStep({ ...file, touched: true }, saved(own)), 'none');
	// It was taken back, and the disk was full.
	assert.equal(undoStep(file, { text: 'old\n', isSaved: false }), 'write');
});

test('a new file that a person has removed needs no question, one that came back in another form does', () => {
	const made = { uri: 'n', before: null, after: 'n1' };
	assert.equal(undoStep(made, { text: null, isSaved: true }), 'none');
	assert.equal(undoStep(made, { text: 'n1', isSaved: true }), 'write');
	assert.equal(undoStep(made, { text: 'n1, unsaved', isSaved: false }), 'ask');
	assert.equal(undoStep({ ...made, before: 'n0' }, { text: null, isSaved: true }), 'ask');
});
