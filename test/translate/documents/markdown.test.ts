/** Markdown and MDX: which words are reached, what stays, and that no model can change the syntax. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarkdown } from '../../../server/translate/documents/markdown/reading.ts';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';
import { shouted } from './shouted.ts';

const mark = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);

async function translated(text: string, fileName = 'a.md', translate = mark) {
	const extract = formatOf(fileName);
	assert.ok(extract);
	return translatePieces(text, extract, translate, 'de');
}

const reached: readonly (readonly [source: string, result: string])[] = [
	[
		'[express] is small.\n\n[express]: http://e\n',
		'«[express] is small.»\n\n[express]: http://e\n',
	],
	['> [!NOTE]\n> Text of it\n', '> [!NOTE]\n> «Text of it»\n'],
	[':::tip Open the file\nText inside\n:::\n', ':::tip «Open the file»\n«Text inside»\n:::\n'],
	[':::note[Open it]\nText\n:::\n', ':::note[«Open it»]\n«Text»\n:::\n'],
	['Term\n: text of it\n', '«Term»\n: «text of it»\n'],
	['A word[^1].\n\n[^1]: Note text\n', '«A word[^1].»\n\n[^1]: «Note text»\n'],
	['The sum $a*b*c$ is \\(x+y\\) here.\n', '«The sum $a*b*c$ is \\(x+y\\) here.»\n'],
	['Done :tada: {/* no */} here.\n', '«Done :tada: {/* no */} here.»\n'],
	['$$\nsome words\n\n- more\n$$\n', '$$\nsome words\n\n- more\n$$\n'],
	['It costs $5 and $10.\n', '«It costs $5 and $10.»\n'],
	['![An image](a.png "The title")\n', '![«An image»](a.png "«The title»")\n'],
	[
		'[![Build status][b]][c]\n\n[b]: x\n[c]: y "Both"\n',
		'[![«Build status»][b]][c]\n\n[b]: x\n[c]: y "«Both»"\n',
	],
	['<summary>Open <b>me</b></summary>\n', '<summary>«Open <b>me</b>»</summary>\n'],
	[
		'<p><img alt="The logo" src="x"> And text</p>\n',
		'<p><img alt="«The logo»" src="x"> «And text»</p>\n',
	],
	[
		'---\ntitle: A title\nlayout: home\nlang: en\n---\n',
		'---\ntitle: «A title»\nlayout: home\nlang: de\n---\n',
	],
	['---\ntitle: A title\nlanguage: php\n---\n', '---\ntitle: «A title»\nlanguage: php\n---\n'],
	['+++\ntitle = "A title"\n+++\n', '+++\ntitle = "«A title»"\n+++\n'],
	['# Heading {#id}\n', '# «Heading» {#id}\n'],
	['Press <kbd>Ctrl</kbd> now\n', '«Press <kbd>Ctrl</kbd> now»\n'],
	['Install @scope/name@1.2.0 now\n', '«Install @scope/name@1.2.0 now»\n'],
	['Use openai@4.16.0 now\n', '«Use openai@4.16.0 now»\n'],
	['{% if a.b %}\nOpen it\n{% endif %}\n', '{% if a.b %}\n«Open it»\n{% endif %}\n'],
	[
		'{{% notice note %}}\nOpen it\n{{% /notice %}}\n',
		'{{% notice note %}}\n«Open it»\n{{% /notice %}}\n',
	],
	[
		'{{< tabs >}}{{< tab >}}\nOpen it\n{{< /tab >}}\n',
		'{{< tabs >}}{{< tab >}}\n«Open it»\n{{< /tab >}}\n',
	],
	[
		'{% highlight ruby %}\nsome code\n\nmore code\n{% endhighlight %}\n\nText\n',
		'{% highlight ruby %}\nsome code\n\nmore code\n{% endhighlight %}\n\n«Text»\n',
	],
	[
		'{{< highlight go >}}\nsome code\n{{< /highlight >}}\n',
		'{{< highlight go >}}\nsome code\n{{< /highlight >}}\n',
	],
	['Read [the post]({% post_url a-b %}) now\n', '«Read [the post]({% post_url a-b %}) now»\n'],
	['A term\n\n:   Write to it\n', '«A term»\n\n:   «Write to it»\n'],
	[
		'% A(1) Version | Commands\n% Jane Doe\n\nText\n',
		'% A(1) Version | Commands\n% Jane Doe\n\n«Text»\n',
	],
	['| First line\n| Second line\n', '| «First line»\n| «Second line»\n'],
	[
		'% The title of it\n% Jane *Doe* the first\n% May 2020\n\nText\n',
		'% «The title of it»\n% Jane *Doe* the first\n% May 2020\n\n«Text»\n',
	],
	['!!! warning never do this\n', '«!!! warning never do this»\n'],
	['!!! note inline end\n', '!!! note inline end\n'],
	[
		'!!! danger highlight blink\n    Text of it\n',
		'!!! danger highlight blink\n    «Text of it»\n',
	],
	[
		'Use it to set the\nexport default value of files,\nexport const means that too, and\nimport "words" from it\n',
		'«Use it to set the export default value of files, export\nconst means that too, and import "words" from it»\n',
	],
	['export default settings are read here\n', '«export default settings are read here»\n'],
	[
		"export const a = 1;\nexport default a;\nimport b from 'b';\n\nexport default function c() {}\n",
		"export const a = 1;\nexport default a;\nimport b from 'b';\n\nexport default function c() {}\n",
	],
	['!!! note "A title"\n    Text of it\n', '!!! note "«A title»"\n    «Text of it»\n'],
	['??? tip\n    Hidden text\n', '??? tip\n    «Hidden text»\n'],
	['=== "Text mode"\n', '=== "«Text mode»"\n'],
	['*[HTML]: A language\n*[CSS]: A sheet\n', '*[HTML]: «A language»\n*[CSS]: «A sheet»\n'],
	['Press ++ctrl+alt+del++ or ==do it==\n', '«Press ++ctrl+alt+del++ or ==do it»==\n'],
	['Read **cat**(1) and *ls*(1p) now\n', '«Read **cat**(1) and *ls*(1p) now»\n'],
	[
		'import Tabs from \'@theme/Tabs\';\nimport {A} from "./a"\n\nText\n',
		'import Tabs from \'@theme/Tabs\';\nimport {A} from "./a"\n\n«Text»\n',
	],
	['## [1.0.0] - 2023-01-01 [YANKED]\n', '## [1.0.0] - 2023-01-01 [YANKED]\n'],
	['1\\. no list\n', '«1\\. no list»\n'],
	['\ufeff# A title\n', '\ufeff# «A title»\n'],
];

