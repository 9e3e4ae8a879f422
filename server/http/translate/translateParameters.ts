/** Query and body of `/translate` → a request, refused in the documented order of checks. */

import { defined } from '../../protocol/defined.ts';
import type { TranslateEngine } from '../../protocol/index.ts';
import {
	profanityActions,
	profanityMarkers,
	textTypes,
	translateEngines,
} from '../../protocol/routes/translatorApi.ts';
import { genders, tones } from '../../protocol/tones.ts';
import { priorityOf } from '../../services/translate/translateAdmission.ts';
import type {
	TranslateRequest,
	TranslateTarget,
} from '../../services/translate/translateRequest.ts';
import { categoryName } from '../../services/translate/translateSystems.ts';
import { canonicalLanguage, scriptOf, unknownLanguage } from '../../translate/languageCodes.ts';
import { usesDictionary } from '../../translate/plainBlock.ts';
import { transliterationBetween } from '../../translate/transliterate.ts';
import { translatorError } from './translateErrors.ts';
import { alwaysArray, type Limits, queryParam, readItems, textsOf } from './translateInput.ts';

/** What `/translate` was asked, with the switches that only shape the answer. */
export interface TranslateCall {
	readonly request: TranslateRequest;
	readonly includeSentenceLength: boolean;
	readonly includeAlignment: boolean;
	readonly includeQuality: boolean;
}

/**
 * @param query Parameters of the URL; names are case-insensitive.
 * @param body Parsed JSON.
 * @param owner Whose texts they are.
 */
export function readTranslateCall(
	query: URLSearchParams,
	body: unknown,
	limits: Limits,
	owner: string | undefined,
): TranslateCall {
	const items = readItems(body, limits.translate);
	const texts = textsOf(items);
	const comments = commentsOf(items);

	const written = alwaysArray(query, 'to');
	if (written.length === 0) throw translatorError(400036, 'Give at least one: to=de');
	const languages = written.map((to) => canonicalLanguage(to));
	const wrong = languages.indexOf(undefined);
	if (wrong >= 0) throw translatorError(400036, unknownLanguage(written[wrong] ?? ''));

	const source = language(query, 'from', 400035);
	const suggestedSource = language(query, 'suggestedFrom', 400035);
	const textType = option(query, 'textType', textTypes, 'plain', 400071);
	const profanityAction = option(query, 'profanityAction', profanityActions, 'NoAction', 400042);
	const profanityMarker = option(query, 'profanityMarker', profanityMarkers, 'Asterisk', 400042);
	const includeAlignment = flag(query, 'includeAlignment', false);
	const includeSentenceLength = flag(query, 'includeSentenceLength', false);
	const allowFallback = flag(query, 'allowFallback', true);

	// Not part of the documented interface: who translates, for this request, and what becomes of doubtful words.
	const engine = namedEngine(query);
	const includeQuality = flag(query, 'includeQuality', false);
	const minQuality = share(query, 'minQuality');

	const tone = namedOption(query, 'tone', tones);
	const gender = namedOption(query, 'gender', genders);
	const named = queryParam(query, 'category');
	const category = named === undefined ? undefined : categoryName(named);
	if (named !== undefined && category === undefined) throw translatorError(400002);

	const fromScript = script(query, 'fromScript', 400018);
	if (fromScript !== undefined && source !== undefined && fromScript !== scriptOf(source)) {
		if (!transliterationBetween(source, fromScript, scriptOf(source)))
			throw translatorError(400006, `'${source}' cannot be read in script '${fromScript}'.`);
	}
	if (fromScript !== undefined && source === undefined)
		throw translatorError(400035, 'fromScript needs from.');
	const targets = distinct(
		readTargets(
			query,
			languages.flatMap((code) => (code === undefined ? [] : [code])),
		),
	);
	if (source === undefined && texts.some((text) => usesDictionary(text)))
		throw translatorError(400035, 'Texts with a dictionary element need from.');

	// Each text of each target is an answer, though it may be empty.
	const length = texts.reduce((sum, text) => sum + Math.max(1, text.length), 0);
	if (texts.some((text) => text.length > limits.translate.element)) throw translatorError(400050);
	if (length * targets.length > limits.translate.request)
		throw translatorError(
			400077,
			`${length} characters × ${targets.length} targets are more than ${limits.translate.request}.`,
		);

	return {
		includeAlignment,
		includeSentenceLength,
		includeQuality,
		request: {
			owner,
			texts,
			targets,
			textType,
			profanityAction,
			profanityMarker,
			allowFallback,
			alignment: includeAlignment,
			priority: priorityOf(length * targets.length),
			...defined({ source, suggestedSource, sourceScript: fromScript, category, engine }),
			...defined({ tone, gender, comments, minQuality }),
		},
	};
}

