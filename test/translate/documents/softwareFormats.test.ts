/** Messages of programs: values change, keys and code do not, and forms are those of the target language. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOf } from '../../../server/translate/documents/translateDocument.ts';
import { shouted } from './shouted.ts';

test('Android: escapes, markup, references, what is not to be translated', async () => {
	const source = `<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
    <!-- A remark -->
    <string name="a">Don\\'t open \\"%1$s\\" &amp; go</string>
    <string name="b" translatable="false">Keep this</string>
    <string name="c">Read <b>the file</b> of <xliff:g id="n" example="Bob">%s</xliff:g> now</string>
    <string name="d"><![CDATA[Some <i>words</i> it\\'s]]></string>
    <string name="e">@string/other</string>
    <string name="f">"  It's quoted  "</string>
    <!-- Do not translate -->
    <string name="g">Stays here</string>
    <string-array name="h"><item>First one</item><item>Second\\none</item></string-array>
</resources>
`;
	const { text, asked, refused } = await shouted('strings.xml', source);
	assert.deepEqual(refused, []);
	assert.ok(asked.includes('Don\'t open "%1$s" &amp; go'), asked.join('\n'));
	assert.ok(text.includes(`<string name="a">DON\\'T OPEN \\"%1$s\\" &amp; GO</string>`), text);
	assert.ok(text.includes('<string name="b" translatable="false">Keep this</string>'));
	assert.ok(
		text.includes(
			'READ <b>THE FILE</b> OF <xliff:g id="n" example="Bob">%s</xliff:g> NOW</string>',
		),
		text,
	);
	assert.ok(text.includes(`<![CDATA[SOME <i>WORDS</i> IT\\'S]]>`), text);
	assert.ok(text.includes('>@string/other<'));
	assert.ok(text.includes(`"  IT\\'S QUOTED  "</string>`), text);
	assert.ok(text.includes('>Stays here<'));
	assert.ok(text.includes('<item>FIRST ONE</item><item>SECOND\\nONE</item>'), text);
});

test('Android: white space that is written as escapes stays at the ends of a text', async () => {
	const source = `<resources>
    <string name="a">Sent by:\\u0020</string>
    <string name="b">\\n\\nThe details:\\n</string>
    <string name="c">"  Two blanks \\u00A0"</string>
    <string name="d">\\u0020<b>Bold words</b>\\n</string>
    <string name="e">Backslash and n \\\\n</string>
</resources>
`;
	const { text } = await shouted('values/strings.xml', source);
	assert.deepEqual(
		[...text.matchAll(/>(.*)<\/string>/g)].map(([, value]) => value),
		[
			'SENT BY:\\u0020',
			'\\n\\nTHE DETAILS:\\n',
			'"  TWO BLANKS \\u00A0"',
			'\\u0020<b>BOLD WORDS</b>\\n',
			'BACKSLASH AND N \\\\N',
		],
	);
});

test('Android: plurals get the quantities of the target language', async () => {
	const source = `<resources>
    <plurals name="files">
        <item quantity="one">%d file</item>
        <item quantity="other">%d files</item>
    </plurals>
</resources>
`;
	const { text } = await shouted('values/strings.xml', source, { to: 'pl' });
	assert.equal(
		text,
		`<resources>
    <plurals name="files">
        <item quantity="one">%d FILE</item>
        <item quantity="few">%d FILES</item>
        <item quantity="many">%d FILES</item>
        <item quantity="other">%d FILES</item>
    </plurals>
</resources>
`,
	);
	const japanese = await shouted('strings.xml', source, { to: 'ja' });
	assert.ok(!japanese.text.includes('quantity="one"'), japanese.text);
	await assert.rejects(
		shouted('pom.xml', '<project><a>Some words</a></project>'),
		/holds no messages/,
	);
	await assert.rejects(
		shouted('strings.xml', '<resources><string></resources>'),
		/holds|damaged at/,
	);
});

test('.resx: strings, but no types, designer entries and remarks', async () => {
	const data = (name: string, value: string, more = '') =>
		`<data name="${name}"${more}><value>${value}</value></data>\n`;
	const source = `<root>\n<resheader name="version"><value>2.0</value></resheader>\n${data('A', 'Open &lt;the&gt; file {0}')}${data('B', 'Some words', ' type="System.Drawing.Point, x"')}${data('&gt;&gt;C.Name', 'label one')}<data name="D"><value>Keep this</value><comment>Do not translate</comment></data>\n</root>\n`;
	const { text, asked } = await shouted('Resources.resx', source, {}, (one) =>
		one.replace('Open', 'Öffne & "lies"'),
	);
	assert.deepEqual(asked, ['Open <the> file {0}']);
	assert.equal(text, source.replace('Open', 'Öffne &amp; "lies"'));
});

test('.strings: values with escapes; comments, keys and order stay; what is none is said', async () => {
	const source =
		'/* A remark */\n"key one" = "Open \\"%@\\"\\nnow";\n// Do not translate\n"b" = "Stays here";\nbare.key = "More words" ;\n';
	const { text } = await shouted('Localizable.strings', source);
	assert.equal(
		text,
		'/* A remark */\n"key one" = "OPEN \\"%@\\"\\nNOW";\n// Do not translate\n"b" = "Stays here";\nbare.key = "MORE WORDS" ;\n',
	);
	await assert.rejects(
		shouted('a.strings', '"a" = "b";\n"c" "d";\n'),
		/line 2.*no "key" = "value"/,
	);
});