test('words in every block are reached, and what is no words stays', async () => {
	for (const [source, result] of reached) {
		for (const eol of ['\n', '\r\n']) {
			const { text, refused } = await translated(source.replaceAll('\n', eol));
			assert.equal(text, result.replaceAll('\n', eol), source);
			assert.deepEqual(refused, [], source);
		}
	}
});

test('MDX: children, attributes and expressions', async () => {
	const source = `import {A} from 'a'

<Callout title="A hint" {...x}>
Text <B>inside</B> it, {name}.
</Callout>

{/* a remark */}

<pre>
some code
</pre>
`;
	const { text } = await translated(source, 'a.mdx');
	assert.equal(
		text,
		source
			.replace('A hint', '«A hint»')
			.replace('Text <B>inside</B> it, {name}.', '«Text <B>inside</B> it, {name}.»'),
	);
	const extract = formatOf('a.mdx');
	const fault = extract?.faultOf?.('A text\n\n{(1 + }\n');
	assert.ok(fault && fault.at >= 8, 'what is no MDX is told with its place');
});

test('a link by its own words leads on when they are others', async () => {
	const shout = async (texts: readonly string[]) =>
		texts.map((text) => text.toUpperCase().replace(/<(\/?)T/g, '<$1t'));
	const source = 'See [the guide] and [Notes][].\n\n[the guide]: a\n[notes]: b\n';
	const { text } = await translated(source, 'a.md', shout);
	assert.match(text, /^SEE \[THE GUIDE\]\[the guide\] AND \[NOTES\]\[Notes\]\.\n/);
	const { text: same } = await translated(source, 'a.md', async (texts) =>
		texts.map((one) => one.replace('See', 'Siehe')),
	);
	assert.match(same, /^Siehe \[the guide\] and \[Notes\]\[\]\.\n/);
});

