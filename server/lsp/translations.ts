/**
 * Translations for the features of the editor: asks for each text once, with the glossary of the
 * workspace in force, and remembers what was said.
 */

import { defined } from '../protocol/defined.ts';
import type { TextsProgress, TextTranslation } from '../protocol/index.ts';
import { AppError } from '../protocol/index.ts';
import { LruMap } from '../protocol/lruMap.ts';
import { detect } from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';
import { textBatches } from '../protocol/textBatches.ts';
import { type DetectedText, detectedText } from '../translate/detectedText.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import { sameLanguage } from '../translate/languageCodes.ts';
import { meanQuality } from '../translate/qualityEstimate.ts';
import { termMarker, type WorkspaceGlossary } from '../translate/workspaceGlossary.ts';
import { translateTexts } from './translateTexts.ts';

/** How texts are to be translated. */
export interface TranslationOptions {
	/** BCP 47 codes; without `from` the language of each text is detected. */
	readonly to: string;
	readonly from?: string;
	/** Document whose workspace has the glossary. */
	readonly uri?: string;
	/** Below this estimate (0…1) sentences stay as they are rather than as the built-in model has them. */
	readonly minQuality?: number;
	/** `formal` or `informal`; the setting's when absent. */
	readonly tone?: string;
	/** What became of texts, those that were known included. */
	readonly onItems?: (items: readonly TextTranslation[]) => void;
	readonly onProgress?: (progress: TextsProgress) => void;
}

/** Characters of all that is remembered; the oldest leaves first. */
const maxCharacters = 4_000_000;
/** Samples whose language is remembered. */
const maxSamples = 5000;
/** Texts of one call, so that progress and cancelling are felt. */
const maxTexts = 48;
/** Characters of a document that tell its language. */
const sampleLength = 4000;
/** Below this score a language is a guess. */
const minScore = 0.5;
/** Limits of one call of `/detect`. */
const maxDetections = { texts: 100, characters: 50_000 };