test('.stringsdict: forms of the target, and the sentence around them', async () => {
	const source = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
	<key>files</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>You have %#@files@ here</string>
		<key>files</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>d</string>
			<key>one</key>
			<string>%d file</string>
			<key>other</key>
			<string>%d files</string>
		</dict>
	</dict>
</dict></plist>
`;
	const { text } = await shouted('Localizable.stringsdict', source, { to: 'ru' });
	assert.match(text, /<string>YOU HAVE %#@files@ HERE<\/string>/);
	assert.match(
		text,
		/<key>one<\/key>\s+<string>%d FILES?<\/string>\s+<key>few<\/key>\s+<string>%d FILES<\/string>\s+<key>many<\/key>\s+<string>%d FILES<\/string>\s+<key>other<\/key>\s+<string>%d FILES<\/string>\s+<\/dict>/,
	);
	assert.match(text, /<key>NSStringFormatValueTypeKey<\/key>\s+<string>d<\/string>/);
});

test('.xcstrings: the target language is added beside the others, marked for review', async () => {
	const source = `{
  "sourceLanguage" : "en",
  "strings" : {
    "Open the file" : {

    },
    "count" : {
      "localizations" : {
        "en" : {
          "variations" : {
            "plural" : {
              "one" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "%lld file"
                }
              },
              "other" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "%lld files"
                }
              }
            }
          }
        }
      }
    },
    "Done already" : {
      "localizations" : {
        "de" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "Schon fertig"
          }
        }
      }
    },
    "Product name" : {
      "shouldTranslate" : false
    }
  },
  "version" : "1.0"
}`;
	const { text, pieces, asked } = await shouted('Localizable.xcstrings', source);
	const made = JSON.parse(text);
	assert.equal(pieces, 2, asked.join('\n'));
	assert.deepEqual(made.strings['Open the file'], {
		localizations: { de: { stringUnit: { state: 'needs_review', value: 'OPEN THE FILE' } } },
	});
	const { plural } = made.strings.count.localizations.de.variations;
	assert.deepEqual(
		Object.entries(plural).map(([name, one]) => [
			name,
			(one as { stringUnit: { value: string } }).stringUnit.value,
		]),
		[
			['one', '%lld FILE'],
			['other', '%lld FILES'],
		],
	);
	for (const line of source.split('\n')) assert.ok(text.includes(line.trim()), line);
	assert.match(text, /^ {6}"localizations" : \{\n {8}"de" : \{$/m);
	assert.equal((await shouted('a.xcstrings', text)).text, text);
});

test('Qt: what is unfinished is filled in, numbers get forms, keys of labels move', async () => {
	const source = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US">
<context>
    <message>
        <source>&amp;Open the file %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) here</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Old words</source>
        <translation type="vanished">Alte Worte</translation>
    </message>
    <message>
        <source>Done here</source>
        <translation>Fertig</translation>
    </message>
</context>
</TS>
`;
	const { text, refused } = await shouted('app_pl.ts', source, { to: 'pl' });
	assert.deepEqual(refused, []);
	assert.match(text, /<translation type="unfinished">&amp;OPEN THE FILE %1<\/translation>/);
	assert.equal(text.split('<numerusform>%n FILE(S) HERE</numerusform>').length, 4, text);
	assert.match(text, /<TS version="2.1" language="pl">/);
	assert.match(text, />Alte Worte<[\s\S]*<translation>Fertig</);
	await assert.rejects(
		shouted('app.ts', 'export const a = "Some words";\n'),
		/of \.ts those of Qt/,
	);
});