/** What careless models do to a text. */
const careless: Readonly<Record<string, (text: string) => string>> = {
	'loses tags': (text) => text.replace(/<[^>]*>/g, ''),
	'empties tags': (text) => text.replace(/<(t\d+)>([^<]*)<\/\1>/g, '<$1></$1>$2'),
	'crosses tags': (text) => text.replace('<t1>', '<t2>').replace('</t2>', '</t1>'),
	'invents a brace': (text) => `{${text}`,
	'invents a list': (text) => `- ${text}`,
	'invents a heading': (text) => `# ${text}`,
	'invents a block of code': (text) => `\`\`\`${text}`,
	'invents a table': (text) => `| ${text} |`,
	'invents a remark': (text) => `<!-- ${text}`,
	'invents a link': (text) => `[${text}](http://x)`,
	'invents lines': (text) => text.replaceAll(' ', '\n\n'),
	'says nothing': () => '',
	loops: (text) => `${text} `.repeat(30),
	glues: (text) => text.replaceAll(' ', ''),
	indents: (text) => `        ${text}`,
	underlines: (text) => `${text}\n===`,
};

test('whatever a model answers, the syntax is what it was', async () => {
	const source = `---
title: A title
---

# The *first* heading

Some **bold** words, a [link](http://a.b "Title") and \`code\` of https://c.d here.
And a second line with ![an image](i.png) and more. Then $x_1$.

- one *item*
- [ ] a task
  > a quote

| A column | B |
|---|---|
| a cell \\| more | **b** |

<div align="center">Text <b>bold</b></div>

[ref] and a note[^1].

[ref]: http://e
[^1]: The note
`;
	const syntax = (text: string) =>
		readMarkdown(text, 'markdown')
			.nodes.map(({ node }) => node)
			.sort();
	for (const [name, answer] of Object.entries(careless)) {
		const { text } = await translated(source, 'a.md', async (texts) => texts.map(answer));
		assert.deepEqual(syntax(text), syntax(source), name);
	}
	const { refused, refusedAt } = await translated(source, 'a.md', async (texts) =>
		texts.map((text) => `{${text}`),
	);
	assert.equal(refused.length, refusedAt.length);
	const place = refusedAt[refused.indexOf('an image')];
	assert.deepEqual(place, { line: 8, column: 26, why: "'{' would be added" });
});

test('a part that cannot be kept stays, the others are translated', async () => {
	const source = 'One *good* sentence. A **bad** one stands here.\n';
	const { text, refused } = await translated(source, 'a.md', async (texts) =>
		texts.map((one) =>
			one.includes('bad')
				? one.replace(/<\/?t\d>/g, '')
				: one.toUpperCase().replaceAll('T1>', 't1>'),
		),
	);
	assert.match(text, /^ONE \*GOOD\* SENTENCE\. /);
	assert.deepEqual(refused, []);
});

test('long documents are read in parts that know the names and indents of the others', () => {
	const block =
		'See [the ref] and **more** of it.\n\n  * an item\n    - below\n\n      more\n  * next\n\n```\ncode\n\ncode\n```\n\n';
	const own = readMarkdown(`${block}[the ref]: http://r\n`, 'markdown').nodes.slice(0, -1);
	const { nodes } = readMarkdown(`${block.repeat(800)}[the ref]: http://r\n`, 'markdown');
	const said = nodes.slice(0, -1).map(({ node }) => node);
	assert.equal(said.length, own.length * 800);
	for (const [index, node] of said.entries()) assert.equal(node, own[index % own.length]?.node);
});

test('white space in code stays', async () => {
	const { text } = await translated("Use `a  b` or *this*  one `'c  '` now\n");
	assert.match(text, /`a {2}b` or \*this\* one `'c {2}'` now/);
});

