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
