/** The language of a document, and what becomes of its pieces. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../server/protocol/index.ts';
import type { DetectedText } from '../../../server/translate/detectedText.ts';
import {
	inItsLanguage,
	type TextTranslator,
} from '../../../server/translate/documents/documentLanguage.ts';

/** Detects by rule and notes what it was asked to translate, by language. */
function world(
	detect: (text: string) => [language: string, score: number][],
	known = ['en', 'de'],
) {
	const asked: [from: string, texts: readonly string[]][] = [];
	const translator: TextTranslator = {
		detect: async (texts) =>
			texts.map((text): DetectedText => {
				const [first, ...alternatives] = detect(text).map(([language, score]) => ({
					language,
					score,
					isSupported: known.includes(language),
				}));
				return { ...(first ?? { language: '', score: 0, isSupported: false }), alternatives };
			}),
		translate: async (texts, from) => {
			asked.push([from, texts]);
			if (!known.includes(from)) throw new AppError('model_not_found', `No model for ${from}.`);
			return texts.map((text) => `${from}:${text}`);
		},
	};
	return { asked, translator };
}

test('a doubtful document is taken for a language that can be translated', async () => {
	const { translator } = world(() => [
		['sv', 0.5],
		['de', 0.2],
	]);
	const { language, score } = await inItsLanguage(['Kontakt'], translator, { to: 'en' });
	assert.deepEqual([language, score], ['de', 0.2]);
});

test('a word that nobody can place is no reason to refuse its document', async () => {
	const { translator } = world(() => [
		['ca', 0.06],
		['ro', 0.05],
	]);
	const { language, score } = await inItsLanguage(['Default'], translator, { to: 'de' });
	assert.deepEqual([language, score], ['en', 0]);
	const surer = world(() => [['ca', 0.6]]);
	const catalan = await inItsLanguage(['Obre el fitxer'], surer.translator, { to: 'de' });
	assert.equal(catalan.language, 'ca');
});

test('a certain document is not, and the error says so once', async () => {
	const text = 'Filen kunde inte öppnas eftersom den används av någon annan.';
	const { translator, asked } = world(() => [['sv', 1]]);
	const { translate, language } = await inItsLanguage([text], translator, { to: 'en' });
	assert.equal(language, 'sv');
	await assert.rejects(translate([text, 'Ett']), {
		code: 'model_not_found',
		message: /Swedish \(sv, 100 % certain\)\. No model for sv\. .*--from/,
	});
	assert.equal(asked.length, 1);
	const named = await inItsLanguage([text], translator, { to: 'en', from: 'sv' });
	await assert.rejects(named.translate([text]), { message: 'No model for sv.' });
});

test('a long piece of another language is translated from that, or left; a short one goes along', async () => {
	const main = 'The file could not be opened because somebody else is using it just now.';
	const german = 'das ist hier gerade noch zu sehen und wird auch so bleiben, was immer geschieht';
	const finnish = 'tämä on kirjoitettu kokonaan suomeksi eikä sitä voi millään kääntää';
	const { translator, asked } = world((text) => {
		if (/das|zu/.test(text)) return [['de', 1]];
		if (/tämä|ei/.test(text)) return [['fi', 1]];
		return [['en', 1]];
	});
	const texts = [main, 'ei', german, finnish, main];
	const { translate, left } = await inItsLanguage(texts, translator, { to: 'fr' });
	assert.deepEqual(await translate(texts), [
		`en:${main}`,
		'en:ei',
		`de:${german}`,
		finnish,
		`en:${main}`,
	]);
	assert.deepEqual(asked, [
		['en', [main, 'ei', main]],
		['de', [german]],
		['fi', [finnish]],
	]);
	// The translator of this test leaves every word as it was.
	const unread = left.filter(({ sentences }) => sentences === undefined);
	assert.deepEqual(unread, [{ text: finnish, language: 'fi' }]);
	// What is in the target's language already is done.
	const into = await inItsLanguage(texts, translator, { to: 'de' });
	assert.equal((await into.translate(texts))[2], german);
	// So are the comments of a file that is mostly in it, but not those that are not.
	const mostly = await inItsLanguage([german, german, main], translator, { to: 'de' });
	assert.equal(mostly.language, 'de');
	assert.deepEqual(await mostly.translate([german, main]), [german, `en:${main}`]);
	// One long sentence in the target's language among short ones does not make it that document.
	const short = ['open the file now', 'save all of the files', 'close it', main.slice(0, 38)];
	const partly = await inItsLanguage([german, ...short], translator, { to: 'de' });
	assert.equal(partly.language, 'en');
	assert.deepEqual(await partly.translate([german, 'close it']), [german, 'en:close it']);
});

test('texts that a model gives back as they were are told, names are not', async () => {
	const sentence = 'the model goes round and round in this one';
	const translator: TextTranslator = {
		...world(() => [['en', 1]]).translator,
		translate: async (texts) => texts,
	};
	const texts = [sentence, 'Ada Lovelace', sentence];
	const { translate, left } = await inItsLanguage(texts, translator, { to: 'de' });
	assert.deepEqual(await translate(texts), texts);
	assert.deepEqual(left, [{ text: sentence }]);
});

test('sentences that stayed as they were inside a translated text are told, and none that only share words', async () => {
	const stayed = 'Nothing leaves it unless you choose a remote engine; there is no account.';
	const coded = 'Call `run` with a list of names that you want to see in the output.';
	const translator: TextTranslator = {
		...world(() => [['en', 1]]).translator,
		translate: async (texts) =>
			texts.map((text) =>
				text.replace(
					'The model server runs on this machine.',
					'Der Modellserver läuft auf dieser Maschine.',
				),
			),
	};
	const text = `The model server runs on this machine. ${stayed}`;
	const short = 'The model server runs on this machine. Ada Lovelace.';
	const { translate, left } = await inItsLanguage([text], translator, { to: 'de' });
	await translate([text, short]);
	assert.deepEqual(left, [{ text, sentences: [stayed] }]);
	const parts: TextTranslator = {
		...translator,
		translate: async () => [
			'Nehmen Sie `run` with a list of names that you want to see in the output.',
		],
	};
	const second = await inItsLanguage([coded], parts, { to: 'de' });
	await second.translate([coded]);
	assert.deepEqual(second.left, [{ text: coded, sentences: [coded] }]);
});

test('errors that are not about a language end the document', async () => {
	const translator: TextTranslator = {
		...world(() => [['en', 1]]).translator,
		translate: async () => {
			throw new AppError('rate_limited');
		},
	};
	const { translate } = await inItsLanguage(['Some words'], translator, { to: 'de' });
	await assert.rejects(translate(['Some words']), { code: 'rate_limited' });
});
