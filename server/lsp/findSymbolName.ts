/** *Name this symbol in English*: a name in the same case style, in another language. */

import type { Position, Range } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { AppError, type NameSymbolResult } from '../protocol/index.ts';
import { readableName, splitIdentifier, translatedIdentifier } from '../translate/identifiers.ts';
import { sameLanguage } from '../translate/languageCodes.ts';
import { displayLanguageName } from './displayLanguageName.ts';
import { nameAt, placesOf } from './nameAt.ts';
import type { ProseFinder } from './prose/proseFinder.ts';
import type { Translations } from './translations.ts';

/** Words that may not be names in the languages most people write. */
const reserved = new Set(
	'abstract and as assert async await base bool boolean break byte case catch char class const constructor continue default def delete do double elif else enum except export extends false final finally float fn for foreach from func function global goto if impl implements import in instanceof int interface is lambda let long match mod module namespace native new nil none nonlocal not null object of operator or package pass private protected public raise ref return self short static string struct super switch template this throw throws trait true try type typedef typeof undefined union unsafe use using var virtual void volatile where while with yield'.split(
		' ',
	),
);
/** From this score on a name that reads as the target language needs no translation. */
const sureScore = 0.8;

export interface SymbolNameOptions {
	readonly position: Position;
	/** BCP 47 codes. */
	readonly to: string;
	readonly from?: string;
	/** Languages of the user, in order. */
	readonly languages: readonly string[];
	readonly displayLanguage?: string | undefined;
}

/**
 * A name for the symbol under a position.
 *
 * @throws AppError `invalid_request` when there is no name, or it needs no translation.
 */
export async function findSymbolName(
	document: TextDocument,
	options: SymbolNameOptions,
	finder: ProseFinder,
	translations: Translations,
	signal: AbortSignal,
): Promise<NameSymbolResult> {
	const { to, position } = options;
	const place = nameAt(document, position);
	const parts = place && splitIdentifier(place.name);
	if (!place || !parts) throw new AppError('invalid_request', 'There is no name under the cursor.');
	const words = readableName(parts);
	const prose = await finder.find(document, 0, document.getText().length, signal);
	const candidates = options.from
		? [options.from]
		: await languagesOf(document, words, prose, options, translations, signal);
	const places = occurrences(document, place.name, prose);
	for (const from of candidates) {
		const [answer] = await translations.translate(
			[readableName(parts, from)],
			{ to, from, uri: document.uri },
			signal,
		);
		const made = translatedIdentifier(answer?.text ?? '', parts, to);
		if (made === undefined || made.toLowerCase() === place.name.toLowerCase()) continue;
		return {
			range: place.range,
			name: place.name,
			suggestion: free(document, made),
			from,
			occurrences: places,
		};
	}
	throw new AppError(
		'invalid_request',
		`“${place.name}” reads as ${displayLanguageName(to, 'en')} already, or its language is not known. Add its language to nearglot.translate.languages.`,
	);
}

/** Languages the name may be in, likeliest first. */
async function languagesOf(
	document: TextDocument,
	words: string,
	prose: readonly { start: number; end: number; kind: string }[],
	{ to, languages, displayLanguage }: SymbolNameOptions,
	translations: Translations,
	signal: AbortSignal,
): Promise<string[]> {
	const [own] = await translations.detect([words], signal);
	const isForeign = (language: string) => language !== '' && !sameLanguage(language, to);
	const isPlain = /^[\x20-\x7e]*$/.test(words);
	if (own && isPlain && !isForeign(own.language) && own.score >= sureScore) return [];
	const comments = prose
		.filter(({ kind }) => kind !== 'string')
		.slice(0, 40)
		.map(({ start, end }) => document.getText().slice(start, end));
	const around = await translations.languageOf(comments, signal);
	const known = [...languages, displayLanguage ?? ''].filter(isForeign);
	const isKnown = (language: string) => known.some((other) => sameLanguage(other, language));
	const candidatesByScore = [
		own?.language ?? '',
		...(own?.alternatives ?? []).map(({ language }) => language),
	].filter(isForeign);
	// A few letters fit many languages: those of the file and of the user come first.
	const order = [
		...candidatesByScore
			.slice(0, 1)
			.filter((language) => (own?.score ?? 0) >= sureScore || !isPlain || isKnown(language)),
		...(around !== undefined && isForeign(around) ? [around] : []),
		...candidatesByScore.filter(isKnown),
		...known,
	];
	return [...new Set(order)].slice(0, 4);
}

function occurrences(
	document: TextDocument,
	name: string,
	prose: readonly { start: number; end: number; kind: string }[],
): Range[] {
	let next = 0;
	return placesOf(document, name).flatMap((at) => {
		while (next < prose.length && (prose[next]?.end ?? 0) <= at) next++;
		if ((prose[next]?.start ?? Number.POSITIVE_INFINITY) <= at) return [];
		return [{ start: document.positionAt(at), end: document.positionAt(at + name.length) }];
	});
}

/** The name, changed where it is a keyword or something else has it already. */
function free(document: TextDocument, name: string): string {
	if (reserved.has(name)) return free(document, `${name}_`);
	for (let number = 2; ; number++) {
		const candidate = number === 2 ? name : `${name}${number - 1}`;
		if (placesOf(document, candidate).length === 0) return candidate;
	}
}
