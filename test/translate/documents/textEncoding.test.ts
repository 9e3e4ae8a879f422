/** Files in other encodings are read and written as they came, or refused with advice. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText, encodeText } from '../../../server/translate/documents/textEncoding.ts';

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const again = (bytes: Uint8Array, name = 'a.txt') => {
	const { text, encoding } = decodeText(bytes, name);
	return {
		text,
		encoding,
		same: Buffer.from(encodeText(text, encoding, name).bytes).equals(bytes),
	};
};

test('UTF-8 with and without a mark, UTF-16 of both orders with and without: text, and the same bytes', () => {
	const cases: [Uint8Array, string, string][] = [
		[Buffer.from('Größe – ok'), 'Größe – ok', 'utf-8'],
		[Buffer.from('\ufeffGröße'), '\ufeffGröße', 'utf-8'],
		[new Uint8Array(), '', 'utf-8'],
		[Buffer.from('\ufeffOpen it.', 'utf16le'), '\ufeffOpen it.', 'utf-16le'],
		[Buffer.from('\ufeffOpen it.', 'utf16le').swap16(), '\ufeffOpen it.', 'utf-16be'],
		// Without a zero in any letter, only the mark says it.
		[Buffer.from('\ufeffФайл', 'utf16le'), '\ufeffФайл', 'utf-16le'],
		[Buffer.from('\ufeff打开文件', 'utf16le').swap16(), '\ufeff打开文件', 'utf-16be'],
		[Buffer.from('Open the file.', 'utf16le'), 'Open the file.', 'utf-16le'],
		[Buffer.from('Open the file.', 'utf16le').swap16(), 'Open the file.', 'utf-16be'],
	];
	for (const [bytes, text, encoding] of cases)
		assert.deepEqual(again(bytes), { text, encoding, same: true });
});

test('Windows-1252 is known by its letters, with the signs that Latin-1 has not', () => {
	const bytes = bytesOf('Le caf\xe9 \x93ouvert\x94 \x96 5 \x80, na\xefve fa\xe7ade.');
	const found = again(bytes);
	assert.deepEqual(found, {
		text: 'Le café “ouvert” – 5 €, naïve façade.',
		encoding: 'windows-1252',
		same: true,
	});
});

test('what a file says of itself decides, unless its bytes say otherwise', () => {
	const russian = '<?xml version="1.0" encoding="windows-1251"?><a>\xcf\xf0\xe8\xe2\xe5\xf2</a>';
	assert.equal(again(bytesOf(russian), 'a.xlf').text.slice(-10, -4), 'Привет');
	const plain = again(bytesOf('"Content-Type: text/plain; charset=ISO-8859-1\\n"\n'), 'a.po');
	assert.equal(plain.encoding, 'windows-1252');
	const wrong = Buffer.from('<meta charset="iso-8859-1"><p>Größe');
	assert.equal(again(wrong, 'a.html').encoding, 'utf-8');
	const template = again(bytesOf('"Content-Type: text/plain; charset=CHARSET\\n"\n'), 'a.pot');
	assert.equal(template.encoding, 'utf-8');
});

test('another encoding that nothing tells is refused with advice, and read when it is named', () => {
	const cyrillic = bytesOf('\xce\xf2\xea\xf0\xfb\xf2\xfc \xf4\xe0\xe9\xeb');
	const polish = bytesOf('Zapisa\xb3 plik na dysku i zamkn\xb9\xb3 okno bardzo szybko.');
	const binary = Uint8Array.of(0, 1, 2, 255, 254, 0, 7);
	for (const bytes of [cyrillic, polish, binary])
		assert.throws(() => decodeText(bytes, 'odd.txt'), /odd\.txt is not in UTF-8.*--encoding/);
	assert.equal(decodeText(cyrillic, 'a.txt', 'cp1251').text, 'Открыть файл');
	assert.throws(() => decodeText(cyrillic, 'a.txt', 'iso-2022-jp'), /not written here/);
	assert.throws(() => decodeText(cyrillic, 'a.txt', 'euc-jp'), /a\.txt is damaged.*EUC-JP/);
	assert.throws(() => decodeText(cyrillic, 'a.txt', 'nonsense'), /is no encoding/);
	assert.throws(() => decodeText(cyrillic, 'a.txt', 'utf-8'), /damaged/);
});

test('letters the encoding has not are written as the format refers to them, else all is UTF-8', () => {
	const html = encodeText('<p>é 打开', 'windows-1252', 'a.html');
	assert.equal(Buffer.from(html.bytes).toString('latin1'), '<p>é &#25171;&#24320;');
	const properties = encodeText('a=打😀', 'windows-1252', 'a.properties');
	assert.equal(Buffer.from(properties.bytes).toString('latin1'), 'a=\\u6253\\uD83D\\uDE00');
	for (const [name, head] of [
		['a.po', '"Content-Type: text/plain; charset=ISO-8859-1\\n"'],
		['a.resx', '<?xml version="1.0" encoding="ISO-8859-1"?>'],
	] as const) {
		const { bytes, encoding } = encodeText(`${head}\n打`, 'windows-1252', name);
		assert.equal(Buffer.from(bytes).toString(), `${head.replace('ISO-8859-1', 'UTF-8')}\n打`);
		assert.equal(encoding, 'utf-8');
	}
});

test('UTF-32 is not taken for UTF-16', () => {
	const bytes = Uint8Array.from([
		0xff,
		0xfe,
		0,
		0,
		...[...'Some words'].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0]),
	]);
	assert.throws(() => decodeText(bytes, 'a.srt'), /a\.srt is not in UTF-8, UTF-16 or/);
});

test('a text with zero bytes in it is not said to be in another encoding', () => {
	assert.throws(() => decodeText(Buffer.from('Some é words \0 here'), 'a.md'), /holds zero bytes/);
});

test('an encoding that a file names and that is not written here is told by its name', () => {
	const page = Buffer.concat([
		Buffer.from('<meta charset="ISO-2022-JP"><p>'),
		Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]),
	]);
	assert.throws(
		() => decodeText(page, 'a.html'),
		/Files in iso-2022-jp are not written here.*iconv -f iso-2022-jp/,
	);
});

test('a file that says such an encoding, and has letters of ASCII only, says UTF-8 once it has others', () => {
	for (const [name, head] of [
		['a.po', 'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-2022-JP\\n"\n'],
		['a.resx', '<?xml version="1.0" encoding="shift_jis"?>\n<root/>\n'],
	] as const) {
		const { text, encoding } = decodeText(Buffer.from(head), name);
		const same = Buffer.from(encodeText(text, encoding, name).bytes).toString();
		assert.equal(same, head);
		const made = Buffer.from(encodeText(`${text}ä`, encoding, name).bytes).toString();
		assert.equal(made, `${head.replace(/ISO-2022-JP|shift_jis/, 'UTF-8')}ä`);
	}
	const template = 'msgstr "Content-Type: text/plain; charset=CHARSET\\n"\n"ä"';
	assert.equal(Buffer.from(encodeText(template, 'utf-8', 'a.pot').bytes).toString(), template);
});

test('what a document shows of encodings, and does not say of itself, stays', () => {
	const header = '"Content-Type: text/plain; charset=SHIFT_JIS\\n"';
	const xml = '<?xml version="1.0" encoding="euc-jp"?>';
	for (const [name, text] of [
		['a.md', `Ein Beispiel für Köpfe:\n\n${header}\n`],
		['a.json', `{"a": "ä", "b":\n${JSON.stringify(header)}}`],
		['a.html', `<p>ä</p>\n<pre>\n${header}\n</pre>\n`],
		['a.po', `# ä ${header}\nmsgid "a"\nmsgstr "${xml}"\n`],
		['a.md', `ä\n\n    ${xml}\n`],
	] as const) {
		assert.equal(Buffer.from(encodeText(text, 'utf-8', name).bytes).toString(), text);
		// Also where its own encoding has not all its letters.
		const more = `${text}\n打`;
		if (!name.endsWith('.html'))
			assert.equal(Buffer.from(encodeText(more, 'windows-1252', name).bytes).toString(), more);
	}
});

/** Words in an encoding of East Asia, as another program has written them. */
const asian = [
	[
		'shift_jis',
		'837483408343838b82f08a4a82ad81600d0a5c7e8740878ab1',
		'ファイルを開く～\r\n\\~①㈱ｱ',
	],
	['euc-jp', 'a5d5a5a1a5a4a5eba4f2b3aba4afa1a38fabb48eb1', 'ファイルを開く。êｱ'],
	['gbk', 'b4f2bfaacec4bcfea3ac8140e946', '打开文件，丂镕'],
	['gb18030', 'b4f2bfaacec4bcfe95328236a8baa2e3', '打开文件𠀀ê€'],
	['big5', 'b67db1d2c0c9aed7a141fb69', '開啟檔案，堃'],
	['euc-kr', 'c6c4c0cfc0bb20bfadb1e22c208c63b9e6b0a2c7cf', '파일을 열기, 똠방각하'],
] as const;

