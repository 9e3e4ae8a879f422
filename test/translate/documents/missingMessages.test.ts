/** Missing messages of every format: which they are, where they go, and that the rest stays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageFormat } from '../../../server/translate/documents/messageChanges.ts';
import { messageStates } from '../../../server/translate/documents/messageStates.ts';
import {
	mergeMissing,
	messageFormatOf,
	messageProgress,
	missingMessages,
} from '../../../server/translate/documents/missingMessages.ts';
import { recordedMessages } from '../../../server/translate/documents/translationRecord.ts';

const tell = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);
const keys = (source: string, target: string, format: MessageFormat) =>
	missingMessages(source, target, format).map(({ path }) => path.join('.'));
const fill = async (source: string, target: string, format: MessageFormat, to = 'de') =>
	(await mergeMissing(source, target, format, tell, to)).text;

const jsonSource = `{
  "first": "First words",
  "menu": {
    "open": "Open",
    "close": "Close {name}",
    "deep": { "a": "Deep words", "n": 3 }
  },
  "count": "{n, plural, one {# file} other {# files}}",
  "flat.key": "Flat words",
  "@first": { "description": "note" }
}
`;

test('JSON: nested and flat keys come where the source has them', async () => {
	const target = `{
\t"menu": {
\t\t"close": ""
\t},
\t"own": "Eigenes",
\t"flat.key": "Flach"
}
`;
	assert.deepEqual(keys(jsonSource, target, 'json'), [
		'first',
		'menu.open',
		'menu.close',
		'menu.deep.a',
		'count',
	]);
	const expected = `{
\t"first": "«First words»",
\t"menu": {
\t\t"open": "«Open»",
\t\t"close": "«Close {name}»",
\t\t"deep": {
\t\t\t"a": "«Deep words»",
\t\t\t"n": 3
\t\t}
\t},
\t"count": "{n, plural, one {«# file»} other {«# files»}}",
\t"own": "Eigenes",
\t"flat.key": "Flach"
}
`;
	assert.equal(await fill(jsonSource, target, 'json'), expected);
	assert.equal(
		await fill(jsonSource, target.replaceAll('\n', '\r\n'), 'json'),
		expected.replaceAll('\n', '\r\n'),
	);
	assert.deepEqual(keys(jsonSource, expected, 'json'), []);
	assert.equal(await fill(jsonSource, expected, 'json'), expected);
});

test('JSON: empty and one-line files', async () => {
	const source = '{"a": "One word", "b": "Two words"}';
	const whole = '{\n  "a": "«One word»",\n  "b": "«Two words»"\n}\n';
	assert.equal(await fill(source, '', 'json'), whole);
	assert.equal(await fill(source, '{}\n', 'json'), whole);
	assert.equal(await fill(source, '{"a": "Eins"}', 'json'), '{"a": "Eins", "b": "«Two words»"}');
	assert.equal(await fill(source, '{"b": "Zwei"}', 'json'), '{ "a": "«One word»","b": "Zwei"}');
	assert.throws(() => missingMessages(source, '[1', 'json'), /target file is no map/);
	assert.throws(() => missingMessages('nothing', '{}', 'json'), /source file is no map/);
});

test('YAML: roots with their language, comments and order', async () => {
	const source = `en:
  title: Main title
  menu:
    open: Open it
    close: "Close it"
  list: [One thing]
  end: The end
`;
	const target = `# German
de:
  title: Titel # note
  menu:
    close: Zu
    # a comment

  end: ''
`;
	assert.deepEqual(keys(source, target, 'yaml'), ['de.menu.open', 'de.list', 'de.end']);
	const expected = `# German
de:
  title: Titel # note
  menu:
    open: «Open it»
    close: Zu
  list:
    - «One thing»
    # a comment

  end: "«The end»"
`;
	assert.equal(await fill(source, target, 'yaml'), expected);
	assert.deepEqual(keys(source, expected, 'yaml'), []);
	assert.match(await fill(source, '', 'yaml'), /^de:\n {2}title: «Main title»\n {2}menu:\n/);
	assert.equal(
		await fill('a: Some words\nb: More words\n', 'a: Worte', 'yaml'),
		'a: Worte\nb: «More words»\n',
	);
	assert.equal(
		await fill('m: {a: Some words, b: More words}\n', 'm: {a: Worte}\n', 'yaml'),
		'm: {a: Worte, "b": "«More words»"}\n',
	);
});

test('keys without a value are filled, and comments stay with their entries', async () => {
	const source = 'a:\n  b: Some words\nz: Last words\n';
	assert.deepEqual(keys(source, 'a:\nz: ~\n', 'yaml'), ['a.b', 'z']);
	assert.equal(
		await fill(source, 'a:\nz: ~\n', 'yaml'),
		'a: {"b":"«Some words»"}\nz: "«Last words»"\n',
	);
	const json = '{"a": "Aa words", "b": "Bb words", "c": "Cc words"}';
	assert.equal(
		await fill(json, '{\n  "a": "x", // note\n  "c": null,\n}\n', 'json'),
		'{\n  "a": "x", // note\n  "b": "«Bb words»",\n  "c": "«Cc words»",\n}\n',
	);
});

test('.properties: entries come with their comments, empty ones are filled', async () => {
	const source = '# top\na=First words\n\n# about b\nb = Second words\nc: Third words\nd=4\n';
	const target = '# Kopf\nc=\na=Eins\n';
	assert.deepEqual(keys(source, target, 'properties'), ['b', 'c', 'd']);
	for (const eol of ['\n', '\r\n'])
		assert.equal(
			await fill(source, target.replaceAll('\n', eol), 'properties'),
			'# Kopf\nc=\\u00abThird words\\u00bb\nd=4\na=Eins\n# about b\nb = \\u00abSecond words\\u00bb\n'.replaceAll(
				'\n',
				eol,
			),
		);
	assert.equal(
		await fill('a=Some words', 'x=y\n', 'properties'),
		'a=\\u00abSome words\\u00bb\nx=y\n',
	);
});

test('.po: absent messages come with comments and contexts, empty ones are filled', async () => {
	const source =
		'msgid "One word"\nmsgstr "One word"\n\n#: a.c:1\n#, fuzzy, c-format\nmsgctxt "m"\nmsgid "Two %s"\nmsgstr ""\n\nmsgid "%d day"\nmsgid_plural "%d days"\nmsgstr[0] ""\nmsgstr[1] ""\n';
	const target =
		'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\nmsgid "One word"\nmsgstr ""\n\nmsgid "Own words"\nmsgstr "Eigenes"\n';
	assert.deepEqual(keys(source, target, 'po'), ['One word', 'm\u0004Two %s', '%d day']);
	assert.equal(
		await fill(source, target, 'po'),
		'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n#, fuzzy\nmsgid "One word"\nmsgstr "«One word»"\n\n#: a.c:1\n#, fuzzy, c-format\nmsgctxt "m"\nmsgid "Two %s"\nmsgstr "«Two %s»"\n\n#, fuzzy\nmsgid "%d day"\nmsgid_plural "%d days"\nmsgstr[0] "«%d day»"\nmsgstr[1] "«%d days»"\n\nmsgid "Own words"\nmsgstr "Eigenes"\n',
	);
});

test('what cannot be translated whole is told and not put in', async () => {
	const lose = async (texts: readonly string[]) =>
		texts.map((text) => text.replace('{name}', 'x').toUpperCase());
	const source = '{"a": "Dear {name}", "b": "More words"}';
	const calls: number[] = [];
	const result = await mergeMissing(
		source,
		'{"c": "C"}',
		'json',
		(texts) => {
			calls.push(texts.length);
			return lose(texts);
		},
		'de',
	);
	assert.deepEqual(result.refused, ['Dear {name}']);
	assert.deepEqual(result.added, [{ path: ['b'], text: 'More words', translation: 'MORE WORDS' }]);
	assert.equal(result.text, '{ "b": "MORE WORDS","c": "C"}');
	assert.deepEqual(calls, [2]);
	const without = await mergeMissing(source, '{"c": "C"}', 'json', lose, 'de', ['More words']);
	assert.deepEqual([without.text, without.added], ['{"c": "C"}', []]);
});

test('message files are known by their names', () => {
	assert.equal(messageFormatOf('app_de.arb'), 'json');
	assert.equal(messageFormatOf('/x/de.YML'), 'yaml');
	assert.equal(messageFormatOf('README.md'), undefined);
	assert.equal(messageFormatOf('a.constructor'), undefined);
});

test('messages are counted: all, missing ones with the forms of the language, and those nobody uses', () => {
	const source = JSON.stringify({ a: 'One', b: { c: 'Two', d: 'Three' } });
	const target = JSON.stringify({ a: 'Eins', b: { c: '' }, old: 'Alt' });
	assert.deepEqual(messageProgress(source, target, 'json', 'de'), {
		total: 3,
		missing: 2,
		unused: 1,
		stale: 0,
	});
	assert.deepEqual(messageProgress(source, '', 'json', 'de'), {
		...{ total: 3, missing: 3, unused: 0, stale: 0 },
	});
});

test('messages whose source has changed since they were translated are counted, by the record or the file itself', () => {
	const states = messageStates(
		'{"a": "One", "b": "Two"}',
		'{"a": "Eins", "b": "Zwei"}',
		'json',
		'de',
	);
	const recorded = recordedMessages(states, undefined, new Set());
	const count = (target: string) =>
		messageProgress('{"a": "One more", "b": "Two"}', target, 'json', 'de', recorded).stale;
	assert.equal(count('{"a": "Eins", "b": "Zwei"}'), 1);
	assert.equal(count('{"a": "Noch eins", "b": "Zwei"}'), 0, 'somebody has seen to it');
	const po = 'msgid "One more"\nmsgstr ""\n';
	const fuzzy = '#, fuzzy\n#| msgid "One"\nmsgid "One more"\nmsgstr "Eins"\n';
	assert.equal(messageProgress(po, fuzzy, 'po', 'de').stale, 1);
});

test('new files: only aliases, no words between stars, make one a copy of its source', async () => {
	const source = 'b: "Note: *now* here"\na: Good words\n# - *remark*\nl: |\n  - *one*\n';
	// Without aliases a new file is written anew, without remarks.
	assert.doesNotMatch(await fill(source, '', 'yaml'), /remark/);
	const made = await fill(`${source}c: &c Some words\nd: *c\ne: [*c]\n`, '', 'yaml');
	assert.match(made, /remark(?:.|\n)*c: &c «Some words»\nd: \*c\ne: \[\*c\]\n/);
});

test('new files: what was refused is missing, not in the language of the source', async () => {
	const lose = async (texts: readonly string[]) =>
		texts.map((text) => `«${text.replace(/%\{x\}|%s/, '')}»`);
	const of = async (source: string, format: MessageFormat, without: readonly string[] = []) => {
		const { text, refused, added } = await mergeMissing(source, '', format, lose, 'de', without);
		const states = messageStates(source, text, format, 'de');
		const recorded = [...recordedMessages(states, undefined, new Set()).keys()];
		const paths = added.map(({ path }) => path.join('.'));
		return { text, refused, added: paths, missing: keys(source, text, format), recorded };
	};
	const yaml =
		'a: Good one\nb: Bad %{x} thing\nc: &c Bad %{x} too\nd: *c\nf: |\n  Bad %{x} block\ng: *c\nh: Last one\n';
	assert.deepEqual(await of(yaml, 'yaml'), {
		text: 'a: «Good one»\nb: ""\nc: &c ""\nd: *c\nf: ""\ng: *c\nh: «Last one»\n',
		refused: ['Bad %{x} thing', 'Bad %{x} too', 'Bad %{x} block'],
		added: ['a', 'h'],
		missing: ['b', 'c', 'f'],
		recorded: ['/a', '/h'],
	});
	// The same without aliases, where the file is written anew.
	const plain = 'a: Good one\nf: |\n  Bad %{x} block\n';
	assert.equal((await of(plain, 'yaml')).text, 'a: «Good one»\n');
	assert.equal((await of('c: &c Bad %{x} too\nd: *c\n', 'yaml')).text, '');
	const android =
		'<resources>\n  <string name="a">Good one</string>\n  <string name="b">Bad %s thing</string>\n  <string-array name="l"><item>One</item><item>Bad %s item</item></string-array>\n  <string name="n">12</string>\n</resources>\n';
	const made =
		'<resources>\n  <string name="a">«Good one»</string>\n  <string name="n">12</string>\n</resources>\n';
	const { text, missing } = await of(android, 'android');
	assert.equal(text, made);
	assert.deepEqual(missing, ['b', 'l']);
	assert.equal((await of(android, 'android', ['Good one'])).missing.length, 3);
});
