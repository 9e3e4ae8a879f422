/** The source languages of a request that names none: no text makes others fail. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectSources } from '../../../server/services/translate/translateSources.ts';

const languages: Readonly<Record<string, [language: string, score: number, other?: string]>> = {
	'Open the file, please.': ['en', 1],
	'Die Datei konnte leider nicht geöffnet werden.': ['de', 1],
	'Filen kunde tyvärr inte öppnas på den här datorn.': ['sv', 1],
	Salvo: ['it', 1],
	xqzt: ['hu', 0.7, 'en'],
};
const detect = async (text: string) => {
	const [language, score, other] = languages[text] ?? ['en', 0];
	return {
		...{ language, score },
		alternatives: other === undefined ? [] : [{ language: other, score: 0.2 }],
	};
};
const canTranslate = async (language: string) => language === 'en' || language === 'de';
const sourcesOf = async (texts: readonly string[], suggested?: string) =>
	(await detectSources(texts, suggested, detect, canTranslate)).map(({ language, isLeft }) =>
		isLeft ? `${language} left` : language,
	);

test('a short text goes with its neighbours, a long one that nobody reads is left', async () => {
	const swedish = 'Filen kunde tyvärr inte öppnas på den här datorn.';
	const english = 'Open the file, please.';
	assert.deepEqual(await sourcesOf([english, 'Salvo', 'xqzt', swedish]), [
		...['en', 'en', 'en', 'sv left'],
	]);
	const german = 'Die Datei konnte leider nicht geöffnet werden.';
	assert.deepEqual(await sourcesOf([german, 'Salvo', english]), ['de', 'de', 'en']);
	assert.deepEqual(await sourcesOf(['Salvo'], 'de'), ['de'], 'what the caller suggests');
});

test('where nothing can be translated, every text keeps its language', async () => {
	const swedish = 'Filen kunde tyvärr inte öppnas på den här datorn.';
	assert.deepEqual(await sourcesOf([swedish]), ['sv']);
	assert.deepEqual(await sourcesOf(['Salvo']), ['it']);
	assert.deepEqual(await sourcesOf([swedish, 'Salvo']), ['sv', 'it']);
});
