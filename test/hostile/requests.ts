/** Texts for the routes that read them on the daemon's own loop: translate, detect, break into sentences. */

import { htmlPieces } from '../../server/translate/htmlBlocks.ts';
import { plainBlock } from '../../server/translate/plainBlock.ts';
import { readableWords } from '../../server/translate/readableWords.ts';
import { splitSentences } from '../../server/translate/sentences.ts';
import { translateBlocks } from '../../server/translate/translateBlocks.ts';
import { hostileDocuments } from './documents.ts';
import type { HostileCase, HostileInput } from './growth.ts';
import { hostileTexts } from './texts.ts';

const shout = async (sentences: readonly string[]) =>
	sentences.map((text) => ({ text: text.toUpperCase() }));
const options = { source: 'en', target: 'de', links: false, maxSentence: 800 };

/** Markup that is text to a translator. */
export const hostileMarkup: readonly HostileInput[] = [
	...hostileTexts,
	...hostileDocuments.filter(
		({ fileName, name }) => fileName === 'a.html' && !name.startsWith('"'),
	),
];

export const textCases: readonly HostileCase[] = [
	...hostileMarkup.map(({ name, make }) => ({
		name: `plain: ${name}`,
		make,
		run: (text: string) => translateBlocks([plainBlock(text)], shout, options),
	})),
	...hostileMarkup.map(({ name, make }) => ({
		name: `html: ${name}`,
		make,
		run: (text: string) => translateBlocks(htmlPieces(text), shout, options),
	})),
	...hostileTexts.map(({ name, make }) => ({
		name: `sentences: ${name}`,
		make,
		run: (text: string) => splitSentences(text, 'en'),
	})),
	...hostileTexts.map(({ name, make }) => ({
		name: `words: ${name}`,
		make,
		run: (text: string) => readableWords(text),
	})),
];