test('a fault far from what it comes from costs the words around it, not those of the whole document', async () => {
	const source = `${'Some words here.\n\n'.repeat(60)}Open <div> it.\n\n${'Some words here.\n\n'.repeat(60)}`;
	const format = formatOf('a.md');
	assert.ok(format?.rules?.nodes);
	// A reader that sees a fault three pieces behind its cause.
	const nodes = (text: string) => {
		const own = format.rules?.nodes?.(text) ?? [];
		const at = text.indexOf('BAD');
		if (at < 0) return own;
		const later = text.indexOf('\n\n', text.indexOf('\n\n', at + 40) + 2);
		return [...own, { at: later, node: 'other' }].sort((a, b) => a.at - b.at);
	};
	const extract = Object.assign((text: string) => format(text), { rules: { nodes } });
	const made = await translatePieces(source, extract, async (texts) =>
		texts.map((text) =>
			text.startsWith('Open') ? text.replace('Open', 'BAD') : text.toUpperCase(),
		),
	);
	assert.ok(made.refused.length > 0 && made.refused.length < 40, String(made.refused.length));
	assert.ok(!made.text.includes('BAD'));
});

test('lines of a footnote may be indented as its author likes', async () => {
	const { text, refused } = await shouted(
		'a.md',
		'See.[^t]\n\n[^t]: The first line is there\n                  and _some_ more of it.\n',
	);
	assert.match(text, /^\[\^t\]: THE FIRST LINE IS THERE\s+AND _SOME_ MORE OF IT\.$/m);
	assert.deepEqual(refused, []);
});

test('a paragraph that is too long to be looked into stays, and is told', async () => {
	const long = 'The file is **bold** now. '.repeat(1000);
	const { text, refused, refusedAt } = await shouted(
		'a.md',
		`Some words.\n\n${long}\n\nMore words.\n`,
	);
	assert.equal(text, `SOME WORDS.\n\n${long}\n\nMORE WORDS.\n`);
	assert.deepEqual(refused, [long.slice(0, 200)]);
	assert.deepEqual([refusedAt[0]?.line, refusedAt[0]?.column], [3, 1]);
	assert.match(refusedAt[0]?.why ?? '', /too many marks/);
});

test('lists within lists deeper than anybody writes are refused at once, and long ones are read', async () => {
	const nested = (depth: number) =>
		Array.from({ length: depth }, (_, at) => `${'  '.repeat(at)}- words of ${at}\n`).join('');
	await assert.rejects(async () => translated(nested(800)), /nested too deeply/);
	await assert.rejects(async () => translated(nested(800), 'a.mdx'), /nested too deeply/);
	const { pieces } = await translated(nested(12).repeat(30));
	assert.equal(pieces, 360);
});

test('brackets in a long document mean what they mean in a short one', () => {
	const defined = [
		...['```\n[1 name]: x\n```', '    [1 name]: x', 'No line\n[1 name]: x\ndefines.'],
		...[
			'<!--\n[1 name]: x\n-->',
			'[1\nname]: x',
			'[1 name]:\n  x',
			'1. [1 name]: x',
			'[\\]1 name]: x',
		],
		...['1. Item\n\n   [^1]: A note', '```\n[^1]: A note\n```'],
	].map((text, at) =>
		text.replace('1 name', `${at} name`).replace('^1', `^${at}`).replace('[1', `[${at}`),
	);
	const uses = defined.map((_, at) => `See [${at} name], [\\]${at} name] or this[^${at}].\n`);
	const document = (filler: string) => [...uses, filler, ...defined, ''].join('\n\n');
	for (const dialect of ['markdown', 'mdx'] as const) {
		const [short, long] = ['', 'Words. '.repeat(20)].map((words) => {
			const { pieces, nodes } = readMarkdown(document(`${words}\n\n`.repeat(500)), dialect);
			return [
				pieces.map((piece) => piece.text).filter((text) => !text.startsWith('Words')),
				nodes.map(({ node }) => node).filter((node) => node !== 'paragraph'),
			];
		});
		assert.deepEqual(long, short);
	}
});
