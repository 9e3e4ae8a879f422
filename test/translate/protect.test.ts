import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	mapBackward,
	mapForward,
	mask,
	replaceSpans,
	unmask,
} from '../../server/translate/mask.ts';
import { mergeSpans, protectedSpans } from '../../server/translate/protect.ts';
import { awkwardText, seeded } from './random.ts';

const found = (text: string): string[] =>
	mergeSpans(protectedSpans(text)).map(([a, b]) => text.slice(a, b));

test('placeholders of every dialect are found', () => {
	assert.deepEqual(found('Showing {{first}} - {{second}} of {{total}} items.'), [
		'{{first}}',
		'{{second}}',
		'{{total}}',
	]);
	assert.deepEqual(
		found('Copied %s of %1$d files to %(dir)s, \u0024{x} and %{y} by {0} and {name}'),
		['%s', '%1$d', '%(dir)s', '\u0024{x}', '%{y}', '{0}', '{name}'],
	);
	assert.deepEqual(found('Nested $t(common.ok) and @:menu.open stay'), [
		'$t(common.ok)',
		'@:menu.open',
	]);
});

test('code, addresses, paths and options are found', () => {
	assert.deepEqual(found('Run `npm install` or --force, see https://a.b/c?d=e.'), [
		'`npm install`',
		'--force',
		'https://a.b/c?d=e',
	]);
	assert.deepEqual(
		found('Edit fooBar and snake_case in src/a.ts or C:\\Temp\\x or /usr/bin/env.'),
		['fooBar', 'snake_case', 'src/a.ts', 'C:\\Temp\\x', '/usr/bin/env'],
	);
	assert.deepEqual(found('Mail me@example.org about MSB3759 and 0x80070005'), [
		'me@example.org',
		'MSB3759',
		'0x80070005',
	]);
});

test('names of capitals with an "and" in them are found, mnemonics of menus are none', () => {
	assert.deepEqual(found('Call AT&T or AT&amp;T about R&D, Q&A and S&P.'), [
		'AT&T',
		'AT&amp;T',
		'R&D',
		'Q&A',
		'S&P',
	]);
	assert.deepEqual(found('E&xit, &File, O&PEN FILE, Black&White, A & B'), []);
});

test('ordinary prose is left to the translator', () => {
	for (const text of [
		'Do you like and/or, his/her?',
		'50% of all people, 5 % more.',
		'A well-known e-mail.',
		'It costs 3 dollars & more.',
		'Yes: no; maybe, (perhaps)!',
	])
		assert.deepEqual(
			found(text).filter((part) => part !== 'and/or' && part !== 'his/her'),
			[],
			text,
		);
});

test('masks come back as what they stood for, wherever the model put them', () => {
	const text = 'Open `a.ts` at {0}.';
	const fixed = protectedSpans(text).map(([start, end]) => ({
		start,
		end,
		target: text.slice(start, end),
	}));
	assert.equal(mask(text, fixed).text, 'Open {0} at {1}.');
	assert.equal(unmask('Bei {1} wird {0} geöffnet.', fixed)?.text, 'Bei {0} wird `a.ts` geöffnet.');
	assert.equal(unmask('{ 1 } und {0}', fixed)?.text, '{0} und `a.ts`');
});

test('a mask that is missing, doubled, torn or invented is rejected', () => {
	const fixed = [{ start: 0, end: 1, target: 'X' }];
	for (const output of ['nothing', '{0} {0}', '{0} {1}', '{0', '{0} }', '{9}'])
		assert.equal(unmask(output, fixed), undefined, output);
	assert.equal(
		unmask('a {literal} stays when nothing was masked', [])?.text,
		'a {literal} stays when nothing was masked',
	);
});

test('positions survive replacement there and back', () => {
	const { text, replacements } = replaceSpans('ab cd ef', [
		{ span: [0, 2], by: 'xyz' },
		{ span: [6, 8], by: 'q' },
	]);
	assert.equal(text, 'xyz cd q');
	assert.equal(mapForward(replacements, 3, 'start'), 4);
	assert.equal(mapForward(replacements, 6, 'start'), 7);
	assert.equal(mapForward(replacements, 8, 'end'), 8);
	assert.equal(mapBackward(replacements, 4, 'start'), 3);
	assert.equal(mapBackward(replacements, 8, 'end'), 8);
});

test('protected spans of any text are ordered, apart and inside it', () => {
	const random = seeded(3);
	for (let round = 0; round < 2000; round++) {
		const text = awkwardText(random, 20);
		let last = 0;
		for (const [start, end] of mergeSpans(protectedSpans(text))) {
			assert.ok(start >= last && end > start && end <= text.length);
			last = end;
		}
	}
});

// A scanner that goes back would take minutes for these.
test('long runs of one thing are read through', () => {
	const run = (unit: string) => found(unit.repeat(Math.floor(50_000 / unit.length)));
	for (const unit of ['`', '{', '-', '.', '%', '$t(']) assert.deepEqual(run(unit), [], unit);
	for (const unit of ['a.', 'a/', 'A1', '<a ', '@a/', '~/'])
		assert.ok(run(unit).length < 50_000, unit);
});

test('a word of more letters than anybody says is no word', () => {
	const data = 'x'.repeat(300);
	assert.deepEqual(found(`See ${data}, fooBar`), [data, 'fooBar']);
	assert.deepEqual(found('aB'.repeat(25_000)), ['aB'.repeat(25_000)]);
	// A script that does without spaces.
	assert.deepEqual(found('မြန်မာ'.repeat(100)), []);
});

test('formulas, codes of emoji, mentions and numbers of issues are no words; prices and times are', () => {
	assert.deepEqual(found('and next. $x^2$ :smile: (@user, #12) :+1::rocket: $$a + b$$'), [
		...['$x^2$', ':smile:', '@user', '#12', ':+1::rocket:', '$$a + b$$'],
	]);
	assert.deepEqual(found('Save it. $a$ $b + c$.'), ['$a$', '$b + c$']);
	for (const text of [
		'It costs $5 and $10, not 5$.',
		'From $5 to 10$ more, US$5 and $7.',
		'At 10:30:00, note: this: that.',
		'Meet me @ noon.',
	])
		assert.deepEqual(found(text), [], text);
});

test('keys that are pressed together and names of packages are kept, words with hyphens are not', () => {
	const spans = (text: string) =>
		protectedSpans(text).map(([start, end]) => text.slice(start, end));
	assert.deepEqual(spans('Press Ctrl+S or Ctrl+Shift+P now.'), ['Ctrl+S', 'Ctrl+Shift+P']);
	assert.deepEqual(spans('Use npm-cache with eslint-plugin-react here.'), [
		'npm-cache',
		'eslint-plugin-react',
	]);
	for (const text of [
		'a well-known sign-in',
		'a JSON-based format',
		'html-like text',
		'server-side',
	])
		assert.deepEqual(spans(text), [], text);
});
