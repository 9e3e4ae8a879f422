/**
 * Thai in Latin letters by the Royal Thai General System (RTGS, 1999): words are parted, read syllable
 * by syllable and written without tones and vowel lengths, as on road signs and in passports.
 */

import type { Convert } from './convert.ts';

/** Letter → [at the start, at the end of a syllable]. */
const sounds: ReadonlyMap<string, readonly [initial: string, final: string]> = new Map(
	(
		'ก k k|ขฃคฅฆ kh k|ง ng ng|จ ch t|ฉชฌ ch t|ซ s t|ญ y n|ฎด d t|ฏต t t|ฐฑฒถทธ th t|ณน n n|บ b p|' +
		'ป p p|ผพภ ph p|ฝฟ f p|ม m m|ย y i|ร r n|ลฬ l n|ว w o|ศษส s t|หฮ h |อ  |ฤ r |ฦ l '
	)
		.split('|')
		.flatMap((row) => {
			const [letters = '', initial = '', final = ''] = row.split(' ');
			return [...letters].map((letter) => [letter, [initial, final]] as const);
		}),
);

const tone = '[่-๋]?';
/** Not followed by a vowel: then a letter can end a syllable instead of beginning the next one. */
const ends = '(?![ะ-ู็-๋])';
/** A group of letters that begins a syllable. */
const group = '(?<i>[กขคตปผพบดฟท]ร|[กขคปผพบฟ]ล|[กขค]ว|ห[งญนมยรลว]|อย(?=ู่|่า|าก)|[คนพมหกตทศปส]ฤ)';
const single = '(?<i>[ก-ฮ])';
/** Two letters that belong to two syllables although the vowel stands before the first. */
const apart = '(?<p>[กขจฉตถบผฝพสอ])(?<i>[งญนมยรลวพ]|(?<=ส)ด)';
const last = `(?<f>[กขคฆงจชซญฎฏฐฑฒณดตถทธนบปพฟภมยรลวศษสฬ]${ends}(?!ร(?:ร|ม$)))`;
/** With a last letter and without: both are tried. */
const f = '{f}';

interface Shape {
	readonly pattern: RegExp;
	readonly vowel: string;
	/** The reading with the lowest sum wins. */
	readonly cost: number;
}

/** `{}` stands for the first letters of the syllable. */
function shape(written: string, vowel: string, cost = 1): Shape[] {
	const leads = /^(?:[เแโ]|\[ไใ\])/.test(written);
	const firsts: readonly (readonly [string, number])[] = [
		[group, 0],
		[single, 0.1],
		...(leads ? ([[apart, 1.3]] as const) : []),
	];
	return (written.includes(f) ? [last, ''] : ['']).flatMap((end) =>
		firsts.map(([first, more]) => ({
			pattern: new RegExp(written.replace('{}', first).replace(f, end), 'uy'),
			vowel,
			cost: cost + more,
		})),
	);
}

