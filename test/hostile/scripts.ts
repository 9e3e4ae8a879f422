/** Texts that are written in another script, long ones without a place to part them among them. */

import { transliterate, transliterationScripts } from '../../server/translate/transliterate.ts';
import type { HostileCase } from './growth.ts';

/** A letter, and words of an ordinary sentence. */
const samples: Readonly<Record<string, readonly [language: string, text: string]>> = {
	Jpan: ['ja', '日本語の文字列を読む。'],
	Hans: ['zh-Hans', '汉字的文字，'],
	Hant: ['zh-Hant', '漢字的文字，'],
	Kore: ['ko', '안녕하세요. '],
	Thai: ['th', 'สวัสดีค่ะ '],
	Deva: ['hi', 'नमस्ते दुनिया। '],
	Cyrl: ['ru', 'Привет, мир. '],
	Arab: ['ar', 'مرحبا بالعالم. '],
	Hebr: ['he', 'שלום עולם. '],
	Grek: ['el', 'Καλημέρα κόσμε. '],
};

const repeated = (text: string) => (n: number) => text.repeat(Math.ceil(n / text.length));

export const scriptCases: readonly HostileCase[] = Object.entries(samples).flatMap(
	([script, [language, sentence]]) =>
		transliterationScripts(language).flatMap(({ code, to }) => {
			const text = code === script ? sentence : 'shang konnichi wa. ';
			const texts = [text, text.replaceAll(/[\s\p{P}]/gu, ''), text.slice(0, 1), '!', ' '];
			return texts.map((each) => ({
				name: `${language} ${code} → ${to[0]}: ${JSON.stringify(each)}`,
				make: repeated(each),
				run: (given: string) => transliterate(given, language, code, to[0] ?? ''),
			}));
		}),
);
