import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageCodes } from '../../server/translate/languageCodes.ts';
import {
	transliterate,
	transliterationBetween,
	transliterationScripts,
} from '../../server/translate/transliterate.ts';

const cases: readonly (readonly [
	language: string,
	from: string,
	to: string,
	text: string,
	expected: string | RegExp,
])[] = [
	['zh-Hans', 'Hans', 'Latn', '你好，你叫什么名字？', 'nǐ hǎo, nǐ jiào shén me míng zì?'],
	['zh-Hans', 'Hans', 'Latn', '银行行长', 'yín háng háng zhǎng'],
	['zh-Hans', 'Hans', 'Hant', '软件开发', '軟體開發'],
	['zh-Hant', 'Hant', 'Hans', '軟體', '软件'],
	['zh-Hans', 'Latn', 'Hans', 'nǐ hǎo', '你好'],
	['ja', 'Jpan', 'Latn', 'さようなら', 'sayounara'],
	['ja', 'Jpan', 'Latn', '今日は東京へ行く。', 'kyou wa toukyou e iku.'],
	['ja', 'Latn', 'Jpan', 'arigatou', 'ありがとう'],
	['ta', 'Taml', 'Latn', 'எப்படி இருக்கிறாய்?', 'eppadi irukkiraai?'],
	['hi', 'Deva', 'Latn', 'आप कैसे हो', 'ap kaise ho'],
	['hi', 'Latn', 'Deva', 'ap kaise ho', 'अप कैसे हो'],
	['ar', 'Latn', 'Arab', 'hudha akhtabar.', /^هذا اخت/],
	['ru', 'Cyrl', 'Latn', 'Привет, как дела?', 'Privet, kak dela?'],
	['ru', 'Latn', 'Cyrl', 'Privet, kak dela?', 'Привет, как дела?'],
	['uk', 'Latn', 'Cyrl', 'dobryi den', /^добрий? ден/],
	['sr-Cyrl', 'Cyrl', 'Latn', 'Љубав', 'Ljubav'],
	['sr-Latn', 'Latn', 'Cyrl', 'Ljubav i sreća', 'Љубав и срећа'],
	['ko', 'Latn', 'Kore', 'annyeonghaseyo', '안녕하세요'],
	['he', 'Latn', 'Hebr', 'shalom', 'שלום'],
	['el', 'Grek', 'Latn', 'Καλημέρα', /^Kali/],
	['th', 'Thai', 'Latn', 'ประเทศไทย', 'prathetthai'],
];

test('texts change script as people write them', async () => {
	for (const [language, from, to, text, expected] of cases) {
		const result = await transliterate(text, language, from, to);
		if (typeof expected === 'string') assert.equal(result, expected, `${language} ${text}`);
		else assert.match(result, expected, `${language} ${text}`);
	}
});

test('Gujarati names come close to how they are written', async () => {
	const wanted = { gujarat: 'ગુજરાત', hadman: 'હદમાં', hukkabar: 'હુક્કાબાર' };
	let distance = 0;
	for (const [latin, expected] of Object.entries(wanted))
		distance += editDistance(await transliterate(latin, 'gu', 'Latn', 'Gujr'), expected);
	assert.ok(distance < 6, `distance ${distance}`);
});

test('every listed pair of scripts has a converter that answers', async () => {
	for (const language of languageCodes) {
		for (const { code, to } of transliterationScripts(language)) {
			for (const script of to) {
				assert.equal(transliterationBetween(language, code, script), true);
				assert.equal(
					typeof (await transliterate('abc 123 привет', language, code, script)),
					'string',
				);
			}
		}
	}
	assert.equal(languageCodes.filter((code) => transliterationScripts(code).length > 0).length, 36);
});

test('pairs that are not listed are refused', () => {
	assert.equal(transliterationBetween('de', 'Latn', 'Cyrl'), false);
	assert.equal(transliterationBetween('th', 'Latn', 'Thai'), false);
	assert.equal(transliterationBetween('ru', 'Cyrl', 'Arab'), false);
});

function editDistance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let j = 1; j <= b.length; j++)
			next.push(
				Math.min(
					(row[j] ?? 0) + 1,
					(next[j - 1] ?? 0) + 1,
					(row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
				),
			);
		row = next;
	}
	return row[b.length] ?? 0;
}
