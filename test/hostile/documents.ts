/** Documents of every format that make careless readers slow, and the readers. */

import { AppError } from '../../server/protocol/errors.ts';
import { runDocumentJob } from '../../server/translate/documents/documentJob.ts';
import type { TextTranslator } from '../../server/translate/documents/documentLanguage.ts';
import { translateMissing } from '../../server/translate/documents/missingMessages.ts';
import { documentFormats } from '../../server/translate/documents/translateDocument.ts';
import type { HostileCase, HostileInput } from './growth.ts';
import { hostileTexts } from './texts.ts';

/** Answers at once, so that only reading and putting together is measured. */
export const shouting: TextTranslator = {
	detect: async (texts) =>
		texts.map(() => ({ language: 'en', score: 1, isSupported: true, alternatives: [] })),
	translate: async (texts) => texts.map((text) => text.toUpperCase()),
};

interface HostileDocument extends HostileInput {
	/** Its ending names the format. */
	readonly fileName: string;
}

const many = (
	fileName: string,
	name: string,
	part: (index: number) => string,
	before = '',
	after = '',
): HostileDocument => ({
	fileName,
	name,
	make: (n) => {
		const size = part(1000).length;
		const count = Math.ceil(n / size);
		return before + Array.from({ length: count }, (_, index) => part(index)).join('') + after;
	},
});

const wrapped = (fileName: string, before: string, after: string): HostileDocument[] =>
	hostileTexts.map(({ name, make }) => ({
		fileName,
		name: `${name} inside`,
		make: (n) => before + make(n) + after,
	}));

