import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlPieces } from '../../server/translate/htmlBlocks.ts';
import { plainBlock, usesDictionary } from '../../server/translate/plainBlock.ts';
import {
	type SentenceTranslator,
	translateBlocks,
} from '../../server/translate/translateBlocks.ts';
import { losing, reversing, shouting } from './fakeTranslator.ts';
import { awkwardHtml, awkwardText, seeded } from './random.ts';

const options = { source: 'en', target: 'de', links: true, maxSentence: 400 };
const plain = (text: string, translator: SentenceTranslator) =>
	translateBlocks([plainBlock(text)], translator, options);
const html = (text: string, translator: SentenceTranslator) =>
	translateBlocks(htmlPieces(text), translator, options);
const sum = (lengths: readonly number[]): number =>
	lengths.reduce((total, length) => total + length, 0);

/** Everything between angle brackets that the source marks up as a tag. */
const tags = (text: string): string[] =>
	(text.match(/<\/?[A-Za-z][^<>]*>|<!--.*?-->/gs) ?? []).sort();

const stress: readonly string[] = [
	"Please start your '<x id=1>Basic</x>' plan by clicking the button '<x id=2>Accept</x>'.",
	'<div>See <a href="1">one</a> now.</div><div>And <a href="2">two</a> later, with a tail.</div>',
	'<p>1-<i>London, Paris</i></p>',
	'The value has at most <placeholder value="max"/> characters.',
	'<a>@<span>x</span></a> text',
	'\n* <c id>Kamera</c>\n* <c id>Akku</c>\n',
	'<p>Klik på <p translate="no">Continue</p> for at gå videre</p>',
	'<em>One <span>two <strong>three</strong> four</span> five</em> six.',
	'Before <!-- a comment --> after.',
	'<b>d</b><i>o</i><a id="1">g</a>',
	'This form was <strong>Returned by data app</strong> with errors.',
	'Showing {{first}} - {{second}} of {{total}} items.',
	'<img src="a.png" alt=x> starts and ends <br/> here <wbr>.',
	'A &amp; B &lt;tag&gt; and&nbsp;C',
	'<UL><LI>One</LI><LI>Two <B>bold</B></LI></UL>',
	'Empty <b></b> element and <i> spaced </i> one.',
	'<span class=notranslate>今天是怎么回事是</span>非常可怕的',
];

for (const [name, translator] of Object.entries({ shouting, reversing, losing })) {
	test(`every tag of the stress set comes out once, unchanged (${name})`, async () => {
		for (const source of stress) {
			const { text } = await html(source, translator);
			assert.deepEqual(tags(text), tags(source), `${source}\n${text}`);
			assert.equal(text.includes('{{first}}'), source.includes('{{first}}'));
		}
	});
}

test('elements stay nested as they were when the words change places', async () => {
	const { text } = await html('<em>One <b>two</b> three</em> four.', reversing);
	let depth = 0;
	for (const [tag] of text.matchAll(/<\/?\w+>/g)) {
		depth += tag.startsWith('</') ? -1 : 1;
		assert.ok(depth >= 0, text);
	}
	assert.match(text, /<em>.*<b>TWO<\/b>.*<\/em>/);
});

test('tags go with their words and white space stays outside', async () => {
	const { text } = await html("Press '<x id=1>Basic</x>' or <b>very bold</b> now", shouting);
	assert.equal(text, "PRESS '<x id=1>BASIC</x>' OR <b>VERY BOLD</b> NOW");
	assert.match(
		(await html('Press <b>red button</b> now', reversing)).text,
		/<b>BUTTON RED<\/b> PRESS$/,
	);
});

test('what must not be translated is byte for byte the same', async () => {
	const source =
		'<div class="notranslate">Keep <b>this</b>.</div><p>Turn <code>a && b</code> and <kbd>Ctrl</kbd>.</p><script>x < y</script>';
	const { text } = await html(source, shouting);
	assert.equal(
		text,
		'<div class="notranslate">Keep <b>this</b>.</div><p>TURN <code>a && b</code> AND <kbd>Ctrl</kbd>.</p><script>x < y</script>',
	);
});