test('Fluent: values, attributes and variants; placeables stay', async () => {
	const source = `# A remark
-brand = Big Browser
open = Open { $file } in { -brand }
    .title = More words
long =
    First line and
    second line
emails = { $count ->
    [0] No mail for you
    [one] One new mail
   *[other] { $count } new mails
}
# Do not translate
kept = Stays here
`;
	const { text, refused } = await shouted('app.ftl', source, { to: 'pl' });
	assert.deepEqual(refused, []);
	assert.match(text, /^open = OPEN \{ \$file \} IN \{ -brand \}$/m);
	assert.match(text, /^ {4}\.title = MORE WORDS$/m);
	assert.match(text, /^long =\n {4}FIRST LINE AND SECOND LINE$/m);
	assert.match(
		text,
		/\[0\] NO MAIL FOR YOU\n {4}\[one\] ONE NEW MAIL\n\s+\[few\] \{ \$count \} NEW MAILS\n\s+\[many\] \{ \$count \} NEW MAILS\n\s+\*\[other\] \{ \$count \} NEW MAILS\n\}/,
	);
	assert.match(text, /^kept = Stays here$/m);
	await assert.rejects(shouted('a.ftl', 'a = Some { $words\n'), /line 1.*not closed/);
});

test('TOML: words in strings of every kind; keys, comments, dates and codes stay', async () => {
	const source = `# A remark
title = "Open the \\"file\\""
version = "1.2.0"
path = 'src/dir'
note = 'Some words'
date = 2024-01-01 10:00:00
list = ["First words", 3, { name = "Second words", url = "https://a.b" }]
[a."b c"] # remark
text = """
Line of words
and more"""
one = "one thing"
`;
	const { text } = await shouted('en.toml', source);
	assert.equal(
		text,
		source
			.replace('Open the \\"file\\"', 'OPEN THE \\"FILE\\"')
			.replace("'Some words'", "'SOME WORDS'")
			.replace('First words', 'FIRST WORDS')
			.replace('Second words', 'SECOND WORDS')
			.replace('Line of words\nand more', 'LINE OF WORDS\nAND MORE')
			.replace('one thing', 'ONE THING'),
	);
	for (const [broken, what] of [
		['a = "b\n', /not closed/],
		['a "b"\n', /equals sign/],
		['a = [1, 2\n', /not closed/],
		['a = "b" c\n', /follows a value/],
	] as const)
		await assert.rejects(shouted('a.toml', broken), what);
});

test('Fluent: names of products and the grammar of terms stay as they are', async () => {
	const kept = `-brand-short-name = Bird Watcher
-app-name = Bird Watcher Two
-vendor-name = Feather Company
    .gender = masculine form
`;
	const words = `-sync-title = Keep in step
    .case = upper case
about = About { -brand-short-name }
    .label = Some label
`;
	const { text } = await shouted('app.ftl', kept + words);
	assert.equal(
		text,
		kept +
			words
				.replace('Keep in step', 'KEEP IN STEP')
				.replace('= About', '= ABOUT')
				.replace('Some label', 'SOME LABEL'),
	);
});

test('a text that stays is named by its keys from the root', async () => {
	for (const [name, source] of [
		['a.toml', 'x = 1\n[menu.file]\nopen = "Lose {name} here"\n'],
		['a.json', '{"menu": {"file": {"open": "Lose {name} here"}}}'],
		['a.yaml', 'menu:\n  file:\n    open: Lose {name} here\n'],
	] as const) {
		const { refusedAt } = await shouted(name, source, {}, () => 'NOTHING');
		assert.deepEqual(
			refusedAt.map(({ key }) => key),
			['menu.file.open'],
			name,
		);
	}
});

