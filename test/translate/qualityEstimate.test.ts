/** How good a translation probably is, by what the model thinks of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	doubtfulQuality,
	meanQuality,
	minDocumentQuality,
	qualityEstimate,
} from '../../server/translate/qualityEstimate.ts';

const ende = { source: 'en', target: 'de' };

test('what the model is sure of is estimated higher, what drops half of the source lower', () => {
	const source = 'The file could not be opened.';
	const of = (target: string, score: number) => qualityEstimate(source, target, score, ende);
	const sure = of('Die Datei konnte nicht geöffnet werden.', -0.1);
	const unsure = of('Die Datei konnte nicht geöffnet werden.', -1.2);
	assert.ok(sure > 0.6 && unsure < doubtfulQuality, `${sure} ${unsure}`);
	assert.ok(of('Die Datei.', -0.5) < of('Die Datei konnte nicht geöffnet werden.', -0.5) - 0.1);
});

test('words that the built-in model invents are below the limit, its right ones above', () => {
	// As it gave them, with their mean log-probabilities.
	for (const [source, target, score] of [
		['Paste', 'Keinnen', -1.59],
		['Login', 'Spin', -1.47],
		['Undo', 'Ungebiden', -1.07],
		['Contributing Guide', 'Verwendungs-Hinweiterschritte', -1.26],
	] as const)
		assert.ok(qualityEstimate(source, target, score, ende) < minDocumentQuality, source);
	for (const [source, target, score] of [
		['Save', 'Speichern', -0.38],
		['Good morning', 'Guten Morgen', -0.55],
		['January', 'Januar', -0.67],
	] as const)
		assert.ok(qualityEstimate(source, target, score, ende) > doubtfulQuality, source);
});

test('an estimate is a share, whatever it is of', () => {
	for (const [source, target, score] of [
		['', '', 0],
		['a', 'x'.repeat(10_000), -100],
		['x'.repeat(10_000), '', 5],
		['a', 'b', Number.NEGATIVE_INFINITY],
		['a', 'b', Number.NaN],
	] as const) {
		const found = qualityEstimate(source, target, score, { source: 'xx', target: 'yy' });
		assert.ok(found >= 0 && found <= 1, `${found}`);
	}
	assert.equal(meanQuality([]), undefined);
	const mean = meanQuality([
		{ quality: 1, length: 30 },
		{ quality: 0, length: 10 },
	]);
	assert.equal(mean, 0.75);
});
