import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage } from '../../server/translate/detect.ts';
import { interfaceTexts } from './interfaceTexts.ts';

/** Short texts as an editor sees them. */
const labelled: readonly (readonly [string, string])[] = [
	['en', 'This is a test.'],
	['en', 'File not found'],
	['en', 'Open the settings to change the theme'],
	['en', 'Hello, what is your name?'],
	['en', 'returns the number of bytes written'],
	['de', 'Dies ist ein Test.'],
	['de', 'Datei konnte nicht geöffnet werden'],
	['de', 'Bitte geben Sie Ihr Passwort ein'],
	['de', 'Guten Morgen, wie geht es dir?'],
	['de', 'Speichern unter'],
	['fr', 'Ceci est un essai.'],
	['fr', 'Le fichier est introuvable'],
	['fr', 'Veuillez saisir votre mot de passe'],
	['fr', 'Bonjour, comment allez-vous ?'],
	['es', 'Esto es una prueba.'],
	['es', 'No se pudo abrir el archivo'],
	['es', 'Introduzca su contraseña'],
	['es', 'Buenos días, ¿cómo está?'],
	['it', 'Questo è un test.'],
	['it', 'Impossibile aprire il file'],
	['pt', 'Isto é um teste.'],
	['pt', 'Não foi possível abrir o arquivo'],
	['nl', 'Dit is een test.'],
	['nl', 'Het bestand kan niet worden geopend'],
	['sv', 'Filen kunde inte öppnas'],
	['da', 'Filen kunne ikke åbnes, fordi den er slettet'],
	['pl', 'Nie można otworzyć pliku'],
	['cs', 'Soubor nelze otevřít'],
	['ru', 'Не удалось открыть файл'],
	['uk', 'Не вдалося відкрити файл'],
	['bg', 'Файлът не може да бъде отворен'],
	['tr', 'Dosya açılamadı'],
	['fi', 'Tiedostoa ei voitu avata'],
	['hu', 'A fájl nem nyitható meg'],
	['ro', 'Fișierul nu a putut fi deschis'],
	['vi', 'Không thể mở tệp tin này'],
	['id', 'Berkas tidak dapat dibuka karena tidak ditemukan'],
	['ja', 'ファイルを開けませんでした'],
	['ko', '파일을 열 수 없습니다'],
	['zh-Hans', '无法打开文件'],
	['zh-Hant', '無法開啟檔案'],
	['ar', 'تعذر فتح الملف'],
	['he', 'לא ניתן לפתוח את הקובץ'],
	['el', 'Δεν είναι δυνατό το άνοιγμα του αρχείου'],
	['hi', 'फ़ाइल नहीं खोली जा सकी'],
	['th', 'ไม่สามารถเปิดไฟล์ได้'],
	['fa', 'پرونده باز نشد، دوباره تلاش کنید'],
	['ta', 'கோப்பைத் திறக்க முடியவில்லை'],
	['ka', 'ფაილის გახსნა ვერ მოხერხდა'],
	['hy', 'Հնարավոր չէ բացել ֆայլը'],
];

test('at least 95 of 100 short texts are identified', async () => {
	const wrong: string[] = [];
	for (const [language, text] of labelled) {
		const found = await detectLanguage(text);
		if (found.language !== language) wrong.push(`${text}: ${found.language} ${found.score}`);
	}
	assert.ok(wrong.length <= labelled.length * 0.05, wrong.join('\n'));
});

test('clean text is certain: the score is exactly 1', async () => {
	for (const text of [
		'This is a test.',
		'Esto es una prueba.',
		'Dies ist ein Test.',
		'shit this is fucking crazy',
		'It is a beautiful morning',
	])
		assert.equal((await detectLanguage(text)).score, 1, text);
});

test('a short text with words of another language in it is never certainly in that', async () => {
	for (const text of [
		'Uw account is vergrendeld.',
		'Güncellemeleri kontrol et',
		'Erro direktorioa',
		'Коренна директория (папка)',
	])
		assert.ok((await detectLanguage(text)).score < 1, text);
});

test('code, numbers and placeholders tell nothing', async () => {
	for (const text of ['123', '', '   ', '{0} %s', 'https://example.com', '👍', '\u0000\uD800'])
		assert.equal((await detectLanguage(text)).score, 0, JSON.stringify(text));
	assert.equal(
		(await detectLanguage('Die Funktion `getUserName()` liefert den Namen')).language,
		'de',
	);
});