export const hostileDocuments: readonly HostileDocument[] = [
	many(
		'a.json',
		'plural keys',
		(at) => `"key${at}_one":"one word","key${at}_other":"more words",`,
		'{',
		'"z":""}',
	),
	many(
		'a.json',
		'plural keys on lines',
		(at) => `  "key${at}_other": "more words",\n`,
		'{\n',
		'  "z": ""\n}\n',
	),
	many(
		'a.json',
		'one-line plural keys',
		(at) => `"key${at}_other": "more words", `,
		'{',
		'"z": ""}',
	),
	many('a.json', 'keys', (at) => `"key${at}":"some words",`, '{', '"z":""}'),
	many('a.json', 'comments', (at) => `// remark ${at}\n"key${at}":"some words",\n`, '{', '"z":""}'),
	many('a.json', 'comment lines', () => '// do\n', '{', '"a":"some words"}'),
	many(
		'a.json',
		'descriptions',
		(at) => `"key${at}":"some words","@key${at}":{"description":"x"},`,
		'{',
		'"z":""}',
	),
	many(
		'a.json',
		'one description',
		() => '"description":"x",',
		'{"a":"some words","@a":{',
		'"z":""}}',
	),
	many('a.json', 'deep objects', () => '{"a":'),
	many('a.json', 'deep lists', () => '['),
	{
		fileName: 'a.json',
		name: 'deep closed lists',
		make: (n) => '['.repeat(n / 2) + ']'.repeat(n / 2),
	},
	{
		fileName: 'a.json',
		name: 'deep closed objects',
		make: (n) => `${'{"a":'.repeat(n / 6)}"word"${'}'.repeat(n / 6)}`,
	},
	many('a.yaml', 'plural keys', (at) => `key${at}_one: one word\nkey${at}_other: more words\n`),
	many('a.yaml', 'maps of plurals', (at) => `key${at}:\n  one: one word\n  other: more words\n`),
	many('a.yaml', 'flow maps of plurals', (at) => `key${at}: {other: more words, one: a word}\n`),
	many('a.yaml', 'keys', (at) => `key${at}: some words\n`),
	many('a.yaml', 'remarks', (at) => `# remark\nkey${at}: some words\n`),
	many('a.yaml', 'documents', () => '---\na: some words\n'),
	many('a.yaml', 'lists', () => '- some words\n'),
	many('a.yaml', 'anchors', (at) => `a${at}: &a${at} some words\nb${at}: *a${at}\n`),
	many('a.yaml', 'one anchor', (at) => `b${at}: *a\n`, 'a: &a some words\n'),
	many(
		'a.yaml',
		'aliases of aliases',
		(at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]\n`,
		'a0: &a0 [some words]\n',
	),
	many('a.yaml', 'deep flow', () => '['),
	many('a.yaml', 'deep flow maps', () => '{a: '),
	many('a.yaml', 'deep lists', () => '- '),
	many('a.yaml', 'tags', () => '!!str ', 'a: '),
	many('a.yaml', 'a block', () => '  some words\n', 'a: |\n'),
	many('a.yaml', 'a folded block', () => '  some words\n', 'a: >\n'),
	many('a.yaml', 'a block of spaces', () => '   ', 'a: |\n  word\n'),
	many('a.yaml', 'double quotes', () => '\\n word', 'a: "', '"'),
	many('a.po', 'messages', (at) => `msgid "word ${at}"\nmsgstr ""\n\n`, 'msgid ""\nmsgstr ""\n\n'),
	many(
		'a.po',
		'plural messages',
		(at) => `msgid "%d word ${at}"\nmsgid_plural "%d words"\nmsgstr[0] ""\nmsgstr[1] ""\n\n`,
	),
	many('a.po', 'one long message', () => '"some words"\n', 'msgid ""\n', 'msgstr ""\n'),
	many('a.po', 'one long string', () => '"some words"\n', 'msgid "word"\nmsgstr ""\n'),
	many(
		'a.po',
		'many strings',
		(at) => `msgstr[${at % 10}] ""\n`,
		'msgid "word"\nmsgid_plural "words"\n',
	),
	many('a.po', 'comments', () => '#. a remark\n', '', 'msgid "word"\nmsgstr ""\n'),
	many('a.po', 'flags', () => '#, fuzzy, c-format\n', '', 'msgid "word"\nmsgstr ""\n'),
	many('a.po', 'escapes', () => '\\\\', 'msgid "word', '"\nmsgstr ""\n'),
	many('a.po', 'an open string', () => '\\"', 'msgid "word', '\nmsgstr ""\n'),
	many(
		'a.po',
		'header lines',
		(at) => `"X-Line-${at}: y\\n"\n`,
		'msgid ""\nmsgstr ""\n',
		'\nmsgid "%d word"\nmsgid_plural "%d words"\nmsgstr[0] ""\n',
	),
	many(
		'a.po',
		'an open header',
		() => '"Plural-Forms:"\n',
		'msgid ""\nmsgstr ""\n',
		'\nmsgid "%d word"\nmsgid_plural "%d words"\nmsgstr[0] ""\n',
	),
	many('a.properties', 'entries', (at) => `key${at}=some words\n`),
	many('a.properties', 'remarks', (at) => `# remark\nkey${at}=some words\n`),
	many('a.properties', 'continued', () => 'word \\\n', 'key='),
	many('a.properties', 'keys of escapes', () => '\\a'),
	many('a.properties', 'a long key', () => 'a'),
	many('a.srt', 'cues', (at) => `${at}\n00:00:01,000 --> 00:00:02,000\nsome words\n\n`),
	many('a.srt', 'lines of a cue', () => 'some words\n', '1\n00:00:01,000 --> 00:00:02,000\n'),
	many('a.srt', 'digits', () => '1'),
	many('a.srt', 'times', () => '00:00:01,000 '),
	many('a.vtt', 'arrows', () => ' -->', '00:01.000'),
	many(
		'a.xlf',
		'units',
		(at) => `<trans-unit id="${at}"><source>some words</source></trans-unit>\n`,
		'<xliff><file>',
		'</file></xliff>',
	),
	many(
		'a.xlf',
		'segments',
		(at) => `<segment id="${at}"><source>some words</source></segment>\n`,
		'<xliff><file><unit>',
		'</unit></file></xliff>',
	),
	many(
		'a.xlf',
		'tags of a unit',
		() => '<x/>',
		'<xliff><file><trans-unit><source>some words',
		' word</source></trans-unit></file></xliff>',
	),
	many(
		'a.xlf',
		'pairs of a unit',
		() => '<g>a</g>',
		'<xliff><file><trans-unit><source>some words',
		' word</source></trans-unit></file></xliff>',
	),
	many(
		'a.xlf',
		'deep pairs',
		() => '<g>',
		'<xliff><file><trans-unit><source>some words',
		' word</source></trans-unit></file></xliff>',
	),
	many('a.xlf', 'deep elements', () => '<a>'),
	many(
		'a.xlf',
		'spaces before a source',
		() => ' ',
		'<xliff><file><trans-unit>',
		'<source>some words</source></trans-unit></file></xliff>',
	),
	many(
		'a.xlf',
		'notes',
		() => '<note>x</note>',
		'<xliff><file><trans-unit><source>some words</source>',
		'</trans-unit></file></xliff>',
	),
	many('a.html', 'paragraphs', () => '<p>some words</p>\n'),
	many('a.html', 'attributes', (at) => ` data-a${at}="b"`, '<p', '>some words</p>'),
	many('a.html', 'same attributes', () => ' title="some words"', '<p', '>some words</p>'),
	many('a.html', 'titles', () => '<b title="some words">a</b> '),
	many('a.html', 'deep blocks', () => '<div>', '', 'word'),
	many('a.html', 'deep inlines', () => '<b>', '', 'word'),
	many('a.html', 'closed deep inlines', () => '<b>a</b>', 'word ', ' word'),
	many('a.html', 'crossed inlines', () => '<b>a<i>b</b>c</i>'),
	many('a.html', 'stray ends', () => '</b>', 'word ', 'word'),
	many('a.html', 'comments', () => '<!-- a -->', 'word ', 'word'),
	many('a.html', 'open comments', () => '<!--', 'word '),
	many('a.html', 'instructions', () => '<?a ?>', 'word ', 'word'),
	many('a.html', 'open scripts', () => '<script>'),
	many('a.html', 'forms', () => '<form><p>word'),
	many('a.html', 'entities', () => '&amp;', 'word '),
	many('a.html', 'kept parts', () => '<code>a</code>', 'word ', 'word'),
	many('a.html', 'deep kept parts', () => '<code>', 'word '),
	many(
		'a.txt',
		'a wrapped paragraph',
		() => 'some words that fill a line up to its very end of it\n',
	),
	many('a.md', 'a paragraph', () => 'some words that fill a line\n'),
	many('a.md', 'links', () => '[a](b) ', 'word '),
	many('a.md', 'open emphasis', () => '*a **b ', 'word '),
	many('a.md', 'crossed emphasis', () => '*a **b* c** ', 'word '),
	many('a.md', 'deep quotes', () => '>', '', ' word'),
	many('a.md', 'quotes', () => '> word\n'),
	many('a.md', 'tags', () => '<b>', 'word '),
	many('a.md', 'code spans', () => '`a` ', 'word '),
	many('a.md', 'open fences', () => '```a\n'),
	many('a.md', 'lines that a quote goes on with', () => 'word\n', '> word\n'),
	many('a.md', 'formulas', () => '$a$ $', 'word '),
	many('a.md', 'notes', (at) => `word[^${at}]\n\n[^${at}]: word\n\n`),
	many('a.md', 'names', (at) => `[word ${at}]\n\n[word ${at}]: x\n\n`),
	many('a.mdx', 'expressions', () => '{a}\n'),
	many('a.strings', 'entries', (at) => `"k${at}" = "some words";\n`),
	many('a.strings', 'remarks', () => '/* a */ '),
	many('a.strings', 'open remarks', () => '/*'),
	many('a.strings', 'an open string', () => '\\"', '"a" = "'),
	many(
		'a.resx',
		'entries',
		(at) => `<data name="k${at}"><value>words</value></data>`,
		'<r>',
		'</r>',
	),
	many('a.resx', 'deep elements', () => '<a>'),
	many('a.resx', 'attributes', (at) => ` a${at}="b"`, '<r><data', '/></r>'),
	many('a.resx', 'open tags', () => '<a ', '<r>'),
	many(
		'strings.xml',
		'strings',
		(at) => `<string name="k${at}">words</string>`,
		'<resources>',
		'</resources>',
	),
	many(
		'strings.xml',
		'marks',
		() => '<b>a</b> ',
		'<resources><string>word ',
		'</string></resources>',
	),
	many(
		'strings.xml',
		'forms',
		() => '<item quantity="one">words</item>',
		'<resources><plurals>',
		'<item quantity="other">words</item></plurals></resources>',
	),
	many(
		'strings.xml',
		'plurals',
		() => '<plurals><item quantity="other">words</item></plurals>',
		'<resources>',
		'</resources>',
	),
	many(
		'strings.xml',
		'sections',
		() => '<![CDATA[a]]>',
		'<resources><string>',
		'</string></resources>',
	),
	many(
		'strings.xml',
		'remarks',
		() => '<!-- a -->',
		'<resources>',
		'<string>words</string></resources>',
	),
	many(
		'a.stringsdict',
		'dictionaries',
		() =>
			'<key>a</key><dict><key>NSStringFormatSpecTypeKey</key><string>x</string><key>other</key><string>some words</string></dict>',
		'<plist><dict>',
		'</dict></plist>',
	),
	many('a.stringsdict', 'deep dictionaries', () => '<dict><key>a</key>'),
	many('a.xcstrings', 'messages', (at) => `"some words ${at}":{},`, '{"strings":{', '"z":{}}}'),
	many(
		'a.xcstrings',
		'languages',
		(at) => `"x${at}":{},`,
		'{"strings":{"some words":{"localizations":{',
		'"z":{}}}}}',
	),
	many(
		'a.ts',
		'messages',
		() => '<message><source>words</source><translation/></message>',
		'<TS>',
		'</TS>',
	),
	many(
		'a.ts',
		'numbers',
		() => '<message numerus="yes"><source>%n words</source><translation/></message>',
		'<TS>',
		'</TS>',
	),
	many('a.ftl', 'messages', (at) => `k${at} = some words\n`),
	many('a.ftl', 'lines of a value', () => '    some words\n', 'a =\n'),
	many('a.ftl', 'empty lines of a value', () => '\n', 'a = words\n', '   more\n'),
	many('a.ftl', 'placeables', () => '{ $a } ', 'a = words '),
	many('a.ftl', 'open placeables', () => '{'),
	many('a.ftl', 'messages with open placeables', () => 'a = {\n'),
	many('a.ftl', 'variants', (at) => `  [k${at}] words\n`, 'a = { $n ->\n', '  *[other] words\n}\n'),
	many('a.ftl', 'remarks', () => '# a\n', '', 'a = words\n'),
	many('a.toml', 'entries', (at) => `k${at} = "some words"\n`),
	many('a.toml', 'tables', (at) => `[t${at}]\nk = "some words"\n`),
	many('a.toml', 'deep lists', () => '[', 'a = '),
	many('a.toml', 'deep tables', () => '{a=', 'a = '),
	many('a.toml', 'commas', () => ',', 'a = ['),
	many('a.toml', 'a long key', () => 'a.', '', 'b = "words"'),
	many('a.toml', 'blank lines', () => ' \n'),
	many('a.php', 'entries', (at) => `'k${at}' => 'some words',\n`, '<?php return [', '];'),
	many('a.php', 'deep arrays', () => "['a' => ", '<?php return ', ''),
	many('a.php', 'remarks', () => '/* a */ # b\n', '<?php return [', '];'),
	many('a.php', 'texts', () => '<<<A\nA\n', '<?php return ['),
	many('a.php', 'open texts', () => '<<<A\n', '<?php return ['),
	many('a.php', 'forms', () => '{0} words|', "<?php return ['a' => '", "'];"),
	many('a.csv', 'rows', () => 'a,some words,\n', 'key,en,de\n'),
	many('a.csv', 'columns', (at) => `c${at},`, 'en,de,'),
	many('a.csv', 'quotes', () => '"",', 'en,de\n'),
	many('a.csv', 'an open quote', () => '""', 'en,de\n"'),
	many(
		'a.ipynb',
		'cells',
		() => '{"cell_type":"markdown","source":"some words"},',
		'{"cells":[',
		'{}]}',
	),
	many(
		'a.ipynb',
		'lines',
		() => '"some words\\n",',
		'{"cells":[{"cell_type":"markdown","source":[',
		'""]}]}',
	),
	many('a.rst', 'paragraphs', () => 'some words\n\n'),
	many('a.rst', 'a paragraph', () => 'some words that fill a line\n'),
	many('a.rst', 'simple tables', () => '== ==\n\na\n'),
	many('a.rst', 'grid tables', () => '+---+\n\n'),
	many('a.rst', 'marks', () => '*a `b '),
	many('a.rst', 'roles', () => ':a:`b` '),
	many('a.rst', 'directives', () => '.. note:: words\n'),
	many('a.rst', 'comments', () => '.. words\n'),
	many('a.rst', 'options', () => '   :a: b\n', '.. note:: words\n'),
	many('a.rst', 'literals', () => 'words::\n\n  a\n\n'),
	many('a.rst', 'titles', () => 'Words\n=====\n'),
	many('a.adoc', 'paragraphs', () => 'some words\n\n'),
	many('a.adoc', 'a paragraph', () => 'some words that fill a line\n'),
	many('a.adoc', 'cells', () => '|some words ', '|===\n', '\n|===\n'),
	many('a.adoc', 'rows', () => '|words |words\n', '|===\n', '|===\n'),
	many('a.adoc', 'open blocks', () => '----\na\n'),
	many('a.adoc', 'marks', () => '*a _b #c '),
	many('a.adoc', 'macros', () => 'a:b[c '),
	many('a.adoc', 'links', () => 'https://a[b '),
	many('a.adoc', 'terms', () => 'word:: words\n'),
	many('a.adoc', 'attributes', () => ':a: b \\\n'),
	...wrapped('a.strings', '"a" = "word ', '";\n'),
	...wrapped('strings.xml', '<resources><string>word ', '</string></resources>'),
	...wrapped('a.ftl', 'a = word ', '\n'),
	...wrapped('a.toml', 'a = "word ', '"\n'),
	...wrapped('a.php', "<?php return ['a' => 'word ", "'];"),
	...wrapped('a.csv', 'en,de\n"word ', '",\n'),
	...wrapped('a.rst', 'word ', ''),
	...wrapped('a.adoc', 'word ', ''),
	...wrapped('a.adoc', '|===\n|word ', '\n|===\n'),
	many('a.mdx', 'open elements', () => '<A>\n\n'),
	...wrapped('a.json', '{"a":"word ', '"}'),
	...wrapped('a.yaml', 'a: ', ''),
	...wrapped('a.yaml', 'a: "word ', '"'),
	...wrapped('a.yaml', 'a: |\n  word ', ''),
	...wrapped('a.po', 'msgid "word ', '"\nmsgstr ""\n'),
	...wrapped('a.properties', 'key=word ', ''),
	...wrapped('a.srt', '1\n00:00:01,000 --> 00:00:02,000\nword ', '\n'),
	...wrapped(
		'a.xlf',
		'<xliff><file><trans-unit><source>word ',
		'</source></trans-unit></file></xliff>',
	),
	...wrapped('a.html', '<p>word ', '</p>'),
	...wrapped('a.html', '<p title="word ', '">word</p>'),
	...wrapped('a.md', 'word ', ''),
	...wrapped('a.md', '# word ', ''),
	...Object.keys(documentFormats)
		.filter(
			(ending) =>
				!['htm', 'jsonc', 'arb', 'markdown', 'pot', 'vtt', 'xliff', 'yml'].includes(ending),
		)
		.flatMap((ending) => hostileTexts.map((text) => ({ ...text, fileName: `a.${ending}` }))),
];

export const documentCases: readonly HostileCase[] = hostileDocuments.map(
	({ fileName, name, make }) => ({
		name: `${fileName.slice(2)}: ${name}`,
		make,
		run: (text: string) => {
			// What is damaged, or of another kind, is refused; how long that takes counts, too.
			const job = { fileName, text, to: 'de', from: 'en' };
			return runDocumentJob(job, shouting).catch((error: unknown) => {
				if (!(error instanceof AppError)) throw error;
			});
		},
	}),
);

/** Message files as sources of a translated file, and as that file. */
export const missingCases: readonly HostileCase[] = hostileDocuments
	.filter(({ name }) => !name.endsWith('inside') && !name.startsWith('"'))
	.flatMap(({ fileName, name, make }) => {
		const format = ({ json: 'json', yaml: 'yaml', po: 'po', properties: 'properties' } as const)[
			fileName.slice(2) as 'json'
		];
		if (!format) return [];
		const empty = { json: '{}', yaml: 'a: b\n', po: '', properties: '' }[format];
		const languages = { to: 'de', from: 'en' };
		return [
			{
				name: `missing of ${format}: ${name}`,
				make,
				run: (text: string) => translateMissing(text, empty, format, shouting, languages),
			},
			{
				name: `missing in ${format}: ${name}`,
				make,
				run: (text: string) => translateMissing(text, text, format, shouting, languages),
			},
		];
	});
