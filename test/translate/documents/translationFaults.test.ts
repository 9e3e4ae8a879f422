/** What a check finds in translated message files: missing, stale by what was recorded, broken placeholders. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageFormat } from '../../../server/translate/documents/messageChanges.ts';
import { messageStates } from '../../../server/translate/documents/messageStates.ts';
import { translationFaults } from '../../../server/translate/documents/translationFaults.ts';
import {
	emptyRecord,
	type MadeMessage,
	parseRecord,
	recordedMessages,
	recordText,
} from '../../../server/translate/documents/translationRecord.ts';

const json = (value: unknown) => JSON.stringify(value, null, '\t');
const found = (
	source: string,
	target: string,
	format: MessageFormat = 'json',
	recorded?: ReadonlyMap<string, MadeMessage>,
	to = 'de',
) =>
	translationFaults({ source, target, format, to, ...(recorded ? { recorded } : {}) }).map(
		({ kind, key, line, in: file, detail }) => [kind, key, file, line, ...(detail ? [detail] : [])],
	);
const recordOf = (source: string, target: string, format: MessageFormat = 'json', to = 'de') =>
	recordedMessages(messageStates(source, target, format, to), undefined, new Set());

test('missing messages are named with their line, in every format', () => {
	const source = json({ menu: { open: 'Open', save: 'Save' }, close: 'Close' });
	assert.deepEqual(found(source, json({ menu: { open: 'Auf', save: '' } })), [
		['missing', 'menu.save', 'source', 4],
		['missing', 'close', 'source', 6],
	]);
	assert.deepEqual(found('en:\n  a: A\n  b: Word\n', 'de:\n  a: B\n', 'yaml'), [
		['missing', 'b', 'source', 3],
	]);
	assert.deepEqual(found('a=One\nb=Two\n', 'a=Eins\n', 'properties'), [
		['missing', 'b', 'source', 2],
	]);
	const po = 'msgid "Open"\nmsgstr "Auf"\n\nmsgid "Save"\nmsgstr ""\n';
	assert.deepEqual(found(po, po, 'po'), [['missing', 'Save', 'source', 4]]);
});

test('plural forms only the target has are missing, and need not say the number', () => {
	const source = json({ n_one: 'one file', n_other: '{{count}} files' });
	const target = json({ n_one: 'plik {{count}}', n_few: 'pliki', n_other: '{{count}} pliku' });
	assert.deepEqual(found(source, target, 'json', undefined, 'pl'), [
		['missing', 'n_many', 'source', 3],
	]);
});

test('a source that changed makes its translation stale, unless that was changed as well', () => {
	const before = json({ a: 'Open it', b: 'Save it', c: 'Close it' });
	const target = json({ a: 'Auf', b: 'Sichern', c: 'Zu' });
	const recorded = recordOf(before, target);
	assert.deepEqual(found(before, target, 'json', recorded), []);
	const after = json({ a: 'Open them', b: 'Save them', c: 'Close it' });
	const edited = json({ a: 'Auf', b: 'Alle sichern', c: 'Zu' });
	assert.deepEqual(found(after, edited, 'json', recorded), [['stale', 'a', 'target', 2]]);
	// Keys are found again wherever they have moved, and keys with dots and slashes are no others.
	const [moved, own] = [{ 'a.b/c~d': 'New' }, { 'a.b/c~d': 'Neu' }].map(json) as [string, string];
	const note = recordOf(json({ 'a.b/c~d': 'Old' }), own);
	assert.deepEqual(found(moved, own, 'json', note), [['stale', 'a.b/c~d', 'target', 2]]);
});

test('gettext says itself which translation belongs to a former message', () => {
	const po =
		'#, fuzzy\n#| msgid "Open"\nmsgid "Open it"\nmsgstr "Auf"\n\n#, fuzzy\nmsgid "New"\nmsgstr "Neu"\n';
	assert.deepEqual(found(po, po, 'po'), [['stale', 'Open it', 'target', 4]]);
});

test('placeholders that a translation lost, invented or broke are named', () => {
	const source = json({
		a: 'Save {name}',
		b: '%d of %s',
		c: '{n, plural, one {# file} other {# files}} of {who}',
	});
	const target = json({
		a: 'Sichere {nam}',
		b: '%s',
		c: '{n, plural, one {# Datei} other {# Dateien}',
	});
	assert.deepEqual(found(source, target), [
		['placeholder', 'a', 'target', 2, '{name} is missing, {nam} is not in the source'],
		['placeholder', 'b', 'target', 3, '%d is missing'],
		['placeholder', 'c', 'target', 4, 'it is no ICU message any more'],
	]);
	const good = json({
		a: '{name} sichern',
		b: '%d von %s',
		c: '{who}: {n, plural, one {Datei} few {#} other {# Dateien}}',
	});
	assert.deepEqual(found(source, good), []);
	const select = json({ a: '{g, select, male {he} other {they}}' });
	assert.deepEqual(found(select, json({ a: '{g, select, männlich {er} other {sie}}' })), [
		['placeholder', 'a', 'target', 2, 'g=male is missing'],
	]);
	const c = '#, c-format\nmsgid "%d of %s"\nmsgstr "%s von %d"\n';
	assert.deepEqual(found(c, c, 'po'), [
		['placeholder', '%d of %s', 'target', 3, 'its conversions have another order or number'],
	]);
});

test('a record is written one line a message, in order, and read again', () => {
	const record = emptyRecord();
	record.files.set('b.de.md', {
		source: 'b.md',
		to: 'de',
		from: '0'.repeat(16),
		made: '1'.repeat(16),
	});
	record.files.set('a.de.md', {
		source: 'a.md',
		to: 'de',
		from: '2'.repeat(16),
		made: '3'.repeat(16),
	});
	record.messages.set('de.json', recordOf(json({ z: 'Z z', a: 'A a' }), json({ z: 'y', a: 'b' })));
	const text = recordText(record);
	assert.equal(recordText(parseRecord(text)), text);
	assert.ok(
		text.indexOf('a.de.md') < text.indexOf('b.de.md') &&
			text.indexOf('"/a"') < text.indexOf('"/z"'),
	);
	assert.equal(
		text.split('\n').filter((line) => /"\/[az]": "[\da-f]{10} [\da-f]{10}"/.test(line)).length,
		2,
	);
	assert.equal(recordText(parseRecord(recordText(emptyRecord()))), recordText(emptyRecord()));
});

test('a damaged, merged or later record is refused; entries that are none are left out', () => {
	assert.throws(() => parseRecord('{'), /is damaged/);
	assert.throws(() => parseRecord('{\n<<<<<<< ours\n'), /conflicts of a merge/);
	assert.throws(() => parseRecord('{"version":2}'), /another version/);
	const odd = parseRecord(
		'{"version":1,"files":{"__proto__":{"source":1},"a":null},"messages":{"__proto__":{"/a":"x"}}}',
	);
	assert.equal(odd.files.size, 0);
	assert.equal(odd.messages.get('__proto__')?.size, 0);
});

test('what was just made anew is recorded so, even with the words it had', () => {
	const [before, after] = [json({ a: 'Open it' }), json({ a: 'Open them' })];
	const target = json({ a: 'Auf' });
	const recorded = recordOf(before, target);
	const states = messageStates(after, target, 'json', 'de');
	const kept = recordedMessages(states, recorded, new Set());
	assert.deepEqual(found(after, target, 'json', kept), [['stale', 'a', 'target', 2]]);
	const renewed = recordedMessages(states, recorded, new Set(['["a"]']));
	assert.deepEqual(found(after, target, 'json', renewed), []);
});

test('gettext: signs without words are not missed, words are', () => {
	const source = 'msgid "`"\nmsgstr ""\n\nmsgid "Open it"\nmsgstr ""\n';
	const faults = translationFaults({ source, target: source, format: 'po', to: 'de' });
	assert.deepEqual(
		faults.map(({ kind, text }) => [kind, text]),
		[['missing', 'Open it']],
	);
});

test('an empty message of the source has nothing to translate', () => {
	const files = { format: 'json', to: 'es', target: '{}' } as const;
	const faults = translationFaults({
		...files,
		source: '{"empty": "", "blank": " ", "a": "Save"}',
	});
	assert.deepEqual(
		faults.map(({ key }) => key),
		['a'],
	);
});
