/** Android: plural forms and texts of arrays that a translated file lacks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyMessages } from '../../../server/translate/documents/emptyMessages.ts';
import { messageStates } from '../../../server/translate/documents/messageStates.ts';
import {
	mergeMissing,
	missingMessages,
} from '../../../server/translate/documents/missingMessages.ts';
import { translationFaults } from '../../../server/translate/documents/translationFaults.ts';
import {
	messageHash,
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

test('a text without words that gets some is translated, and one that loses them is none any more', async () => {
	const of = (text: string, item: string) =>
		`<resources>\n    <string name="n">${text}</string>\n    <string-array name="l"><item>${item}</item><item>One</item></string-array>\n    <string name="k" translatable="false">Own name</string>\n</resources>\n`;
	for (const [before, now, made] of [
		['12', 'Twelve items', '«Twelve items»'],
		['%1$d', 'Item %1$d', '«Item %1$d»'],
		['Twelve items', '12', '12'],
	] as const) {
		const source = of(before, before);
		const target = (await mergeMissing(source, '', 'android', tell, 'de')).text;
		const recorded = recordedMessages(
			messageStates(source, target, 'android', 'de', true),
			undefined,
			'all',
		);
		const stale = (text: string) =>
			staleMessages(messageStates(text, target, 'android', 'de'), recorded);
		assert.deepEqual(stale(source), []);
		const later = of(now, now);
		assert.deepEqual(
			stale(later).map(({ path }) => path.join('.')),
			['n', 'l.0'],
		);
		const opened = emptyMessages(target, stale(later));
		// What has lost its words has them of the source at once.
		assert.deepEqual(
			missingMessages(later, opened, 'android', 'de').map(({ path }) => path.join('.')),
			now === '12' ? [] : ['n', 'l.0'],
		);
		const { text } = await mergeMissing(later, opened, 'android', tell, 'de');
		assert.match(text, new RegExp(`name="n">${made.replace('$', '\\$')}<`));
		assert.match(text, new RegExp(`<item>${made.replace('$', '\\$')}</item><item>«One»`));
	}
});

test('what is empty in a translation on purpose, and nothing for translators, stays empty', async () => {
	const source =
		'<resources>\n    <string name="api" translatable="false">Some words</string>\n    <string name="comma">,</string>\n    <string name="n">%1$d</string>\n    <string name="a">Hello</string>\n</resources>\n';
	const target =
		'<resources>\n    <string name="api"></string>\n    <string name="comma"></string>\n    <string name="n"></string>\n    <string name="a">Hallo</string>\n</resources>\n';
	assert.deepEqual(missingMessages(source, target, 'android', 'de'), []);
	assert.equal((await mergeMissing(source, target, 'android', tell, 'de')).text, target);
});

test('an element in its short form is opened for its text, once', async () => {
	for (const [format, source, target, made] of [
		[
			'android',
			'<resources>\n    <string name="n">Hello</string>\n</resources>\n',
			'<resources>\n    <string name="n"  />\n</resources>\n',
			/<string name="n" {2}>«Hello»<\/string>\n/,
		],
		[
			'resx',
			'<root><data name="a"><value>Hello</value></data></root>',
			'<root><data name="a"><value /></data></root>',
			/<value >«Hello»<\/value><\/data>/,
		],
	] as const) {
		const { text } = await mergeMissing(source, target, format, tell, 'de');
		assert.match(text, made);
		assert.equal((await mergeMissing(source, text, format, tell, 'de')).text, text);
	}
});

test('a message whose source has become an element in its short form is emptied', () => {
	for (const [format, of] of [
		['android', (value: string) => `<resources>\n    <string name="n"${value}\n</resources>\n`],
		['resx', (value: string) => `<root><data name="n"><value${value}</data></root>`],
	] as const) {
		const end = format === 'android' ? '</string>' : '</value>';
		const target = of(`>Zwölf Sachen${end}`);
		const recorded = recordedMessages(
			messageStates(of(`>Twelve items${end}`), target, format, 'de', true),
			undefined,
			'all',
		);
		const stale = staleMessages(messageStates(of(' />'), target, format, 'de'), recorded);
		assert.equal(stale.length, 1);
		assert.equal(emptyMessages(target, stale), of(`>${end}`));
	}
});

test('records by the first of several texts count: what is unchanged is not stale, what has changed is', () => {
	const resx = (...texts: readonly string[]) =>
		`<root><data name="a"><value><![CDATA[${texts.map((text) => `<p>${text}</p>`).join('')}]]></value></data></root>`;
	const pair = (from: string, made: string) =>
		new Map([['/a', { from: messageHash(from), made: messageHash(made) }]]);
	const stale = (source: string, target: string, recorded: ReturnType<typeof pair>) =>
		staleMessages(messageStates(source, target, 'resx', 'de'), recorded).length;
	const target = resx('Eins.', 'Zwei.');
	const old = pair('One here.', 'Eins.');
	assert.equal(stale(resx('One here.', 'Two there.'), target, old), 0);
	assert.equal(stale(resx('One now.', 'Two there.'), target, old), 1);
	assert.equal(stale(resx('One now.', 'Two there.'), resx('Anders.', 'Zwei.'), old), 0);
	// A paragraph that has come is a change of a text that had one.
	assert.equal(stale(resx('One here.', 'Two there.'), resx('Eins.'), old), 1);
	const japanese = plurals({ other: '%d つ' });
	const recorded = new Map([['/p', { from: messageHash('%d file'), made: messageHash('%d つ') }]]);
	const ofPlurals = (one: string) =>
		staleMessages(
			messageStates(plurals({ one, other: '%d files' }), japanese, 'android', 'ja'),
			recorded,
		).length;
	assert.deepEqual([ofPlurals('%d file'), ofPlurals('%d sheet')], [0, 1]);
});
