/** Texts of documents through the model server, and how many words they were. */

import { pushAll } from '../protocol/lists.ts';
import { detect, translate } from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';
import { textBatches } from '../protocol/textBatches.ts';
import { type DetectedText, detectedText } from '../translate/detectedText.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';

/** What a request may hold, times its targets, with room to spare. */
export const maxCharacters = 40_000;
const maxBatch = { texts: 100, characters: maxCharacters };

export interface DocumentTranslatorOptions {
	readonly client: Client;
	/** Parameters of every request besides the languages. */
	readonly query: Readonly<Record<string, string | undefined>>;
	readonly signal: AbortSignal;
	/** Told of texts that are translated. */
	readonly onDone?: (texts: readonly string[]) => void;
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
		translate: async (texts, from) => {
			const made: string[] = [];
			for (const batch of textBatches(texts, maxBatch)) {
				const body = batch.map((Text) => ({ Text }));
				const input = { query: { ...query, to, from }, body };
				const answers = await client.call(translate, input, { signal });
				pushAll(
					made,
					answers.map((item) => item.translations[0]?.text ?? ''),
				);
				onDone?.(batch);
			}
			return made;
		},
	};
}
