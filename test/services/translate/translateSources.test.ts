/** The source languages of a request that names none: no text makes others fail. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectSources } from '../../../server/services/translate/translateSources.ts';
import { detectLanguage } from '../../../server/translate/detect.ts';
import { interfaceTexts } from '../../translate/interfaceTexts.ts';

const languagesOf = async (
	texts: readonly string[],
	supported: readonly string[],
): Promise<string[]> => {
	const canTranslate = async (language: string) => supported.includes(language);
	const found = await detectSources(texts, undefined, detectLanguage, supported, canTranslate);
	return found.map(({ language }) => language);
};

test('texts of one request are in the language that most of them are in', async () => {
	const all = interfaceTexts.map(([language]) => language);
	const wrong: string[] = [];
	for (const [language, texts] of interfaceTexts)
		for (const [index, found] of (await languagesOf(texts, all)).entries())
			if (found !== language) wrong.push(`${texts[index]}: ${found}`);
	assert.ok(wrong.length <= 12, `${wrong.length}: ${wrong.join('\n')}`);
});

test('a text that comes alone is rather in a language that models here read', async () => {
	const here = ['en', 'de', 'fr', 'es'];
	const wrong: string[] = [];
	for (const [language, texts] of interfaceTexts)
		for (const text of here.includes(language) ? texts : []) {
			const [found] = await languagesOf([text], here);
			if (found !== language) wrong.push(`${text}: ${found}`);
		}
	assert.ok(wrong.length <= 2, wrong.join('\n'));
	assert.deepEqual(await languagesOf(['Bestand niet gevonden op deze computer'], here), ['nl']);
});

test('a long text of another language stays in its own beside others', async () => {
	const texts = ['Save', 'The file could not be opened.', 'Das Fenster wurde nicht geschlossen.'];
	assert.deepEqual(await languagesOf(texts, ['en', 'de']), ['en', 'en', 'de']);
});

const scripted: Readonly<Record<string, [language: string, score: number, other?: string]>> = {
	'Open the file, please.': ['en', 1],
	'Die Datei konnte leider nicht geöffnet werden.': ['de', 1],
	'Filen kunde tyvärr inte öppnas på den här datorn.': ['sv', 1],
	Salvo: ['it', 1],
	xqzt: ['hu', 0.7, 'en'],
};
const detect = async (text: string) => {
	const [language, score, other] = scripted[text] ?? ['en', 0];
	return {
		...{ language, score },
		alternatives: other === undefined ? [] : [{ language: other, score: 0.2 }],
	};
};
const canTranslate = async (language: string) => language === 'en' || language === 'de';
const sourcesOf = async (texts: readonly string[], suggested?: string) =>
	(await detectSources(texts, suggested, detect, [], canTranslate)).map(({ language, isLeft }) =>
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