test('scripts of one language need no model, mixed Japanese is Japanese', async () => {
	assert.deepEqual(await detectLanguage('日本語の文章を翻訳します'), {
		language: 'ja',
		score: 1,
		alternatives: [],
	});
	assert.equal((await detectLanguage('漢字かな混じり README')).language, 'ja');
});

test('less certain answers carry alternatives and a score below 1', async () => {
	const found = await detectLanguage('Tabula mobile');
	assert.ok(found.score < 1 && found.score > 0);
	assert.ok(found.alternatives.every(({ score }) => score <= found.score));
});

test('greetings and buttons of one or two words are told apart', async () => {
	const short: readonly (readonly [string, string])[] = [
		['en', 'Hello'],
		['en', 'hello world'],
		['en', 'Cancel'],
		['en', 'Open'],
		['de', 'Guten Tag'],
		['de', 'Abbrechen'],
		['de', 'Hallo Welt'],
		['fr', 'Bonjour'],
		['fr', 'Enregistrer'],
		['es', 'Hola mundo'],
		['es', 'Gracias'],
		['it', 'Ciao'],
		['pt', 'Obrigado'],
		['nl', 'Opslaan'],
		['id', 'Selamat pagi, apa kabar?'],
		['pl', 'Zapisz'],
		['tr', 'Merhaba'],
		['hi', 'नमस्ते दुनिया'],
		['ru', 'Привет'],
	];
	const wrong: string[] = [];
	for (const [language, text] of short) {
		const found = await detectLanguage(text);
		if (found.language !== language) wrong.push(`${text}: ${found.language} ${found.score}`);
	}
	assert.deepEqual(wrong, []);
});

test('nine of ten texts of programs are told apart, and none is certainly in another language', async () => {
	const languages = interfaceTexts.map(([language]) => language);
	const wrong: string[] = [];
	const among: string[] = [];
	for (const [language, texts] of interfaceTexts)
		for (const text of texts) {
			const found = await detectLanguage(text);
			if (found.language !== language) wrong.push(`${text}: ${found.language} ${found.score}`);
			if (found.language !== language) assert.notEqual(found.score, 1, text);
			const near = await detectLanguage(text, languages);
			if (near.language !== language) among.push(`${text}: ${near.language} ${near.score}`);
		}
	const count = interfaceTexts.flatMap(([, texts]) => texts).length;
	assert.equal(count, 400);
	assert.ok(wrong.length <= count / 10, wrong.join('\n'));
	assert.ok(among.length <= count / 10, among.join('\n'));
});

/** What Unicode's tables make of a few things in a language: no list of words was written from them. */
function tableTexts(language: string): string[] {
	const unit = (unit: string, number: number) =>
		new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(number);
	const name = (type: 'region' | 'language' | 'dateTimeField', code: string) =>
		new Intl.DisplayNames(language, { type }).of(code) ?? code;
	return [
		...[unit('kilobyte', 5), unit('degree', 3), unit('percent', 20)],
		...[name('dateTimeField', 'weekOfYear'), name('dateTimeField', 'weekday')],
		`${name('region', 'US')}, ${name('region', 'DE')}`,
		new Intl.ListFormat(language).format([name('language', 'es'), name('language', 'fr')]),
	].filter((text) => /\p{L}{3}/u.test(text));
}

test('nine of ten texts are in the language of their neighbours', async () => {
	const wrong: string[] = [];
	let count = 0;
	for (const [language, texts] of interfaceTexts)
		for (const text of [...texts, ...tableTexts(language)]) {
			count++;
			const found = await detectLanguage(text, [language]);
			if (found.language !== language) wrong.push(`${text}: ${found.language} ${found.score}`);
		}
	assert.ok(count > 500 && wrong.length <= count / 10, wrong.join('\n'));
	// A whole sentence is in its own language, whatever stands beside it.
	const foreign = await detectLanguage('Die Datei konnte nicht geöffnet werden.', ['fr']);
	assert.deepEqual([foreign.language, foreign.score], ['de', 1]);
});

test('a word that two languages share is half as certain at most', async () => {
	// Indonesian and Malay differ in few words.
	assert.ok((await detectLanguage('Sesi Anda telah berakhir')).score < 1);
	for (const text of ['Настройки', 'Вход', 'خروج', 'Cancelar'])
		assert.ok((await detectLanguage(text)).score <= 0.5, text);
});
