/**
 * The successor of version 3.0, `api-version=2026-06-06`: `{inputs:[{text,language,targets:[…]}]}` in,
 * `{value:[…]}` out, with options per target. What only a chat model can do (tone, gender, reference pairs)
 * is refused where the chosen system is none, not ignored.
 */

import { defined } from '../../protocol/defined.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import {
	profanityActions,
	profanityMarkers,
	textTypes,
} from '../../protocol/routes/translatorApi.ts';
import { genders, tones } from '../../protocol/tones.ts';
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
import { yieldToOthers } from '../../work/yieldToOthers.ts';
import { requestedPriority } from '../priority.ts';
import type { TextCall } from './textCall.ts';
import { readBodyJson } from './translateBody.ts';
import { modelsPaid } from './translateCharge.ts';
import { translatorError } from './translateErrors.ts';
import { type Limits, readItems } from './translateInput.ts';
import { canonicalScript } from './translateParameters.ts';
import { modelsHeader, refusedHeader, translatorJson } from './translateReply.ts';

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

/** What only a chat model can do; whether the chosen system is one is seen when it is chosen. */
function modelOptions(target: Fields) {
	if (target['adaptivedatasetid'] != null)
		throw translatorError(
			400042,
			'Data sets for adaptive translation are not kept here; register a memory with: nearglot systems add.',
		);
	return defined({
		tone: chosen(target['tone'], 'tone', tones, 400042),
		gender: chosen(target['gender'], 'gender', genders, 400042),
		examples: examplesOf(target['referencetextpairs']),
	});
}

/** Most pairs of reference texts, and UTF-16 units of one text. */
const maxPairs = { count: 5, length: 1000 };

function examplesOf(given: unknown): TranslateRequest['examples'] {
	if (given == null) return undefined;
	const fault = () =>
		translatorError(
			400042,
			`referenceTextPairs takes up to ${maxPairs.count} of {"source":"…","target":"…"}.`,
		);
	if (!Array.isArray(given) || given.length > maxPairs.count) throw fault();
	const pairs = given.map((pair: unknown) => {
		const { source, target } = lowered(pair, 400042);
		if (typeof source !== 'string' || typeof target !== 'string') throw fault();
		if (Math.max(source.length, target.length) > maxPairs.length) throw fault();
		return { source, target };
	});
	return pairs.length > 0 ? pairs : undefined;
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
		...modelOptions(target),
		...defined({ category }),
	};
}

/** @throws TranslatorError. Others have their turn between the targets: there may be thousands. */
async function readInput(item: Fields, owner: string | undefined): Promise<Input> {
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
	const requests: TranslateRequest[] = [];
	for (const target of targets) {
		await yieldToOthers();
		requests.push(readTarget(target, base));
	}
	return { text, requests };
}

/** Targets that are begun at once; all of them would hold up others. */
const atOnce = 200;

/** Equal for requests that the same models answer, or none. */
const systemKeyOf = ({ source, targets, category, tone, gender, examples }: TranslateRequest) =>
	JSON.stringify([source, targets[0]?.language, category, tone, gender, examples?.length]);

export async function translateInputsReply(
	{ context, requestId, signal, owner, charge }: TextCall,
	translation: TranslateService,
	limits: Limits,
): Promise<Response> {
	const items = readItems(inputsOf(await readBodyJson(context, signal)), limits.translate);
	const inputs: Input[] = [];
	for (const item of items) inputs.push(await readInput(item, owner));
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
	const priority = requestedPriority(context, priorityOf(charged));
	using turn = await translation.enter({ characters: charged, priority }, signal);
	const bill = await charge(charged);
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
	bill.model = modelsPaid(done);
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
		...refusedHeader(done),
	});
}