/** A target that is named twice is answered once. */
function distinct(targets: readonly TranslateTarget[]): TranslateTarget[] {
	return [
		...new Map(targets.map((target) => [`${target.language} ${target.script}`, target])).values(),
	];
}

function readTargets(query: URLSearchParams, languages: readonly string[]): TranslateTarget[] {
	const scripts = alwaysArray(query, 'toScript');
	if (scripts.length === 0) return languages.map((code) => ({ language: code }));
	// One script may stand for all targets; otherwise they go in pairs.
	if (scripts.length !== 1 && scripts.length !== languages.length) throw translatorError(400070);
	return languages.map((code, index) => {
		const written = scripts[scripts.length === 1 ? 0 : index] ?? '';
		const wanted = canonicalScript(written);
		if (wanted === undefined)
			throw translatorError(400004, `'${written.slice(0, 30)}' is no script.`);
		if (wanted === scriptOf(code)) return { language: code };
		if (!transliterationBetween(code, scriptOf(code), wanted))
			throw translatorError(400080, `'${code}' cannot be written in '${wanted}' here.`);
		return { language: code, script: wanted };
	});
}

const scriptNames = new Intl.DisplayNames(['en'], { type: 'script', fallback: 'none' });

/** `latn` → `Latn`; `undefined` for what is no script code. */
export function canonicalScript(written: string): string | undefined {
	if (!/^[A-Za-z]{4}$/.test(written)) return undefined;
	const code = (written[0] ?? '').toUpperCase() + written.slice(1).toLowerCase();
	// Codes for "unknown", "unwritten", "common" and "inherited" name no script.
	if (/^Z(?:zzz|xxx|yyy|inh)$/.test(code)) return undefined;
	return scriptNames.of(code) === undefined ? undefined : code;
}

function script(query: URLSearchParams, name: string, code: number): string | undefined {
	const written = queryParam(query, name);
	if (written === undefined) return undefined;
	const known = canonicalScript(written);
	if (known === undefined) throw translatorError(code, `'${written.slice(0, 30)}' is no script.`);
	return known;
}

function language(query: URLSearchParams, name: string, code: number): string | undefined {
	const written = queryParam(query, name);
	// SDKs send an empty value for "detect".
	if (written === undefined || written === '') return undefined;
	const known = canonicalLanguage(written);
	if (known === undefined) throw translatorError(code, unknownLanguage(written));
	return known;
}

/** What the authors of texts say of them, where one of them does. */
function commentsOf(
	items: readonly Readonly<Record<string, unknown>>[],
): readonly (string | undefined)[] | undefined {
	const comments = items.map(({ comment }) => (typeof comment === 'string' ? comment : undefined));
	return comments.some((comment) => comment !== undefined) ? comments : undefined;
}

function namedOption<T extends string>(
	query: URLSearchParams,
	name: string,
	values: readonly [T, ...T[]],
): T | undefined {
	return queryParam(query, name) === undefined
		? undefined
		: option(query, name, values, values[0], 400042);
}

/** Who is to translate, where the query says so. */
export function namedEngine(query: URLSearchParams): TranslateEngine | undefined {
	if (queryParam(query, 'engine') === undefined) return undefined;
	return option(query, 'engine', translateEngines, 'local', 400042);
}

function option<T extends string>(
	query: URLSearchParams,
	name: string,
	values: readonly T[],
	fallback: T,
	code: number,
): T {
	const written = queryParam(query, name);
	if (written === undefined) return fallback;
	const found = values.find((value) => value.toLowerCase() === written.toLowerCase());
	if (found === undefined) throw translatorError(code, `${name} takes ${values.join(', ')}.`);
	return found;
}

function share(query: URLSearchParams, name: string): number | undefined {
	const written = queryParam(query, name);
	if (written === undefined) return undefined;
	const value = written.trim() === '' ? Number.NaN : Number(written);
	if (value >= 0 && value <= 1) return value;
	throw translatorError(400042, `${name} takes a number from 0 to 1.`);
}

function flag(query: URLSearchParams, name: string, fallback: boolean): boolean {
	const written = queryParam(query, name)?.toLowerCase();
	if (written === undefined) return fallback;
	if (written === 'true' || written === 'false') return written === 'true';
	throw translatorError(400042, `${name} takes true or false.`);
}