test('PHP: values of an array that is returned; keys, code and programs stay', async () => {
	const source = `<?php
// A remark
return [
    'welcome' => 'Welcome, :name!',
    'it' => 'It\\'s "here"',
    'nested' => ['deep' => "Tab\\there words", 'key' => $other['not me']],
    'count' => '{0} No files|[1,19] Some files|[20,*] Many files',
    'made' => 'Some ' . 'parts',
    'call' => trans('not this one'),
    'list' => array('First words', 'Second words'),
    'var' => "Hello $name words",
];
`;
	const { text, refused } = await shouted('messages.php', source);
	assert.deepEqual(refused, []);
	assert.equal(
		text,
		source
			.replace('Welcome, :name!', 'WELCOME, :name!')
			.replace(`It\\'s "here"`, `IT\\'S "HERE"`)
			.replace('Tab\\there words', 'TAB\\tHERE WORDS')
			.replace(
				'No files|[1,19] Some files|[20,*] Many files',
				'NO FILES|[1,19] SOME FILES|[20,*] MANY FILES',
			)
			.replace("'First words', 'Second words'", "'FIRST WORDS', 'SECOND WORDS'"),
	);
	await assert.rejects(
		shouted('index.php', "<?php\n$a = 'Some words';\n"),
		/arrays that are returned/,
	);
	await assert.rejects(shouted('a.php', "<?php return ['a' => 'Some words'"), /not closed/);
});

test('PHP: bytes that are written in octal or hexadecimal are what they were', async () => {
	const source =
		'<?php return ["a" => "\\033[1mBold\\033[0m words", "b" => "Stra\\xc3\\237e here"];\n';
	const { text, asked, refused } = await shouted('messages.php', source);
	assert.deepEqual(refused, []);
	assert.ok(asked.includes('Straße here'), asked.join());
	assert.equal(
		text,
		'<?php return ["a" => "\u001b[1MBOLD\u001b[0M WORDS", "b" => "STRASSE HERE"];\n',
	);
});

test('vue-i18n: forms between bars are texts of their own, links and placeholders stay', async () => {
	const source =
		'{\n  "car": "no cars | one car | {n} cars",\n  "link": "See @:common.file now",\n  "other": "a|b"\n}\n';
	const { text, asked } = await shouted('en.json', source);
	assert.deepEqual(asked.slice(0, 3), ['no cars', 'one car', '{n} cars']);
	assert.match(text, /"car": "NO CARS \| ONE CAR \| \{n\} CARS"/);
	assert.match(text, /"SEE @:common\.file NOW"/);
	const lost = await shouted('en.json', source, {}, (one) => one.replace('{n}', 'n').toUpperCase());
	assert.match(lost.text, /"no cars \| one car \| \{n\} cars"/);
	const yaml = await shouted('en.yaml', 'car: one car | many cars\n');
	assert.equal(yaml.text, 'car: ONE CAR | MANY CARS\n');
});

test('.properties: what programs read stays', async () => {
	const settings = `spring.application.name=order service
logging.level.root=warn
org.gradle.jvmargs=-Xmx2g -Dfile.encoding=UTF-8
url=jdbc:h2:mem:test
home=/var/lib/app
listeners=org.example.One, org.example.Two
isOn=true
date.format=dd.MM.yyyy
`;
	const messages = 'title=Order service\nserver=Server\nserver.lost=The server is away\nok=Yes\n';
	const { text, refused } = await shouted('a.properties', settings + messages);
	assert.deepEqual(refused, []);
	assert.equal(
		text,
		`${settings}${messages.replaceAll(/(?<==).*/g, (words) => words.toUpperCase())}`,
	);
});

test('PHP arrays are known by their folder, also where the path begins with it', () => {
	for (const path of ['lang/en/messages.php', 'app/lang/en/a.php', 'translations\\en\\a.php'])
		assert.notEqual(formatOf(path), undefined, path);
	for (const path of ['config/app.php', 'slang/a.php'])
		assert.equal(formatOf(path), undefined, path);
});

test('.resx: markup in CDATA is translated as markup, and stays CDATA', async () => {
	const data = (words: string, more = '') =>
		`<root><data name="a"><value>${more}<![CDATA[<p class="x">${words} &amp; <b>${words}</b></p>]]>${more}</value></data></root>\n`;
	const { text, asked, refused } = await shouted('a.resx', data('Open it', '\n  '));
	assert.equal(text, data('OPEN IT', '\n  '));
	assert.equal(asked.length, 1);
	assert.deepEqual(refused, []);
	const ended = await shouted('a.resx', data('Open it'), {}, (one) => `${one} ]]>`);
	assert.equal(ended.text.match(/\]\]>/g)?.length, 1, ended.text);
});
