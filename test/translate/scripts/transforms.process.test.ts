import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cldrTransform } from '../../../server/translate/scripts/converters.ts';

const names = Object.keys(
	JSON.parse(
		readFileSync(
			join(import.meta.dirname, '../../../server/translate/scripts/data/transforms.json'),
			'utf8',
		),
	).transforms,
);

/** Sentences per transform; not taken from any file that ships. */
const samples: Readonly<Record<string, readonly string[]>> = {
	'Russian-Latin/BGN': [
		'Съешь ещё этих мягких французских булок, да выпей чаю.',
		'ОБЪЯВЛЕНИЕ: въезд, Юля, Щука и ёж',
		'Подъезд №5 закрыт',
	],
	'Ukrainian-Latin/BGN': [
		'Жебракують філософи при ґанку церкви в Гадячі',
		'Запоріжжя, їжак, об’єкт і згода',
	],
	'Belarusian-Latin/BGN': ['У Іўі худы жвавы чорт у зялёнай камізэльцы', 'сям’я і ўсё'],
	'Bulgarian-Latin/BGN': ['Жълтата дюля беше щастлива, че пухът цъфна', 'Сън и ъгъл'],
	'Kazakh-Latin/BGN': ['Қазақстан — үлкен ел, ғылым мен өнер', 'Шаңғы теп'],
	'Kirghiz-Latin/BGN': ['Кыргыз тили жана өлкө', 'Ыр ырдайт'],
	'Macedonian-Latin/BGN': ['Ѓорѓи јаде џем со ќофте', 'Љубов и Његош'],
	'Mongolian-Latin/BGN': ['Өнөөдөр цаг агаар сайхан байна', 'Үнэн үг'],
	'Serbian-Latin/BGN': ['Љубазни фењерџија чађавог лица хоће да ми покаже штос', 'ЊЕГОШ и Џамија'],
	'Cyrillic-Latin': ['Широкая электрификация южных губерний', 'Їжак та ґава'],
	'Latin-Cyrillic': ['Ŝirokaâ èlektrifikaciâ', 'Moskva i Kiev'],
	'Greek-Latin/UNGEGN': ['Ξεσκεπάζω την ψυχοφθόρα βδελυγμία', 'Αυτός, εύκολο, μπάλα, Γκρέτα'],
	'Latin-Greek/UNGEGN': ['Kalimera sas, ti kanete?', 'Athina'],
	'Arabic-Latin': ['صباح الخير يا صديقي', 'كتابٌ جديد، هل قرأته؟'],
	'Hebrew-Latin': ['שלום עולם', 'דג סקרן שט בים מאוכזב'],
	'Latin-Hebrew': ['shalom', 'twdh'],
	'Persian-Latin/BGN': ['سلام دنیا', 'کتاب خوب است'],
	'Devanagari-Latin': ['मेरा नाम राम है और मैं दिल्ली में रहता हूँ।', 'क्षत्रिय ज्ञान श्रम'],
	'Latin-Devanagari': ['merā nāma rāma hai', 'kṣatriya jñāna'],
	'Bengali-Latin': ['আমার সোনার বাংলা, আমি তোমায় ভালোবাসি', 'বিজ্ঞান'],
	'Tamil-Latin': ['வணக்கம் உலகம்', 'தமிழ் மொழி இனிமை'],
	'Latin-Tamil': ['vaṇakkam', 'tamiḻ moḻi'],
	'Telugu-Latin': ['నమస్కారం ప్రపంచం', 'తెలుగు భాష'],
	'Latin-Telugu': ['namaskāraṁ'],
	'Kannada-Latin': ['ನಮಸ್ಕಾರ ಪ್ರಪಂಚ'],
	'Malayalam-Latin': ['നമസ്കാരം ലോകമേ'],
	'Gujarati-Latin': ['નમસ્તે દુનિયા'],
	'Latin-Gujarati': ['namastē duniyā'],
	'Gurmukhi-Latin': ['ਸਤ ਸ੍ਰੀ ਅਕਾਲ'],
	'Oriya-Latin': ['ନମସ୍କାର ଦୁନିଆ'],
	'Hangul-Latin': ['다람쥐 헌 쳇바퀴에 타고파', '좋은 아침입니다'],
	'Latin-Hangul': ['annyeonghaseyo', 'gamsahabnida'],
	'Thai-Latin': ['เป็นมนุษย์สุดประเสริฐเลิศคุณค่า'],
	'Latin-ASCII': ['Ærøskøbing «naïve» façade… ½ œuvre', 'Straße № 5'],
	'Latin-Katakana': ['konnichiha', 'toukyou'],
	'Hiragana-Katakana': ['いろはにほへと ちりぬるを'],
	'Katakana-Hiragana': ['イロハニホヘト チリヌルヲ'],
	'Armenian-Latin/BGN': ['Բարեւ աշխարհ'],
	'Georgian-Latin/BGN': ['გამარჯობა მსოფლიო'],
};

const icu = spawnSync('uconv', ['--version']);

test('transforms give the same text as ICU', {
	skip: icu.error ? 'uconv (Debian icu-devtools) is not installed' : false,
}, async () => {
	const different: string[] = [];
	let lines = 0;
	for (const [name, texts] of Object.entries(samples)) {
		const convert = await cldrTransform(name);
		const run = spawnSync('uconv', ['-x', name], { input: `${texts.join('\n')}\n` });
		const expected = run.stdout.toString('utf8').split('\n');
		texts.forEach((text, index) => {
			lines++;
			const own = convert(text);
			if (own.normalize('NFC') !== expected[index]?.normalize('NFC'))
				different.push(`${name}: ${own} | ${expected[index]}`);
		});
	}
	// The rules and ICU's build are of different years; a line or two may differ.
	assert.ok(
		different.length <= lines * 0.05,
		`${different.length} of ${lines}:\n${different.join('\n')}`,
	);
});

test('known sentences come out as published romanisations have them', async () => {
	const cases: readonly (readonly [string, string, string])[] = [
		['Russian-Latin/BGN', 'Ельцин', 'Yelʹtsin'],
		['Serbian-Latin/BGN', 'Његош', 'Njegoš'],
		['Devanagari-Latin', 'सभी मनुष्यों', 'sabhī manuṣyōṁ'],
		['Latin-Hangul', 'annyeonghaseyo', '안녕하세요'],
		['Hiragana-Katakana', 'こんにちは', 'コンニチハ'],
		['Georgian-Latin/BGN', 'ყველა ადამიანი', 'q’vela adamiani'],
		['Tamil-Latin', 'மனிதப்', 'maṉitap'],
	];
	for (const [name, text, expected] of cases)
		assert.equal(
			(await cldrTransform(name))(text).normalize('NFC'),
			expected.normalize('NFC'),
			name,
		);
});

test('every compiled transform ends on any text and leaves plain letters readable', async () => {
	const awkward = [
		'',
		' ',
		'\uFFFF',
		'\uD800',
		'a'.repeat(500),
		'世界 hello мир',
		'\u0301\u0301',
		'()[]{}^$.*+?\\|',
		'q́̂ÂŁß',
	];
	for (const name of names) {
		const convert = await cldrTransform(name);
		for (const text of awkward) assert.equal(typeof convert(text), 'string', name);
	}
});