test('entities are decoded for the model and written back as references', async () => {
	const seen: string[] = [];
	const { text } = await html('Tom &amp; Jerry &lt; you&nbsp;too', async (sentences, needs) => {
		seen.push(...sentences);
		return shouting(sentences, needs);
	});
	assert.deepEqual(seen, ['Tom & Jerry < you\u00a0too']);
	assert.equal(text, 'TOM &amp; JERRY &lt; YOU&nbsp;TOO');
});

test('the dictionary element prescribes its translation in both text types', async () => {
	for (const prefix of ['mstrans', 'xtrans']) {
		// Without quotes as well, as the interface's own examples have it.
		for (const value of ['"wordomatic"', 'wordomatic']) {
			const source = `The word <${prefix}:dictionary translation=${value}>word</${prefix}:dictionary> is here.`;
			for (const { text } of [await plain(source, shouting), await html(source, shouting)])
				assert.equal(text, 'THE WORD wordomatic IS HERE.');
			assert.ok(usesDictionary(source));
		}
	}
});

test('a malformed or differently cased dictionary element is ordinary text', async () => {
	const malformed = 'The < mstrans:dictionary translation ="x">word</mstrans:dictionary> is';
	assert.match((await plain(malformed, shouting)).text.toLowerCase(), /translation/);
	const cased = '<MSTRANS:Dictionary translation="x">word</MSTRANS:Dictionary> is';
	assert.match(
		(await html(cased, shouting)).text,
		/<MSTRANS:Dictionary translation="x">WORD<\/MSTRANS:Dictionary>/,
	);
});

test('block tags in plain text end a sentence, inline tags do not', async () => {
	const asked: string[] = [];
	const { text } = await translateBlocks(
		[plainBlock('<div>Keep me</div><p>Open the <b>file</b> now</p>')],
		async (sentences) => {
			asked.push(...sentences);
			return sentences.map((sentence) => ({ text: sentence.toUpperCase() }));
		},
		{ source: 'en', target: 'de', links: false, maxSentence: 400 },
	);
	assert.deepEqual(asked, ['Keep me', 'Open the file now']);
	assert.equal(text, '<div>KEEP ME</div><p>OPEN THE <b>FILE</b> NOW</p>');
});

test('tags written into plain text stay, single ones where they stood', async () => {
	const { text } = await plain('<html><body>This <b>is</b> a test.</body></html>', shouting);
	assert.equal(text, '<html><body>THIS <b>IS</b> A TEST.</body></html>');
	assert.equal((await plain('A Vec<String> of x.', shouting)).text, 'A VEC<String> OF X.');
});

test('placeholders come through even a translator that loses them', async () => {
	const source = 'Open {0} in `a.ts` with %s now.';
	const { text } = await plain(source, losing);
	assert.equal(text, 'OPEN {0} IN `a.ts` WITH %s NOW.');
});

test('links point at the words they name, in the source and in the target', async () => {
	const source = 'Please <b>open</b> the file `a.ts`.\nThen {0} closes.';
	const { text, links } = await plain(source, reversing);
	for (const link of links) {
		const from = source.slice(...link.source).toUpperCase();
		assert.equal(text.slice(...link.target).toUpperCase(), from);
	}
	assert.ok(links.length >= 9);
});

test('lengths add up, tags and placeholders are equal multisets, and nothing throws for any text', async () => {
	const random = seeded(11);
	const held = (text: string): string[] =>
		(text.match(/\{\{name\}\}|%1\$d(?![A-Za-z])|\$\{x\}|`code`|snake_case/g) ?? []).sort();
	for (let round = 0; round < 700; round++) {
		const source = awkwardText(random, 22);
		const translator = random.pick([shouting, reversing, losing]);
		const done = await plain(source, translator);
		const label = JSON.stringify([source, done.text]);
		assert.equal(sum(done.sourceLengths), source.length, label);
		assert.equal(sum(done.targetLengths), done.text.length, label);
		assert.equal(done.sourceLengths.length, done.targetLengths.length);
		assert.deepEqual(held(done.text), held(source), label);
		for (const { source: from, target: to } of done.links) {
			assert.ok(from[0] >= 0 && from[1] <= source.length && from[0] <= from[1], label);
			assert.ok(to[0] >= 0 && to[1] <= done.text.length && to[0] <= to[1], label);
		}
	}
});

