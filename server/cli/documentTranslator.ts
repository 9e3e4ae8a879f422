/** Texts of documents through the model server, and how many words they were. */

import { defined } from '../protocol/defined.ts';
import { pushAll } from '../protocol/lists.ts';
import { detect, translate } from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';
import { textBatches } from '../protocol/textBatches.ts';
import { type DetectedText, detectedText } from '../translate/detectedText.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import { doubtfulQuality, minDocumentQuality } from '../translate/qualityEstimate.ts';

/** What a request may hold, times its targets, with room to spare. */
export const maxCharacters = 40_000;
const maxBatch = { texts: 100, characters: maxCharacters };

/** How many texts of a document the model is not sure of. */
export interface DoubtfulTexts {
	/** Translated all the same. */
	readonly doubtful: number;
	/** Left as they were. */
	readonly left: number;
	/** Of those translated all the same, how good they probably are, the worst first. */
	readonly worst?: readonly DoubtfulText[];
}

export interface DoubtfulText {
	readonly source: string;
	readonly text: string;
	/** 0…1 */
	readonly quality: number;
}

/** Doubtful texts that are shown of many. */
const maxWorst = 5;
/** The beginning of a text without the tags that stand for its marks. */
const inShort = (text: string) =>
	text
		.replace(/<\/?[tx]\d+\/?>/g, '')
		.replace(/\s+/g, ' ')
		.trim()
		.slice(0, 60);

export type OnTexts = (texts: readonly string[], marks: DoubtfulTexts) => void;

/** Doubts of several requests, and how they are told. */
export class DoubtCount {
	#doubtful = 0;
	#left = 0;
	#worst: readonly DoubtfulText[] = [];

	add({ doubtful, left, worst = [] }: DoubtfulTexts): void {
		this.#doubtful += doubtful;
		this.#left += left;
		this.#worst = [...this.#worst, ...worst]
			.sort((a, b) => a.quality - b.quality)
			.slice(0, maxWorst);
	}

	/** Lines with the texts that are doubtful most. */
	get lines(): string[] {
		return this.#worst.map(
			({ source, text, quality }) =>
				`  ${quality.toFixed(2)} ${inShort(source)} → ${inShort(text)}`,
		);
	}

	/** Parts of a sentence; none when nothing is doubtful. */
	get parts(): string[] {
		return [
			...(this.#doubtful > 0 ? [`${this.#doubtful} doubtful`] : []),
			...(this.#left > 0
				? [`${this.#left} too doubtful and left as they were (--doubtful translates them)`]
				: []),
		];
	}
}

export interface DocumentTranslatorOptions {
	readonly client: Client;
	/** Parameters of every request besides the languages. */
	readonly query: Readonly<Record<string, string | undefined>>;
	readonly signal: AbortSignal;
	/** Told of texts that are translated, and how many of them bear a mark. */
	readonly onDone?: OnTexts;
}

/** The translator of one document into a language; the texts it detects are asked for once. */
export function documentTranslator(
	to: string,
	{ client, query, signal, onDone }: DocumentTranslatorOptions,
): TextTranslator {
	return {
		detect: async (texts) => {
			const found: DetectedText[] = [];
			for (const batch of textBatches(texts, maxBatch)) {
				const body = batch.map((Text) => ({ Text }));
				const input = { query: { 'api-version': '3.0' }, body };
				const answers = await client.call(detect, input, { signal });
				pushAll(found, answers.map(detectedText));
			}
			return found;
		},
		translate: async (texts, from, comments = []) => {
			const made: string[] = [];
			for (const batch of textBatches(texts, maxBatch)) {
				const start = made.length;
				const body = batch.map((Text, index) => ({
					Text,
					...defined({ Comment: comments[start + index] }),
				}));
				const input = { query: { ...query, to, from, includeQuality: 'true' }, body };
				const answers = await client.call(translate, input, { signal });
				pushAll(
					made,
					answers.map((item) => item.translations[0]?.text ?? ''),
				);
				const worst: DoubtfulText[] = [];
				const marks = { doubtful: 0, left: 0, worst };
				answers.forEach(({ translations: [first] }, index) => {
					const { text, quality = 1 } = first ?? { text: '' };
					if (quality < minDocumentQuality && text === batch[index]) marks.left++;
					else if (quality < doubtfulQuality) {
						marks.doubtful++;
						worst.push({ source: batch[index] ?? '', text, quality });
					}
				});
				onDone?.(batch, marks);
			}
			return made;
		},
	};
}