test('files in the encodings of East Asia come back in the same bytes, by what they say or what a person says', () => {
	for (const [encoding, hex, text] of asian) {
		const bytes = Buffer.from(hex, 'hex');
		assert.deepEqual(decodeText(bytes, 'a.txt', encoding), { text, encoding });
		assert.equal(Buffer.from(encodeText(text, encoding, 'a.txt').bytes).toString('hex'), hex);
		const head = Buffer.from(`<meta charset="${encoding}"><p>`);
		const page = again(Buffer.concat([head, bytes]), 'a.html');
		assert.deepEqual([page.encoding, page.same], [encoding, true]);
		assert.throws(() => decodeText(bytes, 'a.txt'), /a\.txt is not in UTF-8/);
		const cut = Buffer.concat([Buffer.from('Words '), bytes.subarray(0, 1)]);
		assert.throws(() => decodeText(cut, 'a.txt', encoding), /a\.txt is damaged/);
	}
});

test('letters that an encoding of East Asia has not become their twin, a reference, or all becomes UTF-8', () => {
	const hexOf = (text: string, encoding: string, name: string) => {
		const made = encodeText(text, encoding, name);
		return [made.encoding, Buffer.from(made.bytes).toString('hex')];
	};
	// The wave and the minus that Japanese keyboards and translators write have two numbers each.
	assert.deepEqual(hexOf('1〜2 −3', 'shift_jis', 'a.txt'), ['shift_jis', '3181603220817c33']);
	assert.equal(
		Buffer.from(encodeText('<p>Größe 開く', 'shift_jis', 'a.html').bytes).toString('latin1'),
		'<p>Gr&#246;&#223;e \x8aJ\x82\xad',
	);
	const po = 'msgstr "Content-Type: text/plain; charset=EUC-KR\\n"\n"Größe 개"';
	const made = encodeText(po, 'euc-kr', 'a.po');
	assert.equal(made.encoding, 'utf-8');
	assert.equal(Buffer.from(made.bytes).toString(), po.replace('EUC-KR', 'UTF-8'));
	// The Yen sign is written where these have the backslash, and is not read there again.
	assert.equal(encodeText('¥5', 'shift_jis', 'a.txt').encoding, 'utf-8');
	assert.equal(encodeText('Größe €', 'gb18030', 'a.txt').encoding, 'gb18030');
});

