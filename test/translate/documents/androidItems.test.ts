/** Android: plural forms and texts of arrays that a translated file lacks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageStates } from '../../../server/translate/documents/messageStates.ts';
import {
	mergeMissing,
	missingMessages,
} from '../../../server/translate/documents/missingMessages.ts';
import { translationFaults } from '../../../server/translate/documents/translationFaults.ts';
import {
	recordedMessages,
	staleMessages,
} from '../../../server/translate/documents/translationRecord.ts';

const tell = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);

const plurals = (forms: Readonly<Record<string, string>>) =>
	`<resources>\n    <plurals name="p">\n${Object.entries(forms)
		.map(([category, text]) => `        <item quantity="${category}">${text}</item>\n`)
		.join('')}    </plurals>\n</resources>\n`;

test('plurals that lack a category of the language are open, and their forms stay', async () => {
	const source = plurals({ one: '%d file', other: '%d files' });
	const lacking = (target: string, to: string) =>
		missingMessages(source, target, 'android', to).map(({ path }) => path.join('.'));
	const target = plurals({ one: '%d plik', other: '%d pliku' });
	assert.deepEqual(lacking(target, 'pl'), ['p.few', 'p.many']);
	const [fault] = translationFaults({ source, target, format: 'android', to: 'pl' });
	assert.deepEqual([fault?.kind, fault?.key, fault?.line], ['missing', 'p.few', 2]);
	const made = plurals({
		...{ one: '%d plik', few: '«%d files»', many: '«%d files»', other: '%d pliku' },
	});
	const merge = async (text: string, to: string) =>
		(await mergeMissing(source, text, 'android', tell, to)).text;
	assert.equal(await merge(target, 'pl'), made);
	assert.deepEqual(lacking(made, 'pl'), []);
	const empty = plurals({ one: '%d Datei', other: '' });
	assert.deepEqual(lacking(empty, 'de'), ['p.other']);
	assert.equal(await merge(empty, 'de'), plurals({ one: '%d Datei', other: '«%d files»' }));
	// Japanese has one form, and English has none for zero.
	assert.deepEqual(lacking(plurals({ other: '%d' }), 'ja'), []);
	const zero = plurals({ zero: 'No files', one: '%d file', other: '%d files' });
	const own = plurals({ one: '%d Datei', other: '%d Dateien' });
	assert.deepEqual(missingMessages(zero, own, 'android', 'de'), []);
});

const state = (source: string, target: string) => {
	const [own] = messageStates(source, target, 'android', 'de');
	return own;
};

test('plurals have changed when any of their forms has', () => {
	const source = plurals({ one: '%d file', other: '%d files' });
	const target = plurals({ one: '%d Datei', other: '%d Dateien' });
	const made = state(source, target);
	assert.ok(made);
	const recorded = recordedMessages([made], undefined, 'all');
	const stale = (text: string, own = target) =>
		staleMessages(messageStates(text, own, 'android', 'de'), recorded).length;
	assert.equal(stale(source), 0);
	assert.equal(stale(plurals({ one: '%d file', other: '%d documents' })), 1);
	assert.equal(stale(plurals({ one: 'One file', other: '%d files' })), 1);
	// Somebody has seen to it.
	const seen = plurals({ one: '%d Datei', other: '%d Dokumente' });
	assert.equal(stale(plurals({ one: '%d file', other: '%d documents' }), seen), 0);
});

test('each plural form is compared with the form of its source', () => {
	const faults = (target: string) =>
		translationFaults({
			...{ source: plurals({ one: 'One of %s', other: '%d of %s' }), target },
			...{ format: 'android', to: 'de' },
		}).map(({ detail }) => detail);
	assert.deepEqual(faults(plurals({ one: '%d von %s', other: '%d von %s' })), []);
	assert.deepEqual(faults(plurals({ one: 'Eines von %s', other: '%d von ihnen' })), [
		'%s is missing',
	]);
	assert.deepEqual(faults(plurals({ one: 'Eines', other: '%d von %s' })), ['%s is missing']);
});

test('a message of several paragraphs has changed when any of them has', async () => {
	const message = (...paragraphs: readonly string[]) =>
		`<resources>\n    <string name="a"><![CDATA[${paragraphs.map((text) => `<p>${text}</p>`).join('')}]]></string>\n    <string name="b">Close it</string>\n</resources>\n`;
	const source = message('Open it.', 'Save it.');
	const target = message('Öffnen.', 'Speichern.');
	const made = state(source, target);
	assert.deepEqual([made?.source, made?.target], ['Open it. Save it.', 'Öffnen. Speichern.']);
	assert.ok(made);
	const recorded = recordedMessages([made], undefined, 'all');
	const changed = message('Open it.', 'Send it.');
	const stale = staleMessages(messageStates(changed, target, 'android', 'de'), recorded);
	assert.deepEqual(
		stale.map(({ path }) => path),
		[['a']],
	);
	// What is refused of it is no reason to count it among what was added.
	const lossy = async (texts: readonly string[]) =>
		texts.map((text) => (text === 'Use %s.' ? 'x' : `«${text}»`));
	const empty = '<resources>\n    <string name="b">Schließen</string>\n</resources>\n';
	const lost = await mergeMissing(message('Open it.', 'Use %s.'), empty, 'android', lossy, 'de');
	assert.deepEqual([lost.added, lost.refused, lost.text], [[], ['Use %s.'], empty]);
	const whole = await mergeMissing(message('Open it.', 'Use %s.'), '', 'android', lossy, 'de');
	assert.deepEqual(
		whole.added.map(({ path }) => path),
		[['b']],
	);
});
