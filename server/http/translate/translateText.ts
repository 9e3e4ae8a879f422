/** `/detect`, `/breaksentence` and `/transliterate`. */

import { latestVersion } from '../../protocol/routes/translatorApi.ts';
import type { TranslateService } from '../../services/translate/translateService.ts';
import { canonicalLanguage, scriptOf, unknownLanguage } from '../../translate/languageCodes.ts';
import { transliterationBetween, transliterationScripts } from '../../translate/transliterate.ts';
import type { TextCall } from './textCall.ts';
import { readBodyJson } from './translateBody.ts';
import { translatorError } from './translateErrors.ts';
import { checkSizes, type Limits, queryParam, readTexts } from './translateInput.ts';
import { inputsOf } from './translateInputs.ts';
import { canonicalScript } from './translateParameters.ts';
import { translatorJson } from './translateReply.ts';

const sum = (texts: readonly string[]): number =>
	texts.reduce((total, { length }) => total + length, 0);

export async function detectReply(
	{ context, requestId, signal, charge }: TextCall,
	translation: TranslateService,
	limits: Limits,
): Promise<Response> {
	const texts = readTexts(await readBodyJson(context, signal), limits.detect);
	checkSizes(texts, limits.detect);
	await charge(sum(texts));
	const supported = await translation.translatable();
	const describe = (language: string, score: number) => ({
		language,
		score,
		isTranslationSupported: supported.has(language),
		isTransliterationSupported: transliterationScripts(language).length > 0,
	});
	const rows: object[] = [];
	for (const text of texts) {
		const { language, score, alternatives } = await translation.language.detect(text);
		const others = alternatives.map((other) => describe(other.language, other.score));
		rows.push({
			...describe(language, score),
			...(others.length > 0 ? { alternatives: others } : {}),
		});
	}
	return translatorJson(rows, requestId);
}

export async function breakSentenceReply(
	{ context, query, requestId, signal, charge }: TextCall,
	translation: TranslateService,
	limits: Limits,
): Promise<Response> {
	const texts = readTexts(await readBodyJson(context, signal), limits.breaksentence);
	const written = queryParam(query, 'language');
	const language = written === undefined || written === '' ? undefined : canonicalLanguage(written);
	if (written && language === undefined) throw translatorError(400019, unknownLanguage(written));
	const script = queryParam(query, 'script');
	if (script !== undefined) {
		const known = canonicalScript(script);
		if (known === undefined) throw translatorError(400073);
		const scripts =
			language === undefined ? [known] : [scriptOf(language), ...foreignScripts(language)];
		if (!scripts.includes(known)) throw translatorError(400006);
	}
	checkSizes(texts, limits.breaksentence);
	await charge(sum(texts));
	const rows: object[] = [];
	for (const text of texts) {
		const detected = language === undefined ? await translation.language.detect(text) : undefined;
		const read = language ?? detected?.language ?? 'en';
		const spans = await translation.language.sentences(text, read);
		rows.push({
			...(detected
				? { detectedLanguage: { language: detected.language, score: detected.score } }
				: {}),
			sentLen: spans.length === 0 ? [0] : spans.map(([start, end]) => end - start),
		});
	}
	return translatorJson(rows, requestId);
}

function foreignScripts(language: string): string[] {
	return transliterationScripts(language).flatMap(({ code, to }) => [code, ...to]);
}

export async function transliterateReply(
	{ context, query, requestId, signal, charge }: TextCall,
	translation: TranslateService,
	limits: Limits,
): Promise<Response> {
	const isLatest = queryParam(query, 'api-version') === latestVersion;
	const body = await readBodyJson(context, signal);
	const texts = readTexts(isLatest ? inputsOf(body) : body, limits.transliterate);
	const written = queryParam(query, 'language');
	const language = written === undefined ? undefined : canonicalLanguage(written);
	if (language === undefined) throw translatorError(400003, unknownLanguage(written ?? ''));
	const fromWritten = queryParam(query, 'fromScript') ?? '';
	const from = canonicalScript(fromWritten);
	if (from === undefined) throw translatorError(400018);
	const toWritten = queryParam(query, 'toScript') ?? '';
	const to = canonicalScript(toWritten);
	if (to === undefined) throw translatorError(400004);
	if (transliterationScripts(language).length === 0)
		throw translatorError(400080, `'${language}' has no scripts to choose from.`);
	if (!transliterationBetween(language, from, to))
		throw translatorError(400006, `'${language}' cannot go from ${from} to ${to}.`);
	checkSizes(texts, limits.transliterate);
	await charge(sum(texts));
	const rows = await Promise.all(
		texts.map(async (text) => ({
			text: await translation.language.transliterate(text, language, from, to),
			// Echoed as the caller wrote it.
			script: toWritten,
		})),
	);
	return translatorJson(isLatest ? { value: rows } : rows, requestId, {
		'x-metered-usage': String(sum(texts)),
	});
}
