/** Gettext files: forms, headers, contexts, flags. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageStates } from '../../../server/translate/documents/messageStates.ts';
import {
	mergeMissing,
	missingMessages,
} from '../../../server/translate/documents/missingMessages.ts';
import {
	parsePluralForms,
	pluralFormsOf,
} from '../../../server/translate/documents/pluralForms.ts';
import { setMessages } from '../../../server/translate/documents/setMessages.ts';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';

const po = formatOf('a.po')!;
const tell = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);

const file = `# Title
msgid ""
msgstr ""
"Language: \\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

#. for the start page
#: a.c:3
#, c-format
#| msgid "Opening %s"
msgctxt "menu"
msgid "Open %s"
msgstr ""

#, fuzzy
msgid "Old guess"
msgstr "Alt"

#: b.c:4
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

msgid "One file\\n"
msgid_plural "%d files\\n"
msgstr[0] ""
msgstr[1] ""

msgid "done"
msgid_plural "dones"
msgstr[0] "fertig"
msgstr[1] "fertig"

#~ msgid "Gone words"
#~ msgstr ""
`;

test('.po with a translation that changes nothing is the same, byte for byte', async () => {
	// Short ones may be right as they are.
	const long = file.replace(/^(msgid(?:_plural)? ")(?=[^"])/gm, '$1Some more words before: ');
	for (const text of [long, long.replaceAll('\n', '\r\n'), long.trimEnd(), 'msgid "a', '']) {
		const same = await translatePieces(text, po, async (texts) => texts, 'pl');
		assert.equal(same.text, text);
		assert.deepEqual(same.refused, []);
	}
});

test('.po: forms and header of the target; contexts and comments stay; guesses are marked', async () => {
	for (const eol of ['\n', '\r\n']) {
		const { text } = await translatePieces(file.replaceAll('\n', eol), po, tell, 'pl');
		const forms =
			'nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);';
		const expected = file
			.replace('"Language: \\n"', '"Language: pl\\n"')
			.replace('nplurals=INTEGER; plural=EXPRESSION;', () => forms)
			.replace('#, c-format', '#, fuzzy, c-format')
			.replace('msgid "Open %s"\nmsgstr ""', 'msgid "Open %s"\nmsgstr "«Open %s»"')
			.replace(
				'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""',
				'#, fuzzy\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "«%d file»"\nmsgstr[1] "«%d files»"\nmsgstr[2] "«%d files»"',
			)
			.replace(
				'msgid "One file\\n"\nmsgid_plural "%d files\\n"\nmsgstr[0] ""\nmsgstr[1] ""',
				() =>
					'#, fuzzy\nmsgid "One file\\n"\nmsgid_plural "%d files\\n"\nmsgstr[0] "«One file»\\n"\nmsgstr[1] "«%d files»\\n"\nmsgstr[2] "«%d files»\\n"',
			);
		// The line break of a message is not part of what is translated.
		assert.equal(text.replaceAll(eol, '\n'), expected);
		assert.equal(text.split(eol).length, expected.split('\n').length);
	}
});

test('.po: the forms of a header are used, and a missing header is written', async () => {
	const entry = 'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n';
	const asked: string[] = [];
	const listen = async (texts: readonly string[]) => {
		asked.push(...texts);
		return tell(texts);
	};
	const header = 'msgid ""\nmsgstr "Plural-Forms: nplurals=1; plural=0;\\n"\n\n';
	const one = await translatePieces(header + entry, po, listen, 'ru');
	assert.ok(one.text.startsWith(header));
	assert.match(one.text, /msgstr\[0\] "«%d files»"\n$/);
	assert.deepEqual(asked, ['2 files', '%d files']);
	const none = await translatePieces(`# note\n${entry}`, po, tell, 'ja');
	assert.equal(
		none.text,
		`msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals=1; plural=0;\\n"\n\n# note\n#, fuzzy\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "«%d files»"\n`,
	);
	const first = await translatePieces(entry, po, tell, 'ja');
	assert.equal(first.text, none.text.replace('# note\n', ''));
	const bare = await translatePieces(`msgid ""\nmsgstr ""\n"A: b\\n"\n\n${entry}`, po, tell, 'fr');
	assert.match(
		bare.text,
		/^msgid ""\nmsgstr ""\n"A: b\\n"\n"Plural-Forms: nplurals=2; plural=\(n > 1\);\\n"\n\n/,
	);
	const unknown = await translatePieces(entry, po, tell, 'tlh-Latn');
	assert.deepEqual([unknown.text, unknown.refused], [entry, ['%d file / %d files']]);
});

test('.po: the header of a template counts once its messages are translated', async () => {
	const header = (flags: string, language: string) =>
		`# Title\n${flags}msgid ""\nmsgstr ""\n"Language: ${language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n`;
	const open = 'msgid "Open it"\nmsgstr ""\n';
	const made = '#, fuzzy\nmsgid "Open it"\nmsgstr "«Open it»"\n';
	for (const [flags, left, language] of [
		['#, fuzzy\n', '', ''],
		['#, fuzzy\n', '', 'de'],
		['#, fuzzy, no-wrap\n', '#, no-wrap\n', ''],
		['#, no-wrap\n', '#, no-wrap\n', ''],
	] as const) {
		const { text } = await translatePieces(header(flags, language) + open, po, tell, 'de');
		assert.equal(text, header(left, 'de') + made);
	}
	// Nothing is said of a file to which nothing is added.
	const done = header('#, fuzzy\n', '') + open.replace('""', '"Öffnen"');
	assert.equal((await translatePieces(done, po, tell, 'de')).text, done);
});

test('plural forms sort numbers as CLDR does for every language that has a formula', () => {
	const counts: Record<string, number> = {
		ja: 1,
		de: 2,
		fr: 2,
		is: 2,
		ru: 3,
		pl: 3,
		cs: 3,
		lt: 3,
		lv: 3,
		ro: 3,
		sl: 4,
		gd: 4,
		ga: 5,
		ar: 6,
		cy: 6,
		he: 3,
		sr: 3,
		uk: 3,
		tr: 2,
		hi: 2,
		fil: 2,
		mk: 2,
		mt: 5,
		'pt-BR': 2,
		'zh-Hans': 1,
	};
	for (const [language, count] of Object.entries(counts)) {
		const forms = pluralFormsOf(language);
		assert.equal(forms?.count, count, language);
		const rules = new Intl.PluralRules(language);
		const names = new Map<number, string>();
		for (let n = 0; n <= 200; n++) {
			const form: number = forms?.formOf(n) ?? -1;
			const name: string = names.get(form) ?? rules.select(n);
			names.set(form, name);
			assert.equal(rules.select(n), name, `${language} ${n}`);
		}
	}
});

test('expressions that are no plural forms are not run', () => {
	for (const bad of [
		'',
		'nplurals=2; plural=n +',
		'nplurals=2; plural=m;',
		'nplurals=0; plural=0;',
		'nplurals=2; plural=(n',
		'nplurals=2; plural=process.exit();',
	])
		assert.equal(parsePluralForms(bad), undefined, bad);
	assert.equal(parsePluralForms('nplurals=2; plural=n/0;')?.formOf(5), 0);
	assert.equal(parsePluralForms('nplurals=2; plural=!(n==1)')?.formOf(1), 0);
	assert.equal(parsePluralForms('nplurals=2; plural=n*7-1+n%3;')?.formOf(9), 1);
});

test('.po: a plural that lacks a form of the header is open, and the forms that are there stay', async () => {
	const header =
		'msgid ""\nmsgstr ""\n"Language: de\\n"\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n';
	const entry = (forms: string) => `msgid "%d file"\nmsgid_plural "%d files"\n${forms}`;
	const source = header + entry('msgstr[0] ""\nmsgstr[1] ""\n');
	const lacking = [
		['msgstr[0] "%d Datei"\n', 'msgstr[0] "%d Datei"\nmsgstr[1] "«%d files»"\n'],
		['msgstr[1] "%d Dateien"\n', 'msgstr[0] "«%d file»"\nmsgstr[1] "%d Dateien"\n'],
	] as const;
	for (const [forms, filled] of lacking) {
		const target = header + entry(forms);
		assert.equal(missingMessages(source, target, 'po', 'de').length, 1);
		const made = `${header}#, fuzzy\n${entry(filled)}`;
		assert.equal((await translatePieces(target, po, tell, 'de')).text, made);
		assert.equal((await mergeMissing(source, target, 'po', tell, 'de')).text, made);
	}
	const [state] = messageStates(source, header + entry('msgstr[1] "%d Dateien"\n'), 'po', 'de');
	assert.equal(state?.source, '%d files');
	const texts = new Map([['%d file.0', '%d Datei']]);
	const set = setMessages(source, header + entry('msgstr[1] "%d Dateien"\n'), 'po', 'de', texts);
	assert.equal(set.text, header + entry('msgstr[0] "%d Datei"\nmsgstr[1] "%d Dateien"\n'));
	// One form is all that some languages have.
	const one = (header + entry('msgstr[0] "%d"\n')).replace(/nplurals.*;/, 'nplurals=1; plural=0;');
	assert.deepEqual(missingMessages(source, one, 'po', 'ja'), []);
});