test('a mark and what is UTF-8 beyond ASCII are stronger than an encoding that a person names', () => {
	for (const encoding of ['shift_jis', 'windows-1251', 'gb18030', 'iso-8859-2']) {
		assert.deepEqual(decodeText(Buffer.from('für'), 'a.json', encoding), {
			...{ text: 'für', encoding: 'utf-8' },
		});
		const marked = decodeText(Buffer.from('\ufeffOpen', 'utf16le'), 'a.csv', encoding);
		assert.deepEqual(marked, { text: '\ufeffOpen', encoding: 'utf-16le' });
		// Letters of ASCII may become others.
		const plain = decodeText(Buffer.from('Open'), 'a.txt', encoding).encoding;
		assert.equal(plain, new TextDecoder(encoding).encoding);
	}
	const wide = Buffer.from('Файл', 'utf16le');
	assert.equal(decodeText(wide, 'a.txt', 'utf-16le').text, 'Файл');
});

test('letters that are pairs of ASCII are refused by the name of their encoding, and never taken for words', () => {
	const japanese = '\x1b$B$3$s$K$A$O\x1b(B';
	const cases: [string, string, RegExp][] = [
		[
			'a.html',
			`<meta charset="ISO-2022-JP"><p>${japanese}`,
			/in ISO-2022-JP, .*iconv -f ISO-2022-JP/,
		],
		['a.txt', japanese, /a\.txt is in iso-2022-jp, which is not written here/],
		['a.po', `"Content-Type: text/plain; charset=hz-gb-2312\\n"\n~{VPND~}`, /hz-gb-2312/],
		['a.xml', '<?xml version="1.0" encoding="UTF-7"?><a>Gr+APwA3w-e</a>', /UTF-7/],
		['b.html', '<meta charset="iso-2022-kr"><p>\x0e:]\x0f', /iso-2022-kr/],
	];
	for (const [name, text, message] of cases)
		assert.throws(() => decodeText(Buffer.from(text), name), message, name);
	// Colours of a terminal, and pages that name such an encoding and hold none of its letters.
	for (const text of ['\x1b[1mwords\x1b(B\x1b[m', '<meta charset="ISO-2022-JP"><p>words'])
		assert.equal(decodeText(Buffer.from(text), 'a.html').text, text);
});

