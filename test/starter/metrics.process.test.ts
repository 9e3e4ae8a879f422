/** The scores of the quality bench: known values, and agreement with the training scripts' own. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { acceptedShare } from '../../bench/quality/accepted.ts';
import { corpusBleu, tokens13a } from '../../bench/quality/corpusBleu.ts';
import { corpusChrf } from '../../bench/quality/corpusChrf.ts';
import { plainWords, wordErrors } from '../../bench/quality/wordErrors.ts';

const near = (actual: number, expected: number): void =>
	assert.ok(Math.abs(actual - expected) < 0.005, `${actual} is not ${expected}`);

test('BLEU of equal texts is 100, of texts without a common word 0', () => {
	near(corpusBleu(['Das ist ein Satz.'], ['Das ist ein Satz.']), 100);
	assert.equal(corpusBleu(['eins zwei drei vier'], ['one two three four']), 0);
});

test('BLEU counts n-grams, smooths the missing order and punishes short output', () => {
	// 5/6, 3/5, 1/4 and no common 4-gram of three: 1 / (2 · 3).
	near(corpusBleu(['the cat sat on the mat'], ['the cat is on the mat']), 37.99);
	// All n-grams right, 4 words instead of 6: exp(1 − 6/4).
	near(corpusBleu(['the cat is on'], ['the cat is on the mat']), 100 * Math.exp(-0.5));
});

test('punctuation and numbers are tokens as in 13a', () => {
	assert.deepEqual(tokens13a('Über 1,5 "Tage", a-b (3-4).'), [
		...['Über', '1,5', '"', 'Tage', '"', ',', 'a-b', '(', '3', '-', '4', ')', '.'],
	]);
});

test('chrF counts characters without spaces', () => {
	near(corpusChrf(['Guten Tag'], ['GutenTag']), 100);
	// 1-grams: 2 of 3; 2-grams: 1 of 2; 3-grams: 0 of 1.
	near(corpusChrf(['abc'], ['abd']), (100 * (2 / 3 + 1 / 2)) / 3);
	assert.equal(corpusChrf(['xyz'], ['abd']), 0);
});

test('a label is accepted when it is one of the translations given for it, and counts once', () => {
	const sources = ['Log in', 'Log in', 'Cut'];
	const references = ['Anmelden', 'Einloggen', 'Ausschneiden'];
	assert.equal(acceptedShare(sources, ['einloggen.', 'einloggen.', 'Schnitt'], references), 1 / 2);
	assert.equal(acceptedShare(sources, ['Ausschneiden', 'Cut', 'Ausschneiden'], references), 1 / 2);
	assert.equal(acceptedShare([], [], []), 0);
});

test('word errors count what is missing, too much or wrong, whatever the case and punctuation', () => {
	const errors = (expected: string, heard: string): number =>
		wordErrors(plainWords(expected), plainWords(heard));
	assert.equal(errors('Ever tried. Ever failed.', 'ever tried, ever FAILED'), 0);
	assert.equal(errors('one two three', 'one three'), 1);
	assert.equal(errors('one two three', 'one two two three four'), 2);
	assert.equal(errors('one two three', 'one too three'), 1);
	assert.equal(errors('one two', ''), 2);
	assert.equal(errors('', 'one two'), 2);
	assert.equal(errors("it's a file", 'it s a file'), 2);
});

const hypotheses = [
	'Die Datei konnte nicht geöffnet werden.',
	'Öffne 3-4 „Ordner“, bitte: 1,5 %!',
	'ja',
];
const references = [
	'Die Datei wurde nicht geöffnet.',
	'Bitte 3-4 „Ordner“ öffnen: 1.5 %!',
	'ja, gern',
];
const program =
	'import json,sys;from metrics import bleu,chrf;h,r=json.load(sys.stdin);print(json.dumps([bleu(h,r),chrf(h,r)]))';
const reached = spawnSync('python3', ['-B', '-c', program], {
	cwd: fileURLToPath(new URL('../../starter/', import.meta.url)),
	input: JSON.stringify([hypotheses, references]),
	encoding: 'utf8',
});

test('the training scripts and the bench give equal scores', {
	skip: reached.error !== undefined && 'no python3',
}, () => {
	assert.equal(reached.status, 0, reached.stderr);
	const [bleu = 0, chrf = 0] = JSON.parse(reached.stdout) as number[];
	near(corpusBleu(hypotheses, references), bleu);
	near(corpusChrf(hypotheses, references), chrf);
});
