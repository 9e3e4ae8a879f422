/** `nearglot/translate` and `nearglot/languages`: the daemon's translator routes (version 3.0). */

import { defined } from '../protocol/defined.ts';
import type {
	LanguageInfo,
	TextTranslation,
	TranslateParams,
	TranslateTextsResult,
} from '../protocol/index.ts';
import { AppError } from '../protocol/index.ts';
import { listLanguages as languagesRoute, translate } from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';
import { textBatches, translateLimits } from '../protocol/textBatches.ts';

/** Translates texts in as few calls as the interface allows, keeping their order. */
export async function translateTexts(
	client: Client,
	params: TranslateParams,
	signal: AbortSignal,
): Promise<TranslateTextsResult> {
	const { to, from, textType, engine, minQuality, tone } = params;
	const query = {
		...{ 'api-version': '3.0', to, from: from || undefined, textType, engine, tone },
		...{ minQuality: minQuality?.toString(), includeQuality: 'true' },
	};
	const items: TextTranslation[] = [];
	for (const group of textBatches(params.texts, translateLimits)) {
		const body = group.map((Text) => ({ Text }));
		const answer = await client.call(translate, { query, body }, { signal });
		// The team's translator may be another's.
		if (!Array.isArray(answer) || answer.length !== group.length) throw unknownShape();
		for (const { translations, detectedLanguage } of answer) {
			const { text, quality } = translations?.[0] ?? {};
			if (typeof text !== 'string') throw unknownShape();
			const { language, score } = detectedLanguage ?? {};
			items.push({
				text,
				...defined({ detectedLanguage: language, detectedScore: score, quality }),
			});
		}
	}
	return { items };
}

const unknownShape = () =>
	new AppError('upstream_failed', 'The translator sent an answer of an unknown shape.');

/** Languages the daemon translates between, named in the editor's language. */
export async function listTranslatorLanguages(
	client: Client,
	displayLanguage: string | undefined,
	signal: AbortSignal,
): Promise<{ languages: LanguageInfo[] }> {
	const { translation = {} } = await client.call(
		languagesRoute,
		{
			query: { 'api-version': '3.0', scope: 'translation' },
			...(displayLanguage ? { headers: { 'accept-language': displayLanguage } } : {}),
		},
		{ signal },
	);
	return {
		languages: Object.entries(translation).map(([code, { name, nativeName }]) => ({
			...{ code, name, nativeName },
		})),
	};
}
