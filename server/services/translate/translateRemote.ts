/**
 * The hosted service, or a team's server, in the place of the local models: same request, same
 * result. Placeholders are guarded with HTML the service leaves alone.
 */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { HostedTranslation, HostedTranslator } from '../../remote/hostedTranslator.ts';
import { decodeEntities } from '../../translate/entities.ts';
import { mergeSpans, protectedSpans } from '../../translate/protect.ts';
import { splitSentences } from '../../translate/sentences.ts';
import { inSmallerParts, passesGate } from './remoteGate.ts';
import type {
	TargetText,
	TranslateItem,
	TranslateOutcome,
	TranslateRequest,
} from './translateRequest.ts';

/** Longest text of one request, for any number of targets. */
const maxCharacters = 50_000;

/** What the translator answers, held to what the texts hold. */
export async function translateRemotely(
	translator: HostedTranslator,
	request: TranslateRequest,
	signal?: AbortSignal,
): Promise<TranslateOutcome> {
	const outcome = await askRemotely(translator, request, signal);
	const { texts, textType } = request;
	let refused = 0;
	const items = outcome.items.map(({ translations, ...item }) => ({
		...item,
		translations: [...translations],
	}));
	for (const [index, target] of request.targets.entries()) {
		const broken = texts.flatMap((source, at) =>
			passesGate(source, items[at]?.translations[index]?.text ?? source, textType) ? [] : [at],
		);
		if (broken.length === 0) continue;
		const again = async (parts: readonly string[]) => {
			const plain = { ...request, texts: parts, targets: [target] };
			const answer = await askRemotely(
				translator,
				{ ...plain, textType: 'plain', alignment: false },
				signal,
			);
			return answer.items.map(({ translations }, at) => translations[0]?.text ?? parts[at] ?? '');
		};
		const sources = broken.map((at) => texts[at] ?? '');
		const mended = await inSmallerParts(sources, textType, again);
		for (const [place, { text, isRefused }] of mended.entries()) {
			const at = broken[place] ?? 0;
			const source = texts[at] ?? '';
			if (isRefused) refused++;
			items[at]?.translations.splice(index, 1, {
				language: target.language,
				text,
				sourceLengths: [source.length],
				targetLengths: [text.length],
				alternatives: [],
				models: [],
				refused: isRefused ? [source] : [],
			});
		}
	}
	return { ...outcome, items, refused };
}

async function askRemotely(
	translator: HostedTranslator,
	request: TranslateRequest,
	signal?: AbortSignal,
): Promise<TranslateOutcome> {
	const targets = request.targets.map(({ language }) => language);
	const pieces = request.texts.map((text) =>
		cut(text, Math.floor(maxCharacters / targets.length), request),
	);
	const guarded = pieces.map((parts) => parts.map((part) => guard(part, request)));
	const scripts = request.targets.map(({ script }) => script);
	const anyGuard = guarded.some((parts) => parts.some(({ html }) => html));
	// One text type for all of a request: plain parts are escaped as well.
	const sent = guarded.flatMap((parts) =>
		parts.map(({ text, html }) => (anyGuard && !html ? escapeText(text) : text)),
	);
	const { rows, systems } = await translator.translate(
		{
			texts: sent,
			to: targets,
			parameters: {
				textType: request.textType === 'html' || anyGuard ? 'html' : 'plain',
				includeSentenceLength: 'true',
				...(request.alignment && !anyGuard ? { includeAlignment: 'true' } : {}),
				...defined({
					from: request.source,
					fromScript: request.sourceScript,
					suggestedFrom: request.suggestedSource,
					category: request.category,
				}),
				// A team's server knows them; the hosted service refuses what it does not know.
				...defined({ tone: request.tone, gender: request.gender }),
				...(request.allowFallback ? {} : { allowFallback: 'false' }),
				...(request.profanityAction === 'NoAction'
					? {}
					: { profanityAction: request.profanityAction, profanityMarker: request.profanityMarker }),
				...(scripts.some((script) => script !== undefined)
					? { toScript: scripts.map((script) => script ?? 'Latn').join(',') }
					: {}),
			},
		},
		signal,
	);
	const unguard = anyGuard && request.textType === 'plain';
	let next = 0;
	const items = pieces.map((parts, item): TranslateItem => {
		const own = rows.slice(next, next + parts.length);
		next += parts.length;
		const first = own[0];
		if (!first) throw new AppError('upstream_failed', 'The translator left out a text.');
		const { detectedLanguage } = first;
		return {
			...(detectedLanguage ? { detected: { ...detectedLanguage, alternatives: [] } } : {}),
			...(first.sourceText
				? { sourceText: own.map((row) => row.sourceText?.text ?? '').join('') }
				: {}),
			translations: targets.map((language, index) =>
				concatenated(
					language,
					own.flatMap((row) => row.translations[index] ?? []),
					request.texts[item] ?? '',
					unguard,
				),
			),
		};
	});
	return {
		items,
		systems: targets.map((_, index) => (/custom/i.test(systems[index] ?? '') ? 'Custom' : 'Team')),
		models: [],
		refused: 0,
		characters: request.texts.reduce((sum, text) => sum + text.length, 0) * targets.length,
	};
}

function concatenated(
	language: string,
	parts: readonly HostedTranslation[],
	source: string,
	unguard: boolean,
): TargetText {
	const text = parts.map((part) => (unguard ? removeGuard(part.text) : part.text)).join('');
	const [only] = parts.length === 1 ? parts : [];
	const exact = only?.sentLen && !unguard ? only.sentLen : undefined;
	return {
		language,
		text,
		...(only?.transliteration ? { transliteration: only.transliteration } : {}),
		...defined({ alignment: only?.alignment?.proj }),
		sourceLengths: exact?.srcSentLen ?? [source.length],
		targetLengths: exact?.transSentLen ?? [text.length],
		alternatives: [],
		models: [],
		refused: [],
	};
}

/** Cuts a text that is too long for one request between sentences. HTML is left whole. */
function cut(text: string, limit: number, request: TranslateRequest): string[] {
	if (text.length <= limit || request.textType === 'html') return [text];
	const parts: string[] = [];
	let part = '';
	for (const [start, end] of splitSentences(text, request.source ?? 'en')) {
		if (part !== '' && part.length + end - start > limit) {
			parts.push(part);
			part = '';
		}
		part += text.slice(start, end);
	}
	return part === '' ? parts : [...parts, part];
}

const open = '<span class="notranslate">';
const close = '</span>';

function guard(text: string, request: TranslateRequest): { text: string; html: boolean } {
	const spans = request.textType === 'plain' ? mergeSpans(protectedSpans(text)) : [];
	// Alignment is not given for HTML, so who asks for it goes without guards.
	if (spans.length === 0 || request.alignment) return { text, html: false };
	let out = '';
	let at = 0;
	for (const [start, end] of spans) {
		out += escapeText(text.slice(at, start)) + open + escapeText(text.slice(start, end)) + close;
		at = end;
	}
	return { text: out + escapeText(text.slice(at)), html: true };
}

const escapeText = (text: string): string =>
	text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function removeGuard(text: string): string {
	const bare = text.replace(/<span class="?notranslate"?>(.*?)<\/span>/gs, '$1');
	return decodeEntities(bare, 0).text;
}