/** Vowels as they are written around the first letters; among equals the earlier one is taken. */
const shapes: readonly Shape[] = [
	shape(`เ{}${tone}าะ`, 'o'),
	shape(`เ{}${tone}า`, 'ao'),
	shape(`เ{}ี${tone}ยว`, 'iao'),
	shape(`เ{}ี${tone}ยะ?${f}`, 'ia'),
	shape(`เ{}ื${tone}อย${ends}`, 'ueai'),
	shape(`เ{}ื${tone}อะ?${f}`, 'uea'),
	shape(`เ{}${tone}ย${ends}`, 'oei'),
	shape(`เ{}${tone}อะ?${f}`, 'oe'),
	shape(`เ{}ิ${tone}${f}`, 'oe'),
	shape(`เ{}็?${tone}ว${ends}`, 'eo'),
	shape(`แ{}็?${tone}ว${ends}`, 'aeo'),
	shape(`เ{}${tone}ะ`, 'e'),
	shape(`แ{}${tone}ะ`, 'ae'),
	shape(`โ{}${tone}ะ`, 'o'),
	shape(`เ{}็?${tone}${f}`, 'e'),
	shape(`แ{}็?${tone}${f}`, 'ae'),
	shape(`โ{}${tone}ย${ends}`, 'oi'),
	shape(`โ{}${tone}${f}`, 'o'),
	shape(`[ไใ]{}${tone}(?:ย${ends})?`, 'ai'),
	shape(`[ไใ]{}${tone}${last}`, 'ai', 1.6),
	shape(`{}ั${tone}วะ?${ends}`, 'ua'),
	shape(`{}ั${tone}ย${ends}`, 'ai'),
	shape(`{}ั${tone}${last}`, 'a'),
	shape(`{}${tone}ะ`, 'a'),
	shape(`{}${tone}ำ`, 'am'),
	shape(`{}${tone}าว${ends}`, 'ao'),
	shape(`{}${tone}าย${ends}`, 'ai'),
	shape(`{}${tone}า${f}`, 'a'),
	shape(`{}ิ${tone}ว${ends}`, 'io'),
	shape(`{}[ิี]${tone}${f}`, 'i'),
	shape(`{}ื${tone}อ`, 'ue'),
	shape(`{}[ึื]${tone}${f}`, 'ue'),
	shape(`{}ุ${tone}ย${ends}`, 'ui'),
	shape(`{}[ุู]${tone}${f}`, 'u'),
	shape(`{}${tone}วย${ends}`, 'uai'),
	shape(`{}${tone}ว${last}`, 'ua', 1.5),
	shape(`{}${tone}อย${ends}`, 'oi', 1.5),
	shape(`{}็?${tone}อ${ends}${f}`, 'o', 1.5),
	shape(`{}รร${last}`, 'a'),
	shape('{}รร', 'an'),
	shape('{}', 'a', 2.6),
	shape(`{}${tone}${last}`, 'o', 2),
].flat();

/** `ฤ` holds its vowel: *ri* after most letters, *rue* after these and alone. */
const ri = /^[กตทศปส]ฤ$/u;
const holdsVowel: readonly Shape[] = [
	...shape(`(?=.?ฤ){}ๅ?${f}`, 'ue', 0.5),
	{ pattern: /(?<i>[ฤฦ])ๅ?/uy, vowel: 'ue', cost: 0.5 },
];

/** What is not said as it is written, respelled; `|` ends a syllable. */
const respelled: readonly (readonly [RegExp, string])[] = [
	[/เเ/gu, 'แ'],
	[/ํ([่-๋]?)า/gu, '$1ำ'],
	// Letters under the killer sign are mute, some take the letter before them along.
	[/(?<=[ก-รลว-ฮ])[ทตษ][ก-ฮ][ิุ]?์/gu, ''],
	[/[ก-ฮ][ิุ]?์/gu, ''],
	[/(?<=[าู]|เ[ก-ฮ]{1,2})([ตธ])[ิุ]$/u, '$1'],
	[/(?<=[ัิ-ู][่-๋]?[กตทด]|[เแ][ก-ฮ][ชตทด])ร$/u, ''],
	[/^ก็$/u, 'ก้อ'],
	[/^ฤท$/u, 'ริด'],
	[/ทฤษฎี/gu, 'ทริดสะดี'],
	[/ประวัติ(?=ศ)/gu, 'ประวัดติ'],
	[/ประวัติ/gu, 'ประวัด'],
	[/พิพิธภัณ/gu, 'พิพิดทะพัน'],
	[/พัทยา/gu, 'พัดทะยา'],
	[/เพชร(?=[ก-ฮ])/gu, 'เพ็ดชะ'],
	[/เจริญ/gu, 'จะเริน'],
	[/สกล(?=น)/gu, 'สะกน|'],
	[/นคร/gu, 'นะคอน|'],
	[/สมุทร/gu, 'สะมุด|'],
	[/ชัยภูมิ/gu, 'ชัยยะภูม'],
	[/(?<=ภู)มิ$/u, 'ม'],
	[/วรรณ(?=[ก-ฮ])/gu, 'วันนะ'],
	[/ธรรม(?=[ก-ฮ])/gu, 'ทำมะ'],
	[/ราษฎ?ร?(?=ธ|$)/gu, 'ราด'],
	[/กาญจน(?=[ก-ฮ])/gu, 'กานจะนะ'],
	[/พิษณุ/gu, 'พิดสะนุ'],
	[/สารคาม/gu, 'สาระคาม'],
	[/กาฬสิน/gu, 'กาละสิน'],
	[/พัทลุง/gu, 'พัดทะลุง'],
	[/สระบุรี/gu, 'สะระบุรี'],
	[/สร(?=้าง|ะ|้อย)|(?<=เ)สร(?=[ิ็])/gu, 'ส'],
	[/อุตรดิต/gu, 'อุดตะระดิด'],
	[/เทรา$/gu, 'เซา'],
	[/มหา/gu, 'มะหา'],
	[/ทร(?=า[บยม]|ง|ั[พย]|ุด|วง|ี$)/gu, 'ซ'],
	[/จร(?=ิง)/gu, 'จ'],
	[/ศร(?=ี|ัทธ)|(?<=เ)ศร(?=้า|ษฐ)/gu, 'ศ'],
	[/เกษตร/gu, 'กะเสด'],
	[/พรหม/gu, 'พรม'],
	[/(?<!พ)ราช(?=[เ-ไ]?[ก-ฮ])/gu, 'ราดชะ'],
	[/วิทยา/gu, 'วิดทะยา'],
	[/อยุธยา/gu, 'อะยุดทะยา'],
	[/พัฒนา/gu, 'พัดทะนา'],
	[/วัฒน/gu, 'วัดทะน'],
	[/รัฐ(?=บาล|สภา|มน)/gu, 'รัดทะ'],
	[/มกรา/gu, 'มะกะรา'],
	[/กรกฎา/gu, 'กะระกะดา'],
	[/พฤษภา/gu, 'พรึดสะภา'],
	[/พฤศจิ/gu, 'พรึดสะจิ'],
	[/กรรม(?=ก)/gu, 'กำมะ'],
	[/สมาชิก/gu, 'สะมาชิก'],
	[/ผล(?=ไม้|ิต)/gu, 'ผน'],
];

