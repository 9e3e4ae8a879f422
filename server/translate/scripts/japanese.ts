/** Readings of Japanese text: kanji → kana, words parted by spaces. Loads an 18 MB dictionary. */

import { dirname } from 'node:path';
import kuromoji from 'kuromoji';
import { assetPath } from '../asset.ts';

/** Particles are written as they were once said and read as they are said now. */
const spoken: Readonly<Record<string, string>> = { は: 'わ', へ: 'え', を: 'お' };

/** Resolves to a function that gives the reading in katakana and hiragana. */
export function japaneseReading(): Promise<(text: string) => string> {
	const dicPath = dirname(
		assetPath('data/translate/kuromoji/base.dat.gz', 'kuromoji/dict/base.dat.gz'),
	);
	return new Promise((resolve, reject) => {
		kuromoji.builder({ dicPath }).build((error, tokenizer) => {
			if (error) return reject(error);
			resolve((text) => {
				let out = '';
				for (const { surface_form: surface, reading, pos } of tokenizer.tokenize(text)) {
					const read = pos === '助詞' ? (spoken[surface] ?? surface) : (reading ?? surface);
					const mark = pos === '記号' || !/[\p{L}\p{N}]/u.test(surface);
					// Endings belong to the word before them.
					const glued = mark || pos === '助動詞' || out === '' || /\s$/.test(out);
					out += (glued ? '' : ' ') + read;
				}
				return out.trim();
			});
		});
	});
}