test('only what a format says of itself is an encoding of the file', () => {
	const page = '<meta charset="shift_jis">';
	const prolog = '<?xml version="1.0" encoding="iso-8859-1"?>';
	const header = '"Content-Type: text/plain; charset=ISO-8859-1\\n"';
	const encodingOf = (name: string, text: string) => decodeText(Buffer.from(text), name).encoding;
	for (const text of [page, prolog, header, 'Content-Type: text/html; charset=EUC-KR'])
		for (const name of ['README.md', 'a.json', 'a.csv', 'a.txt', 'a.yaml', 'a.properties'])
			assert.equal(encodingOf(name, text), 'utf-8', `${name}: ${text}`);
	assert.equal(encodingOf('a.html', header), 'utf-8');
	assert.equal(encodingOf('a.html', '<p>charset=shift_jis'), 'utf-8');
	assert.equal(encodingOf('a.po', page), 'utf-8');
	assert.equal(encodingOf('a.html', page), 'shift_jis');
	assert.equal(
		encodingOf('a.htm', '<META http-equiv=Content-Type content="text/html; charset=gb2312">'),
		'gbk',
	);
	for (const name of ['a.xlf', 'a.resx', 'a.xhtml', 'a.ts'])
		assert.equal(encodingOf(name, prolog), 'windows-1252');
});

test('a file that says UTF-16 and is in ASCII is read, and says UTF-8 once it has other letters', () => {
	const head = '<?xml version="1.0" encoding="utf-16"?><root/>';
	const { text, encoding } = decodeText(Buffer.from(head), 'a.resx');
	assert.deepEqual([text, encoding], [head, 'utf-8']);
	assert.equal(Buffer.from(encodeText(text, encoding, 'a.resx').bytes).toString(), head);
	assert.equal(
		Buffer.from(encodeText(`${text}ä`, encoding, 'a.resx').bytes).toString(),
		`${head.replace('utf-16', 'UTF-8')}ä`,
	);
});
