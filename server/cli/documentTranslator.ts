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
}

export type OnTexts = (texts: readonly string[], marks: DoubtfulTexts) => void;

/** Doubts of several requests, and how they are told. */
export class DoubtCount {
	#doubtful = 0;
	#left = 0;

	add({ doubtful, left }: DoubtfulTexts): void {
		this.#doubtful += doubtful;
		this.#left += left;
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
				const marks = { doubtful: 0, left: 0 };
				answers.forEach(({ translations: [first] }, index) => {
					const { text, quality = 1 } = first ?? { text: '' };
					if (quality < minDocumentQuality && text === batch[index]) marks.left++;
					else if (quality < doubtfulQuality) marks.doubtful++;
				});
				onDone?.(batch, marks);
			}
			return made;
		},
	};
}