/** One per language server. */
export class Translations {
	readonly #client: Client;
	readonly #glossaryOf: (uri: string) => WorkspaceGlossary | undefined;
	readonly #known = new LruMap<string, TextTranslation>(
		maxCharacters,
		(key, { text }) => key.length + text.length,
	);
	readonly #languages = new LruMap<string, DetectedText>(maxSamples);

	constructor(client: Client, glossaryOf: (uri: string) => WorkspaceGlossary | undefined) {
		this.#client = client;
		this.#glossaryOf = glossaryOf;
	}

	/** Forgets everything: the translator or a glossary has changed. */
	forget(): void {
		this.#known.clear();
		this.#languages.clear();
	}

	/** Translates texts, keeping their order. */
	async translate(
		texts: readonly string[],
		options: TranslationOptions,
		signal: AbortSignal,
	): Promise<readonly TextTranslation[]> {
		if (texts.length === 0) return [];
		const from = options.from ?? '';
		const wanted = texts.map((text) => ({
			text,
			key: `${options.to}\n${from}\n${options.minQuality ?? 0}\n${options.tone ?? ''}\n${text}`,
		}));
		const answers = new Map<string, TextTranslation>();
		const fresh = new Map<string, string>();
		for (const { text, key } of wanted) {
			const known = this.#known.get(key);
			if (known) answers.set(key, known);
			else if (from !== '' && sameLanguage(from, options.to))
				answers.set(key, { text, detectedLanguage: from });
			else fresh.set(key, text);
		}
		const entries = [...fresh];
		for (let at = 0; at < entries.length; at += maxTexts) {
			if (signal.aborted) throw new AppError('cancelled');
			const part = entries.slice(at, at + maxTexts);
			const marked = await this.#marked(
				part.map(([, text]) => text),
				from,
				options,
				signal,
			);
			const items = await this.#translated(marked, options, signal);
			part.forEach(([key, text], index) => {
				const item = items[index] ?? { text };
				answers.set(key, item);
				this.#known.set(key, item);
			});
			options.onProgress?.({ done: at + part.length, total: entries.length });
		}
		const items = wanted.map(({ key, text }) => answers.get(key) ?? { text });
		options.onItems?.(items);
		return items;
	}

	/** Translator of a document. */
	translator(options: Omit<TranslationOptions, 'from'>, signal: AbortSignal): TextTranslator {
		return {
			detect: (texts) => this.detect(texts, signal),
			translate: async (texts, from) =>
				(await this.translate(texts, { ...options, from }, signal)).map((item) => item.text),
		};
	}

	/** Languages of texts, in their order. */
	async detect(texts: readonly string[], signal: AbortSignal): Promise<readonly DetectedText[]> {
		const samples = texts.map((text) => text.slice(0, sampleLength));
		const found = new Map<string, DetectedText>();
		for (const sample of samples) {
			const known = this.#languages.get(sample);
			if (known) found.set(sample, known);
		}
		const fresh = [...new Set(samples)].filter((sample) => !found.has(sample));
		for (const part of textBatches(fresh, maxDetections)) {
			const body = part.map((Text) => ({ Text }));
			const query = { 'api-version': '3.0' };
			const rows = await this.#client.call(detect, { query, body }, { signal });
			rows.map(detectedText).forEach((row, index) => {
				const sample = part[index] ?? '';
				found.set(sample, row);
				this.#languages.set(sample, row);
			});
		}
		return samples.map((sample) => found.get(sample) ?? unknown);
	}

	/** The language most of the texts are in, when that can be said. */
	async languageOf(texts: readonly string[], signal: AbortSignal): Promise<string | undefined> {
		let sample = '';
		for (const text of texts) {
			if (sample.length > sampleLength) break;
			sample += `${text}\n`;
		}
		if (!/\p{L}/u.test(sample)) return undefined;
		const [found] = await this.detect([sample], signal);
		return found && found.score >= minScore ? found.language : undefined;
	}

	/** Asks for texts in their order, those of one language together. */
	async #translated(
		texts: readonly Marked[],
		{ to, minQuality, tone }: TranslationOptions,
		signal: AbortSignal,
	): Promise<readonly (TextTranslation | undefined)[]> {
		const answers: (TextTranslation | undefined)[] = [];
		for (const from of new Set(texts.map((marked) => marked.from))) {
			const places = [...texts.keys()].filter((place) => texts[place]?.from === from);
			const part = places.map((place) => texts[place]?.text ?? '');
			const known = from === '' ? undefined : from;
			const params = { texts: part, to, ...defined({ from: known, minQuality, tone }) };
			const { items } = await translateTexts(this.#client, params, signal);
			places.forEach((place, index) => {
				const { isDetected } = texts[place] ?? {};
				const item = items[index];
				answers[place] = isDetected && item ? { detectedLanguage: from, ...item } : item;
			});
		}
		return answers;
	}

	/** Texts with the terms of the glossary marked for the translator, which then wants their language. */
	async #marked(
		texts: readonly string[],
		from: string,
		{ to, uri }: TranslationOptions,
		signal: AbortSignal,
	): Promise<readonly Marked[]> {
		const glossary = uri === undefined ? undefined : this.#glossaryOf(uri);
		const target = glossary?.column(to) ?? -1;
		if (!glossary || target < 0) return texts.map((text) => ({ text, from }));
		const markers = glossary.languages.map((language, column) =>
			column === target ? () => undefined : termMarker(glossary.terms(column, target), language),
		);
		const found = texts.map((text) => markers.map((mark) => mark(text)));
		const unsure = texts.filter(
			(_, index) => from === '' && found[index]?.some((marked) => marked !== undefined),
		);
		const languages = new Map<string, string>();
		const detected = unsure.length === 0 ? [] : await this.detect(unsure, signal);
		unsure.forEach((text, index) => {
			languages.set(text, detected[index]?.language ?? '');
		});
		return texts.map((text, index) => {
			const language = from === '' ? (languages.get(text) ?? '') : from;
			const column = language === '' ? -1 : glossary.column(language);
			const marked = found[index]?.[column];
			if (marked === undefined) return { text, from };
			return { text: marked, from: language, isDetected: from === '' };
		});
	}
}

/** A text as the translator gets it. */
interface Marked {
	readonly text: string;
	/** Empty: the translator finds out. */
	readonly from: string;
	/** Whether the language was found here, and not given. */
	readonly isDetected?: boolean;
}

const unknown: DetectedText = { language: '', score: 0, isSupported: false, alternatives: [] };

/** Estimated quality of the texts that a model here has translated, together; `undefined` of none. */
export const qualityOf = (items: readonly TextTranslation[]): number | undefined =>
	meanQuality(
		items.flatMap(({ quality, text }) =>
			quality === undefined ? [] : [{ quality, length: Math.max(1, text.length) }],
		),
	);
