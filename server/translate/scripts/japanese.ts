/** Readings of Japanese text: kanji → kana, words parted by spaces. Loads an 18 MB dictionary. */

import { dirname } from 'node:path';
import kuromoji from 'kuromoji';
import { AppError } from '../../protocol/index.ts';
import { assetPath } from '../asset.ts';
import { cutText } from '../cutText.ts';

/** Particles are written as they were once said and read as they are said now. */
const spoken: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({ は: 'わ', へ: 'え', を: 'お' }),
);

/** Characters read at once: the dictionary tries every end of a run of signs it does not know. */
const pieceLength = 200;

/** The dictionary takes 150 MB of memory and a second to load, so it stays for a while. */
const keptMs = 5 * 60_000;

/** What the dictionary's search cannot look up: it stays as it is. */
const unreadable = /([\0\p{Cs}]+)/u;

type Reading = (text: string) => string;

let loaded: Promise<Reading> | undefined;
let timer: NodeJS.Timeout | undefined;

/**
 * Resolves to a function that gives the reading in katakana and hiragana.
 *
 * @throws AppError `model_not_found` with the command that fetches the dictionary where it is absent.
 */
export function japaneseReading(): Promise<Reading> {
	loaded ??= load().catch((error: unknown) => {
		loaded = undefined;
		throw error;
	});
	clearTimeout(timer);
	timer = setTimeout(() => {
		loaded = undefined;
	}, keptMs);
	timer.unref();
	return loaded;
}

async function load(): Promise<Reading> {
	let dicPath: string;
	try {
		dicPath = dirname(
			assetPath('data/translate/kuromoji/base.dat.gz', 'kuromoji/dict/base.dat.gz'),
		);
	} catch (error) {
		throw new AppError(
			'model_not_found',
			'The dictionary of Japanese readings (17 MB) is not part of this installation. Get it with: nearglot systems readings',
			{ cause: error, data: { translatorCode: 408001 } },
		);
	}
	return new Promise((resolve, reject) => {
		kuromoji.builder({ dicPath }).build((error, tokenizer) => {
			if (error) reject(error);
			else
				resolve((text) =>
					read(
						text
							.split(unreadable)
							.flatMap((part, index) =>
								index % 2 === 1
									? [{ surface_form: part, pos: '記号' }]
									: cutText(part, pieceLength, 'ja').flatMap((piece) => tokenizer.tokenize(piece)),
							),
					),
				);
		});
	});
}

function read(
	tokens: readonly {
		readonly surface_form: string;
		readonly reading?: string;
		readonly pos: string;
	}[],
): string {
	let out = '';
	let isOpen = false;
	for (const { surface_form: surface, reading, pos } of tokens) {
		const said = pos === '助詞' ? (spoken.get(surface) ?? surface) : (reading ?? surface);
		const mark = pos === '記号' || !/[\p{L}\p{N}]/u.test(surface);
		// Endings belong to the word before them.
		const glued = mark || pos === '助動詞' || !isOpen;
		out += (glued ? '' : ' ') + said;
		if (said !== '') isOpen = !/\s/.test(said.slice(-1));
	}
	return out.trim();
}
