/**
 * The successor of version 3.0, `api-version=2026-06-06`: `{inputs:[{text,language,targets:[…]}]}` in,
 * `{value:[…]}` out, with options per target. What only a large language model could do (tone, gender,
 * adaptive pairs) is refused, not ignored.
 */

import { defined } from '../../protocol/defined.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import {
	profanityActions,
	profanityMarkers,
	textTypes,
} from '../../protocol/routes/translatorApi.ts';
import { priorityOf } from '../../services/translate/translateAdmission.ts';
import type {
	TranslateOutcome,
	TranslateRequest,
} from '../../services/translate/translateRequest.ts';
import type { TranslateService } from '../../services/translate/translateService.ts';
import { categoryName } from '../../services/translate/translateSystems.ts';
import { canonicalLanguage, scriptOf, unknownLanguage } from '../../translate/languageCodes.ts';
import { usesDictionary } from '../../translate/plainBlock.ts';
import { transliterationBetween } from '../../translate/transliterate.ts';
import type { TextCall } from './textCall.ts';
import { readBodyJson } from './translateBody.ts';
import { translatorError } from './translateErrors.ts';
import { type Limits, readItems } from './translateInput.ts';
import { canonicalScript } from './translateParameters.ts';
import { modelsHeader, translatorJson } from './translateReply.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The `inputs` of a body, as the array bodies of 3.0 are. */
export function inputsOf(body: unknown): unknown {
	const inputs = typeof body === 'object' && body !== null ? (body as Fields)['inputs'] : undefined;
	if (!Array.isArray(inputs))
		throw translatorError(400000, 'The body is {"inputs":[{"text":"…"}]}.');
	return inputs;
}

/** One text with one request per target. */
interface Input {
	readonly text: string;
	readonly requests: readonly TranslateRequest[];
}

function chosen<T extends string>(
	value: unknown,
	name: string,
	values: readonly T[],
	code: number,
): T | undefined {
	if (value === undefined || value === null) return undefined;
	const found = values.find((one) => one.toLowerCase() === String(value).toLowerCase());
	if (found === undefined) throw translatorError(code, `${name} takes ${values.join(', ')}.`);
	return found;
}

function languageOf(value: unknown, code: number): string {
	const known = typeof value === 'string' ? canonicalLanguage(value) : undefined;
	if (known === undefined) throw translatorError(code, unknownLanguage(String(value)));
	return known;
}

function scriptIn(value: unknown, code: number): string | undefined {
	if (value === undefined || value === null) return undefined;
	const known = typeof value === 'string' ? canonicalScript(value) : undefined;
	if (known === undefined)
		throw translatorError(code, `'${String(value).slice(0, 30)}' is no script.`);
	return known;
}

/** Options that ask for a large language model. */
function refuseModelOptions(target: Fields): void {
	for (const name of ['tone', 'gender'] as const) {
		const value = target[name];
		if (value !== undefined && value !== null && value !== 'neutral')
			throw translatorError(
				400042,
				`${name} '${String(value).slice(0, 20)}' is not available here.`,
			);
	}
	const pairs = target['referencetextpairs'];
	if (target['adaptivedatasetid'] != null || (Array.isArray(pairs) && pairs.length > 0))
		throw translatorError(
			400042,
			'Adaptive translation is not available here; register a memory with: nearglot systems add.',
		);
}

const lowered = (value: unknown, code: number): Fields => {
	if (!isRecord(value)) throw translatorError(code);
	return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toLowerCase(), one]));
};

function readTarget(
	given: unknown,
	base: Omit<TranslateRequest, 'targets' | 'profanityAction' | 'profanityMarker' | 'allowFallback'>,
): TranslateRequest {
	const target = lowered(given, 400036);
	const language = languageOf(target['language'], 400036);
	const script = scriptIn(target['script'], 400004);
	const own = scriptOf(language);
	if (script !== undefined && script !== own && !transliterationBetween(language, own, script))
		throw translatorError(400080, `'${language}' cannot be written in '${script}' here.`);
	refuseModelOptions(target);
	const named = target['deploymentname'];
	const category = named == null ? undefined : categoryName(String(named));
	if (named != null && category === undefined)
		throw translatorError(400002, 'deploymentName is the name of a custom system or of a model.');
	const fallback = target['allowfallback'];
	if (fallback != null && typeof fallback !== 'boolean')
		throw translatorError(400042, 'allowFallback takes true or false.');
	return {
		...base,
		targets: [script === undefined || script === own ? { language } : { language, script }],
		profanityAction:
			chosen(target['profanityaction'], 'profanityAction', profanityActions, 400042) ?? 'NoAction',
		profanityMarker:
			chosen(target['profanitymarker'], 'profanityMarker', profanityMarkers, 400042) ?? 'Asterisk',
		allowFallback: fallback !== false,
		...defined({ category }),
	};
}

