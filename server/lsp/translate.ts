/** `nearglot/translate` and `nearglot/languages`: the daemon's translator routes (version 3.0). */

import { isRecord } from '../protocol/errorBody.ts';
import type {
	LanguageInfo,
	TranslatedText,
	TranslateParams,
	TranslateResult,
} from '../protocol/index.ts';
import { AppError } from '../protocol/index.ts';
import { textBatches } from '../translate/textBatches.ts';
import type { Caller } from './daemonLink.ts';

/** Limits of one call, as the hosted service has them. */
const most = { texts: 1000, characters: 50_000 };

/** Translates texts in as few calls as the interface allows, keeping their order. */
export async function translateTexts(
	link: Caller,
	params: TranslateParams,
	signal: AbortSignal,
): Promise<TranslateResult> {
	const query = new URLSearchParams({ 'api-version': '3.0', to: params.to });
	if (params.from) query.set('from', params.from);
	if (params.textType) query.set('textType', params.textType);
	if (params.engine) query.set('engine', params.engine);
	const items: TranslatedText[] = [];
	for (const group of textBatches(params.texts, most)) {
		const body = group.map((Text) => ({ Text }));
		const answer = await link.json(`/translate?${query}`, body, signal);
		items.push(...parseTranslations(answer, group.length));
	}
	return { items };
}

/** Language of a text with the detector's confidence, or `undefined` when it cannot say. */
export async function detectLanguage(
	link: Caller,
	text: string,
	signal: AbortSignal,
): Promise<string | undefined> {
	const body = await link.json('/detect?api-version=3.0', [{ Text: text }], signal);
	const first: unknown = Array.isArray(body) ? body[0] : undefined;
	if (!isRecord(first) || typeof first['language'] !== 'string') return undefined;
	return typeof first['score'] === 'number' && first['score'] < leastScore
		? undefined
		: first['language'];
}

/** Below this confidence a guess would annoy more than it helps. */
const leastScore = 0.3;

/** Languages the daemon translates between, named in the editor's language. */
export async function listLanguages(
	link: Caller,
	displayLanguage: string | undefined,
	signal: AbortSignal,
): Promise<{ languages: LanguageInfo[] }> {
	const response = await link.call(
		'/languages?api-version=3.0&scope=translation',
		{
			method: 'GET',
			...(displayLanguage ? { headers: { 'accept-language': displayLanguage } } : {}),
		},
		signal,
	);
	const body: unknown = await response.json();
	const table = isRecord(body) && isRecord(body['translation']) ? body['translation'] : {};
	return {
		languages: Object.entries(table).map(([code, value]) => {
			const entry = isRecord(value) ? value : {};
			const name = typeof entry['name'] === 'string' ? entry['name'] : code;
			const nativeName = typeof entry['nativeName'] === 'string' ? entry['nativeName'] : name;
			return { code, name, nativeName };
		}),
	};
}

function parseTranslations(body: unknown, count: number): TranslatedText[] {
	const wrong = () =>
		new AppError('upstream_failed', 'The translator sent an answer of an unknown shape.');
	if (!Array.isArray(body) || body.length !== count) throw wrong();
	return body.map((item: unknown) => {
		if (!isRecord(item) || !Array.isArray(item['translations'])) throw wrong();
		const first: unknown = item['translations'][0];
		if (!isRecord(first) || typeof first['text'] !== 'string') throw wrong();
		const detected = item['detectedLanguage'];
		if (!isRecord(detected) || typeof detected['language'] !== 'string')
			return { text: first['text'] };
		return {
			text: first['text'],
			detectedLanguage: detected['language'],
			...(typeof detected['score'] === 'number' ? { detectedScore: detected['score'] } : {}),
		};
	});
}
