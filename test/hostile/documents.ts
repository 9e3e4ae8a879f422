/** Documents of every format that make careless readers slow, and the readers. */

import type { TextTranslator } from '../../server/translate/documents/documentLanguage.ts';
import { translateMissing } from '../../server/translate/documents/missingMessages.ts';
import {
	documentFormats,
	formatOf,
	translateDocumentText,
} from '../../server/translate/documents/translateDocument.ts';
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
			const extract = formatOf(fileName);
			if (!extract) throw new Error(`${fileName} is of no known format.`);
			return translateDocumentText(text, extract, shouting, { to: 'de', from: 'en' });
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
