/** Arrays of Android in editors: what is shown, translated and put in when their source has another order. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageStates } from '../../../server/translate/documents/messageStates.ts';
import {
	fillMissing,
	progressIn,
	setIn,
} from '../../../server/translate/documents/recordedMessageFile.ts';
import {
	parseRecord,
	recordedMessages,
	recordText,
} from '../../../server/translate/documents/translationRecord.ts';
import { inEnglish } from '../inEnglish.ts';

const path = 'res/values-de/strings.xml';
const list = (...items: readonly string[]) =>
	`<resources>\n    <string-array name="a">\n${items
		.map((item) => `        <item>${item}</item>\n`)
		.join(
			'',
		)}    </string-array>\n    <string name="s">${items.length === 0 ? '' : 'Red'}</string>\n</resources>\n`;

/** The record of a file that was made from a source. */
const recordOf = (source: string, target: string) => {
	const states = messageStates(source, target, 'android', 'de');
	const messages = new Map([[path, recordedMessages(states, undefined, 'all')]]);
	return recordText({ files: new Map(), messages });
};
const [source, target] = [list('Red one', 'Green one', 'Blue one'), list('Rot', 'Grün', 'Blau')];
const record = recordOf(source, target);
const file = (text: string, own = target, recorded = record) => ({
	...{ text, target: own, format: 'android' as const, to: 'de' },
	recorded: { text: recorded, path },
});
const translator = inEnglish(async (texts) =>
	texts.map((text) => (text.includes('%s') ? 'x' : text.toUpperCase())),
);
const languages = { to: 'de', from: 'en' };
const open = (one: ReturnType<typeof file>) =>
	(progressIn(one, true).messages ?? [])
		.filter(({ target, isStale }) => target === undefined || isStale)
		.map(({ key, source, target }) => [key, source, target]);

test('a new text of an array is translated in its place, and the others go with their sources', async () => {
	const changed = list('Red one', 'Black one', 'Green one', 'Blue one');
	assert.deepEqual(open(file(changed)), [['a.1', 'Black one', undefined]]);
	const made = await fillMissing(file(changed), translator, languages);
	assert.equal(made.text, list('Rot', 'BLACK ONE', 'Grün', 'Blau'));
	assert.deepEqual(open(file(changed, made.text, made.recorded)), []);
	// Nothing happens before the text is accepted, which alone is put in then.
	const none = setIn(file(changed), [{ key: 's', text: 'Ganz rot' }]);
	assert.equal(none.text, target.replace('>Red<', '>Ganz rot<'));
	const set = setIn(file(changed), [{ key: 'a.1', text: 'Schwarz' }]);
	assert.equal(set.text, list('Rot', 'Schwarz', 'Grün', 'Blau'));
	assert.deepEqual(set.refused, []);
	const { recorded } = set;
	assert.ok(recorded);
	assert.deepEqual(
		parseRecord(recorded).messages,
		parseRecord(recordOf(changed, set.text)).messages,
	);
	assert.deepEqual(open(file(changed, set.text, recorded)), []);
	// And the next change is told from that.
	const next = list('Black one', 'Red one', 'Last one');
	const then = await fillMissing(file(next, set.text, recorded), translator, languages);
	assert.equal(then.text, list('Schwarz', 'Rot', 'LAST ONE'));
});

test('texts that have changed their places are shown as changed, and put in together', async () => {
	const moved = list('Blue one', 'Green one', 'Red one');
	assert.deepEqual(open(file(moved)), [
		['a.0', 'Blue one', 'Rot'],
		['a.2', 'Red one', 'Blau'],
	]);
	assert.equal(progressIn(file(moved), false).stale, 2);
	const made = await fillMissing(file(moved), translator, languages);
	assert.equal(made.text, list('Blau', 'Grün', 'Rot'));
	assert.deepEqual(open(file(moved, made.text, made.recorded)), []);
	const set = setIn(file(moved), [{ key: 'a.0', text: 'Blau' }]);
	assert.equal(set.text, made.text);
	assert.deepEqual(open(file(moved, set.text, set.recorded)), []);
});

test('an array that would have a hole stays as it is', async () => {
	const changed = list('Red one', 'lose %s', 'Green one', 'White one', 'Blue one');
	const made = await fillMissing(file(changed), translator, languages);
	assert.equal(made.text, target);
	assert.deepEqual(made.refused, ['lose %s']);
	const set = setIn(file(changed), [
		{ key: 'a.3', text: 'Weiß' },
		{ key: 's', text: 'Ganz rot' },
	]);
	assert.equal(set.text, target.replace('>Red<', '>Ganz rot<'));
	assert.deepEqual(set.refused, ['a.3']);
	assert.equal(set.recorded, undefined);
});
