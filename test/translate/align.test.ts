import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignmentText } from '../../server/services/translate/alignmentText.ts';
import { alignWords } from '../../server/translate/align.ts';
import { alignmentSupported } from '../../server/translate/alignmentPairs.ts';
import { looksBroken, loops } from '../../server/translate/repetition.ts';
import { wordSpans } from '../../server/translate/wordSpans.ts';

const source = 'The answer lies in machine translation.';
const target = 'La réponse se trouve dans la traduction automatique.';
const sourceWords = wordSpans(source, 'en');
const targetWords = wordSpans(target, 'fr');

/** Attention over whole words, rows given as `target word → source word`. */
function attention(pairs: readonly (readonly [target: number, source: number])[]) {
	const weights = new Float32Array(targetWords.length * sourceWords.length).fill(0.02);
	for (const [t, s] of pairs) weights[t * sourceWords.length + s] = 0.8;
	return { sourceSpans: sourceWords, targetSpans: targetWords, weights };
}

test('words follow the attention, punctuation what it is, indices are inclusive', () => {
	const links = alignWords(
		source,
		target,
		sourceWords,
		targetWords,
		attention([
			[0, 0],
			[1, 1],
			[2, 2],
			[3, 2],
			[4, 3],
			[5, 5],
			[6, 5],
			[7, 4],
			[8, 0],
		]),
	);
	const spans = links.map(({ source: from, target: to }) => ({
		source: sourceWords[from] ?? [0, 0],
		target: targetWords[to] ?? [0, 0],
	}));
	const rows = alignmentText(spans).split(' ');
	assert.equal(rows[0], '0:2-0:1');
	assert.ok(rows.includes('4:9-3:9'));
	assert.ok(rows.includes('19:25-40:50'), rows.join(' '));
	assert.ok(rows.includes('38:38-51:51'));
	assert.ok(
		rows.includes('11:14-11:12') && rows.includes('11:14-14:19'),
		'one word may become two',
	);
});

test('without attention only what is the same on both sides is linked', () => {
	const a = 'Version 3 of {0}.';
	const b = '{0} Version 3.';
	const links = alignWords(a, b, wordSpans(a, 'en'), wordSpans(b, 'de'));
	assert.deepEqual(
		links.map((link) => [link.source, link.target]),
		[
			[0, 1],
			[1, 2],
			[3, 0],
			[4, 3],
		],
	);
	assert.deepEqual(alignWords('cat', 'Katze', [[0, 3]], [[0, 5]]), []);
});

test('pieces of words are joined to words', () => {
	const weights = new Float32Array([0.5, 0.4, 0.1, 0.45, 0.45, 0.1, 0.1, 0.1, 0.8]);
	const spans = {
		sourceSpans: [
			[0, 3],
			[3, 6],
			[7, 10],
		],
		targetSpans: [
			[0, 2],
			[2, 5],
			[6, 9],
		],
		weights,
	} as const;
	const links = alignWords(
		'abcdef ghi',
		'vwxyz uvt',
		[
			[0, 6],
			[7, 10],
		],
		[
			[0, 5],
			[6, 9],
		],
		spans,
	);
	assert.deepEqual(links, [
		{ source: 0, target: 0 },
		{ source: 1, target: 1 },
	]);
});

test('alignment is reported for the documented pairs, both ways', () => {
	const both = (a: string, b: string) => [alignmentSupported(a, b), alignmentSupported(b, a)];
	for (const [a, b] of [
		['en', 'de'],
		['en', 'zh-Hans'],
		['en', 'sr-Latn'],
		['ja', 'ko'],
		['ja', 'zh-Hans'],
		['zh-Hans', 'zh-Hant'],
	] as const)
		assert.deepEqual(both(a, b), [true, true], `${a} ${b}`);
	for (const [a, b] of [
		['en', 'zh-Hant'],
		['en', 'yue'],
		['en', 'sr-Cyrl'],
		['zh-Hans', 'ko'],
		['ja', 'zh-Hant'],
		['de', 'fr'],
	] as const)
		assert.deepEqual(both(a, b), [false, false], `${a} ${b}`);
});

test('loops and runaway texts are noticed, honest repetition is not', () => {
	assert.ok(looksBroken('A short one.', 'die die die die die'));
	assert.ok(looksBroken('A short one.', 'Trackspspspspsps'));
	assert.ok(looksBroken('A short one.', 'Wohersssssssssschen'));
	assert.ok(!looksBroken('Noooooooo way', 'Niiiiiiiicht so'));
	assert.ok(looksBroken('Hello.', ''));
	assert.ok(looksBroken('Hi.', 'x'.repeat(200)));
	assert.ok(looksBroken('Set it.', 'the file the file the file the file'));
	assert.ok(!looksBroken('No, no, no, no!', 'Nein, nein, nein, nein!'));
	assert.ok(!looksBroken('Wait ......', 'Warte ......'));
	assert.ok(!looksBroken('10000000 bytes', '10000000 Bytes'));
	assert.equal(loops('a b a b a b'), 3);
});
