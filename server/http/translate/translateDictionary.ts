/** `/dictionary/lookup` and `/dictionary/examples`, answered from the user's own glossaries. */

import type { TranslateService } from '../../services/translate/translateService.ts';
import type { Term } from '../../translate/glossary.ts';
import {
	canonicalLanguage,
	primaryLanguage,
	unknownLanguage,
} from '../../translate/languageCodes.ts';
import type { TextCall } from './textCall.ts';
import { readBodyJson } from './translateBody.ts';
import { translatorError } from './translateErrors.ts';
import { checkSizes, type Limits, queryParam, readItems, readTexts } from './translateInput.ts';
import { translatorJson } from './translateReply.ts';

/** Parts of speech as the interface names them. */
const tags: readonly (readonly [RegExp, string])[] = [
	[/^(adj)/i, 'ADJ'],
	[/^(adv)/i, 'ADV'],
	[/^(conj)/i, 'CONJ'],
	[/^(det|art)/i, 'DET'],
	[/^(modal)/i, 'MODAL'],
	[/^(noun|n$|subst|propn)/i, 'NOUN'],
	[/^(prep)/i, 'PREP'],
	[/^(pron)/i, 'PRON'],
	[/^(verb|v$)/i, 'VERB'],
];

function posTag(partOfSpeech: string | undefined): string {
	return tags.find(([pattern]) => pattern.test(partOfSpeech ?? ''))?.[1] ?? 'OTHER';
}

function pairOf(query: URLSearchParams): { from: string; to: string } {
	const [writtenFrom = '', writtenTo = ''] = [queryParam(query, 'from'), queryParam(query, 'to')];
	const from = canonicalLanguage(writtenFrom);
	if (from === undefined) throw translatorError(400035, unknownLanguage(writtenFrom));
	const to = canonicalLanguage(writtenTo);
	if (to === undefined) throw translatorError(400036, unknownLanguage(writtenTo));
	if (from === to) throw translatorError(400023);
	return { from, to };
}

const normal = (text: string, language: string): string =>
	text.normalize('NFC').trim().toLocaleLowerCase(primaryLanguage(language));

export async function dictionaryLookupReply(
	{ context, query, requestId, signal, charge }: TextCall,
	translation: TranslateService,
	limits: Limits,
): Promise<Response> {
	const texts = readTexts(await readBodyJson(context, signal), limits.lookup);
	const { from, to } = pairOf(query);
	checkSizes(texts, limits.lookup);
	await charge(texts.reduce((sum, text) => sum + text.length, 0));
	const forward = await translation.custom.terms(from, to);
	const backward = await translation.custom.terms(to, from);
	const rows = texts.map((text) => {
		const key = normal(text, from);
		const found = forward.filter((term) => normal(term.source, from) === key);
		return {
			normalizedSource: key,
			displaySource: found[0]?.source ?? text,
			translations: found.map((term) => ({
				normalizedTarget: normal(term.target, to),
				displayTarget: term.target,
				posTag: posTag(term.partOfSpeech),
				confidence: Math.round(10_000 / found.length) / 10_000,
				prefixWord: '',
				backTranslations: backTerms(term, forward, backward, from, to),
			})),
		};
	});
	return translatorJson(rows, requestId);
}

/** Source terms with the same target, and what the opposite glossary says. */
function backTerms(
	term: Term,
	forward: readonly Term[],
	backward: readonly Term[],
	from: string,
	to: string,
) {
	const key = normal(term.target, to);
	const words = new Map<string, { display: string; examples: number; count: number }>();
	const add = (display: string, examples: number): void => {
		const known = words.get(normal(display, from));
		words.set(normal(display, from), {
			display: known?.display ?? display,
			examples: (known?.examples ?? 0) + examples,
			count: (known?.count ?? 0) + 1,
		});
	};
	for (const other of forward)
		if (normal(other.target, to) === key) add(other.source, other.examples.length);
	for (const other of backward)
		if (normal(other.source, to) === key) add(other.target, other.examples.length);
	return [...words].map(([normalizedText, { display, examples, count }]) => ({
		normalizedText,
		displayText: display,
		numExamples: examples,
		frequencyCount: count,
	}));
}

export async function dictionaryExamplesReply(
	{ context, query, requestId, signal, charge }: TextCall,
	translation: TranslateService,
	limits: Limits,
): Promise<Response> {
	const items = readItems(await readBodyJson(context, signal), limits.examples);
	const wanted = items.map(({ text, translation: target }) => {
		if (typeof text !== 'string' || text === '') throw translatorError(400005);
		if (typeof target !== 'string' || target === '') throw translatorError(400064);
		return { text, target };
	});
	const { from, to } = pairOf(query);
	const lengths = wanted.map(({ text, target }) => text + target);
	checkSizes(lengths, limits.examples);
	await charge(lengths.reduce((sum, { length }) => sum + length, 0));
	const terms = await translation.custom.terms(from, to);
	const rows = wanted.map(({ text, target }) => ({
		normalizedSource: normal(text, from),
		normalizedTarget: normal(target, to),
		examples: terms
			.filter(
				(term) =>
					normal(term.source, from) === normal(text, from) &&
					normal(term.target, to) === normal(target, to),
			)
			.flatMap((term) => term.examples.map((example) => exampleRow(example, text, target))),
	}));
	return translatorJson(rows, requestId);
}

/** An example cut at its term: prefix, term, suffix on both sides. */
function exampleRow(
	example: { readonly source: string; readonly target: string },
	text: string,
	target: string,
) {
	const cut = (whole: string, part: string): [string, string, string] => {
		const at = whole.toLowerCase().indexOf(part.toLowerCase());
		if (at < 0) return [whole, '', ''];
		return [whole.slice(0, at), whole.slice(at, at + part.length), whole.slice(at + part.length)];
	};
	const [sourcePrefix, sourceTerm, sourceSuffix] = cut(example.source, text);
	const [targetPrefix, targetTerm, targetSuffix] = cut(example.target, target);
	return { sourcePrefix, sourceTerm, sourceSuffix, targetPrefix, targetTerm, targetSuffix };
}