function readInput(item: Fields, owner: string | undefined): Input {
	const { text, language, script, texttype, targets } = item;
	if (typeof text !== 'string') throw translatorError(400005);
	if (!Array.isArray(targets) || targets.length === 0)
		throw translatorError(400036, 'Give at least one: "targets":[{"language":"de"}].');
	const source = language == null || language === '' ? undefined : languageOf(language, 400035);
	const sourceScript = scriptIn(script, 400018);
	if (sourceScript !== undefined) {
		if (source === undefined) throw translatorError(400035, 'script needs language.');
		const own = scriptOf(source);
		if (sourceScript !== own && !transliterationBetween(source, sourceScript, own))
			throw translatorError(400006, `'${source}' cannot be read in script '${sourceScript}'.`);
	}
	if (source === undefined && usesDictionary(text))
		throw translatorError(400035, 'Texts with a dictionary element need language.');
	const base = {
		owner,
		texts: [text],
		textType: chosen(texttype, 'textType', textTypes, 400071) ?? 'plain',
		alignment: false,
		priority: 'interactive',
		...defined({ source, sourceScript }),
	} as const;
	return { text, requests: targets.map((target) => readTarget(target, base)) };
}

/** Targets that are begun at once; all of them would hold up others. */
const atOnce = 200;

/** Equal for requests that the same models answer, or none. */
const systemKeyOf = ({ source, targets, category }: TranslateRequest): string =>
	JSON.stringify([source, targets[0]?.language, category]);

export async function translateInputsReply(
	{ context, requestId, signal, owner, charge }: TextCall,
	translation: TranslateService,
	limits: Limits,
): Promise<Response> {
	const items = readItems(inputsOf(await readBodyJson(context, signal)), limits.translate);
	const inputs = items.map((item) => readInput(item, owner));
	if (inputs.some(({ text }) => text.length > limits.translate.element))
		throw translatorError(400050);
	const charged = inputs.reduce(
		(sum, { text, requests }) => sum + text.length * requests.length,
		0,
	);
	if (charged > limits.translate.request)
		throw translatorError(
			400077,
			`${charged} characters are more than ${limits.translate.request}.`,
		);
	const ways = new Map(
		inputs.flatMap(({ requests }) => requests.map((request) => [systemKeyOf(request), request])),
	);
	const run = translation.newRun();
	for (const request of ways.values()) await run.check(request);
	const priority = priorityOf(charged);
	using turn = await translation.enter({ characters: charged, priority }, signal);
	charge(charged);
	const requests = inputs.flatMap((input) =>
		input.requests.map((request) => ({ ...request, priority, turn }) as const),
	);
	const done: TranslateOutcome[] = [];
	for (let at = 0; at < requests.length; at += atOnce)
		done.push(
			...(await Promise.all(
				requests.slice(at, at + atOnce).map((request) => run.translate(request, signal)),
			)),
		);
	let next = 0;
	const value = inputs.map((input) => {
		const results = done.slice(next, next + input.requests.length);
		next += input.requests.length;
		const detected = results[0]?.items[0]?.detected;
		return {
			...(detected
				? { detectedLanguage: { language: detected.language, score: detected.score } }
				: {}),
			translations: results.flatMap((result) =>
				(result.items[0]?.translations ?? []).map((done) => ({
					text: done.transliteration?.text ?? done.text,
					language: done.language,
					sourceCharacters: input.text.length,
				})),
			),
		};
	});
	return await translatorJson({ value }, requestId, {
		'x-metered-usage': String(charged),
		sourcecharacterscharged: String(charged),
		'x-mt-system': [...new Set(done.flatMap(({ systems }) => systems))].join(','),
		...modelsHeader(done),
	});
}
