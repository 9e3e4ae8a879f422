/**
 * Translations for the features of the editor: asks for each text once, with the glossary of the
 * workspace in force, and remembers what was said.
 */

import { isRecord } from '../protocol/errorBody.ts';
import type { TextsProgress, TranslatedText } from '../protocol/index.ts';
import { AppError } from '../protocol/index.ts';
import { termMarker, type WorkspaceGlossary } from '../translate/workspaceGlossary.ts';
import type { Caller } from './daemonLink.ts';
import { sameLanguage } from './languageName.ts';
import { translateTexts } from './translate.ts';

/** How texts are to be translated. */
export interface Ask {
	/** BCP 47 codes; without `from` the language of each text is detected. */
	readonly to: string;
	readonly from?: string;
	/** Document whose workspace has the glossary. */
	readonly uri?: string;
	/** Texts of one document: short ones are read in the language most of it has. */
	readonly asDocument?: boolean;
	readonly onProgress?: (progress: TextsProgress) => void;
}

export interface Detected {
	readonly language: string;
	/** 0…1 */
	readonly score: number;
	/** Other guesses, best first. */
	readonly alternatives: readonly string[];
}

/** Characters of all that is remembered; the oldest leaves first. */
const mostCharacters = 4_000_000;
/** Texts of one call, so that progress and cancelling are felt. */
const mostTexts = 48;
/** Characters of a document that tell its language. */
const sampleLength = 4000;
/** Below this score a language is a guess. */
const leastScore = 0.5;
/** Shorter texts say too little of their language. */
const leastCharacters = 16;
const mostDetections = 100;

/** One per front. */
export class Translations {
	readonly #link: Caller;
	readonly #glossaryOf: (uri: string) => WorkspaceGlossary | undefined;
	readonly #known = new Map<string, TranslatedText>();
	readonly #languages = new Map<string, Detected>();
	#characters = 0;

	constructor(link: Caller, glossaryOf: (uri: string) => WorkspaceGlossary | undefined) {
		this.#link = link;
		this.#glossaryOf = glossaryOf;
	}

	/** Forgets everything: the translator or a glossary has changed. */
	forget(): void {
		this.#known.clear();
		this.#languages.clear();
		this.#characters = 0;
	}

	/** Translates texts, keeping their order. */
	async translate(
		texts: readonly string[],
		ask: Ask,
		signal: AbortSignal,
	): Promise<readonly TranslatedText[]> {
		if (texts.length === 0) return [];
		const sources = ask.asDocument && !ask.from ? await this.#sources(texts, ask.to, signal) : [];
		const wanted = texts.map((text, index) => {
			const from = ask.from ?? sources[index];
			return { text, from, key: `${ask.to}\n${from ?? ''}\n${text}` };
		});
		const answers = new Map<string, TranslatedText>();
		const fresh = new Map<string, Map<string, string>>();
		let total = 0;
		for (const { text, from, key } of wanted) {
			const known = this.#known.get(key);
			if (known) answers.set(key, known);
			else if (from !== undefined && sameLanguage(from, ask.to))
				answers.set(key, { text, detectedLanguage: from });
			else if (!fresh.get(from ?? '')?.has(key)) {
				const group = fresh.get(from ?? '') ?? new Map<string, string>();
				fresh.set(from ?? '', group.set(key, text));
				total++;
			}
		}
		let done = 0;
		for (const [from, group] of fresh) {
			const entries = [...group];
			for (let at = 0; at < entries.length; at += mostTexts) {
				if (signal.aborted) throw new AppError('cancelled');
				const part = entries.slice(at, at + mostTexts);
				const marked = await this.#marked(
					part.map(([, text]) => text),
					from,
					ask,
					signal,
				);
				const items = await this.#translated(marked, ask.to, signal);
				part.forEach(([key, text], index) => {
					const item = items[index] ?? { text };
					answers.set(key, item);
					this.#remember(key, item);
				});
				done += part.length;
				ask.onProgress?.({ done, total });
			}
		}
		return wanted.map(({ key, text }) => answers.get(key) ?? { text });
	}

	/** {@link translate}, of which only the texts are wanted. */
	many(ask: Ask, signal: AbortSignal) {
		return async (texts: readonly string[]): Promise<readonly string[]> =>
			(await this.translate(texts, ask, signal)).map((item) => item.text);
	}

	/** Languages of texts, in their order. */
	async detect(texts: readonly string[], signal: AbortSignal): Promise<readonly Detected[]> {
		const fresh = [...new Set(texts)].filter((text) => !this.#languages.has(text));
		for (let at = 0; at < fresh.length; at += mostDetections) {
			const part = fresh.slice(at, at + mostDetections);
			const body = await this.#link.json(
				'/detect?api-version=3.0',
				part.map((text) => ({ Text: text.slice(0, sampleLength) })),
				signal,
			);
			const rows: readonly unknown[] = Array.isArray(body) ? body : [];
			for (const [index, text] of part.entries()) this.#languages.set(text, readRow(rows[index]));
			for (const [oldest] of this.#languages) {
				if (this.#languages.size <= 5000) break;
				this.#languages.delete(oldest);
			}
		}
		return texts.map((text) => this.#languages.get(text) ?? unknown);
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
		return found && found.score >= leastScore ? found.language : undefined;
	}

	/** Language of each text of a document: its main one, unless a text is in the target's already. */
	async #sources(
		texts: readonly string[],
		to: string,
		signal: AbortSignal,
	): Promise<(string | undefined)[]> {
		const main = await this.languageOf(texts, signal);
		if (main === undefined || sameLanguage(main, to)) return [];
		const own = await this.detect(texts, signal);
		return texts.map((text, index) => {
			const { language, score } = own[index] ?? unknown;
			const isDone =
				sameLanguage(language, to) && score >= leastScore && text.length >= leastCharacters;
			return isDone ? language : main;
		});
	}

	/** Asks for texts in their order, those of one language together. */
	async #translated(
		texts: readonly Marked[],
		to: string,
		signal: AbortSignal,
	): Promise<readonly (TranslatedText | undefined)[]> {
		const answers: (TranslatedText | undefined)[] = [];
		for (const from of new Set(texts.map((marked) => marked.from))) {
			const places = [...texts.keys()].filter((place) => texts[place]?.from === from);
			const part = places.map((place) => texts[place]?.text ?? '');
			const params = { texts: part, to, ...(from === '' ? {} : { from }) };
			const { items } = await translateTexts(this.#link, params, signal);
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
		{ to, uri }: Ask,
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

	#remember(key: string, item: TranslatedText): void {
		this.#known.set(key, item);
		this.#characters += key.length + item.text.length;
		for (const [oldest, { text }] of this.#known) {
			if (this.#characters <= mostCharacters) break;
			this.#known.delete(oldest);
			this.#characters -= oldest.length + text.length;
		}
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

const unknown: Detected = { language: '', score: 0, alternatives: [] };

function readRow(row: unknown): Detected {
	if (!isRecord(row) || typeof row['language'] !== 'string') return unknown;
	const others = Array.isArray(row['alternatives']) ? (row['alternatives'] as unknown[]) : [];
	return {
		language: row['language'],
		score: typeof row['score'] === 'number' ? row['score'] : 0,
		alternatives: others.flatMap((other) =>
			isRecord(other) && typeof other['language'] === 'string' ? [other['language']] : [],
		),
	};
}