test('no tag of any HTML gets lost, doubled or changed', async () => {
	const random = seeded(5);
	for (let round = 0; round < 700; round++) {
		const source = awkwardHtml(random, 18);
		const translator = random.pick([shouting, reversing, losing]);
		const { text, sourceLengths, targetLengths } = await html(source, translator);
		const label = JSON.stringify([source, text]);
		for (const tag of [
			'<b>',
			'</b>',
			'<A HREF="y">',
			'</A>',
			'<img src=z>',
			'<!-- c -->',
			'<br>',
			'<placeholder value="max"/>',
			'<x id=1>',
			'</x>',
		])
			assert.equal(text.split(tag).length, source.split(tag).length, `${tag} ${label}`);
		assert.equal(sum(sourceLengths), source.length, label);
		assert.equal(sum(targetLengths), text.length, label);
	}
});

/** A translator that keeps every word and slips in the digits of numbers, as small models do. */
const slipping: SentenceTranslator = async (sentences) =>
	sentences.map((text) => ({ text: text.replace(/(?<![{\d])\d{2,}(?![\d}])/g, '17492') }));

test('numbers of many digits come out as they went in, whatever the model makes of them', async () => {
	for (const source of [
		'The folder 0.4914352571971865 is empty.',
		'The file has 17492152152130498404 bytes.',
		'Call 0301234567 for help with order 48213.',
		'It weighs 12,345.67 grams at most.',
		'Number 98765 and {0} come first.',
	]) {
		const { text } = await plain(source, slipping);
		const numbers = source.match(/\d[\d.,]*\d/g) ?? [];
		for (const number of numbers) assert.ok(text.includes(number), `${source}\n${text}`);
	}
});

test('numbers may be grouped, written in other digits, or rounded into words', async () => {
	for (const [source, target] of [
		['It has 48,213 lines.', 'Es hat 48.213 Zeilen.'],
		['It has 48213 lines.', 'Il a 48 213 lignes.'],
		['It has 48213 lines.', 'به ۴۸۲۱۳ خط دارد.'],
		['It has 1,500,000 lines.', 'Es hat anderthalb Millionen Zeilen.'],
		['It has 48213 lines.', '它有4.8213万行。'],
		['It began in 1998.', 'Es begann 98.'],
	] as const) {
		const asked: string[] = [];
		const { text } = await plain(source, async (sentences) => {
			asked.push(...sentences);
			return sentences.map(() => ({ text: target }));
		});
		assert.equal(text, target);
		assert.equal(asked.length, 1, asked.join('\n'));
	}
});

test('an element that lost its words is translated in parts', async () => {
	// The words come out in one piece, and nothing is known of where they belong.
	const unlinked: SentenceTranslator = async (sentences) =>
		sentences.map((sentence) => ({
			text: /^\w+$/.test(sentence) ? sentence.toUpperCase() : 'ONE',
			links: [],
		}));
	const source = '<p>Click <b>Save</b> and <i>wait</i> now.</p>';
	const options = { source: 'en', target: 'de', links: false, maxSentence: 500 };
	const { text } = await translateBlocks(htmlPieces(source), unlinked, options);
	assert.equal(text, '<p>CLICK <b>SAVE</b> AND <i>WAIT</i> ONE</p>');
});

/** Answers placeholders alone, as small models do with a few words before several of them. */
const wordless: SentenceTranslator = async (sentences) =>
	sentences.map((sentence) => ({
		text: /\{\d+\}/.test(sentence)
			? (sentence.match(/\{\d+\}/g) ?? []).join(' ')
			: sentence.toUpperCase(),
	}));

test('words beside placeholders are translated alone when a model answers only the placeholders', async () => {
	assert.equal(
		(await plain('and next. $x^2$ :smile: @user #12', wordless)).text,
		'AND NEXT. $x^2$ :smile: @user #12',
	);
	assert.equal(
		(await plain('Open the file $x$ and close the window @user.', wordless)).text,
		'OPEN THE FILE $x$ AND CLOSE THE WINDOW @user.',
	);
	assert.equal((await plain(':rocket:', shouting)).text, ':rocket:');
});

test('a model that answers a long sentence with hardly anything leaves it as it was', async () => {
	const text = 'The quick brown fox jumps over the lazy dog again.';
	const { text: made } = await plain(text, async (all) => all.map(() => ({ text: 'Fox.' })));
	assert.equal(made, text);
});