function initialSound(letters: string): string {
	const spoken = /^(?:ห[งญนมยรลว]|อย)$/u.test(letters) ? letters.slice(1) : letters;
	return [...spoken].map((letter) => sounds.get(letter)?.[0] ?? '').join('');
}

/** The cheapest reading of a word, from its end to its start. */
function read(word: string): string {
	const text = respelled.reduce((value, [from, to]) => value.replace(from, to), word);
	const best: { cost: number; latin: string }[] = [];
	best[text.length] = { cost: 0, latin: '' };
	for (let at = text.length - 1; at >= 0; at--) {
		// A sign that belongs to nothing is passed over.
		const skipped = text[at] === '|' ? 0 : 10;
		let found = { cost: skipped + (best[at + 1]?.cost ?? 0), latin: best[at + 1]?.latin ?? '' };
		for (const { pattern, vowel, cost } of [...holdsVowel, ...shapes]) {
			pattern.lastIndex = at;
			const match = pattern.exec(text);
			const rest = match ? best[at + match[0].length] : undefined;
			if (!match || !rest || cost + rest.cost >= found.cost) continue;
			const { i: first = '', f: end = '', p: before = '' } = match.groups ?? {};
			const parted = before === '' ? '' : `${initialSound(before)}a`;
			const spoken = ri.test(first) ? 'i' : vowel;
			found = {
				cost: cost + rest.cost,
				latin: parted + initialSound(first) + spoken + (sounds.get(end)?.[1] ?? '') + rest.latin,
			};
		}
		best[at] = found;
	}
	return best[0]?.latin ?? '';
}

/** A word with the sign of repetition is said twice. */
function readRun(run: string): string {
	const [word = '', ...again] = run.split('ๆ');
	const said = read(word);
	return again.length === 0 ? said : [said, ...again.map(() => said)].join(' ');
}

const words = new Intl.Segmenter('th', { granularity: 'word' });

/** Thai → Latin letters; what is not Thai stays as it is. */
export const latinFromThai: Convert = (text) => {
	let out = '';
	let last = '';
	let spoken = '';
	for (const { segment } of words.segment(text)) {
		const repeats = segment === 'ๆ';
		if (!repeats && !/[ก-ฮ]/u.test(segment)) {
			last = segment.replace(/[๐-๙]/gu, (digit) => String((digit.codePointAt(0) ?? 0) - 0x0e50));
			out += last;
			continue;
		}
		if (!repeats) spoken = segment.replace(/[\u0E00-\u0E7F]+/gu, (run) => readRun(run));
		if (spoken === '') continue;
		out += (/[\p{L}\p{N}]$/u.test(last) ? ' ' : '') + spoken;
		last = spoken;
	}
	return out;
};
