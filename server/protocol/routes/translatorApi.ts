/**
 * The translate interface, versions 3.0 and its successor, and the LibreTranslate form. Their documented codes
 * depend on the order of the checks, so handlers read parameters and bodies by hand, but by what stands here:
 * mounts, methods, versions, and the values that parameters take.
 */

import * as z from 'zod';
import { genders, tones } from '../tones.ts';
import { qualityParameters } from './qualityParameters.ts';
import { type OwnBody, type Parameter, type Route, route } from './route.ts';

/** The successor of version 3.0. */
export const latestVersion = '2026-06-06';

export const textTypes = ['plain', 'html'] as const;
export const profanityActions = ['NoAction', 'Marked', 'Deleted'] as const;
export const profanityMarkers = ['Asterisk', 'Tag'] as const;
export const translateEngines = ['local', 'team', 'hosted'] as const;
/** Parts of the list of languages. */
export const languageScopes = ['translation', 'transliteration', 'dictionary'] as const;
/** What a text may be in the LibreTranslate form. */
export const libreFormats = ['text', 'html'] as const;
export const maxAlternatives = 10;

/** Mount points of the interface; all but the first are the custom-endpoint form, old and new. */
const translatorBases = [
	'',
	'/translator/text/v3.0',
	'/:endpoint{cognitiveservices[A-Za-z0-9.-]*}/translator/text/v3.0',
	'/translator/text',
	'/:endpoint{cognitiveservices[A-Za-z0-9.-]*}/translator/text',
] as const;

/**
 * The same operations for the user's own programs (command line, editor, studio): they show the
 * daemon's key, so what is demanded of callers from elsewhere does not concern them.
 */
export const privateTranslatorBase = '/nearglot/translator';

const version: Parameter = {
	name: 'api-version',
	required: true,
	values: ['3.0'],
	description: 'Version of the interface.',
};
const eitherVersion: Parameter = { ...version, values: ['3.0', latestVersion] };
const flag = ['true', 'false'];
const from: Parameter = { name: 'from', required: true, description: 'Source language.' };
const to: Parameter = { name: 'to', required: true, description: 'Target language.' };

/** Query parameters of `/translate` in version 3.0. */
const translateQuery: readonly Parameter[] = [
	eitherVersion,
	{
		name: 'to',
		many: true,
		description: 'Target languages, repeated or with commas; version 3.0.',
	},
	{ name: 'from', description: 'Source language; detected when absent.' },
	{ name: 'textType', values: textTypes, description: 'What the texts are.' },
	{ name: 'category', description: 'Custom system, model or chat model (`chat:NAME`).' },
	{ name: 'allowFallback', values: flag, description: 'Whether general systems may stand in.' },
	{ name: 'profanityAction', values: profanityActions, description: 'What becomes of profanity.' },
	{ name: 'profanityMarker', values: profanityMarkers, description: 'How it is marked.' },
	{ name: 'includeAlignment', values: flag, description: 'Which word became which.' },
	{ name: 'includeSentenceLength', values: flag, description: 'Lengths of the sentences.' },
	...qualityParameters,
	{ name: 'suggestedFrom', description: 'Language where detection fails.' },
	{ name: 'fromScript', description: 'Script of the texts.' },
	{ name: 'toScript', many: true, description: 'Scripts to write the translations in as well.' },
	{ name: 'ClientTraceId', description: 'GUID of the caller for its logs.' },
	{ name: 'tone', values: tones, description: 'How the reader is addressed (chat models).' },
	{ name: 'gender', values: genders, description: 'Of the people meant (chat models).' },
	{
		name: 'engine',
		values: translateEngines,
		description: 'Who translates (an addition of Nearglot).',
	},
];

const text = { type: 'string' };
const texts = (more: Readonly<Record<string, object>> = {}): object => ({
	type: 'array',
	items: { type: 'object', required: ['Text'], properties: { Text: text, ...more } },
});
const inputs = {
	type: 'object',
	required: ['inputs'],
	properties: {
		inputs: {
			type: 'array',
			items: {
				type: 'object',
				required: ['text', 'targets'],
				properties: {
					text,
					language: text,
					script: text,
					textType: { enum: ['Plain', 'Html'] },
					targets: {
						type: 'array',
						items: {
							type: 'object',
							required: ['language'],
							properties: {
								language: text,
								script: text,
								deploymentName: text,
								tone: { enum: tones },
								gender: { enum: genders },
								allowFallback: { type: 'boolean' },
								profanityAction: { enum: profanityActions },
								profanityMarker: { enum: profanityMarkers },
							},
						},
					},
				},
			},
		},
	},
};

/** Who may call a mount of the interface, and where the documents list it; the other mounts they only mention. */
type Access = Pick<Route, 'who' | 'also' | 'scope' | 'translatorKeys' | 'section'>;

const word = z.string();
const language = z.looseObject({ name: word, nativeName: word, dir: z.enum(['ltr', 'rtl']) });
const detected = { language: word, score: z.number() };
const scored = {
	...detected,
	isTranslationSupported: z.boolean(),
	isTransliterationSupported: z.boolean(),
};
const written = z.object({ text: word, script: word });

interface Operation {
	readonly name: string;
	readonly method: 'GET' | 'POST';
	readonly summary: string;
	readonly parameters: readonly Parameter[];
	readonly body?: object;
	readonly answer: z.ZodType;
}

const translations = z.array(
	z.looseObject({
		detectedLanguage: z.object(detected).exactOptional(),
		translations: z.array(
			z.looseObject({
				text: word,
				to: word,
				/** How good it probably is, 0…1, when it was asked for. */
				quality: z.number().exactOptional(),
				/** Word links, `0:4-0:3 …`. */
				alignment: z.object({ proj: word }).exactOptional(),
			}),
		),
	}),
);

const detections = z.array(
	z.looseObject({ ...scored, alternatives: z.array(z.looseObject(scored)).exactOptional() }),
);

const languageList = z.looseObject({
	translation: z.record(word, language).exactOptional(),
});

/** Operations in version 3.0, as programs of this product call them below a mount point. */
interface Called<Answer extends z.ZodType> extends Route {
	readonly answer: Answer;
}
interface WithTexts<Answer extends z.ZodType> extends Called<Answer> {
	readonly body: OwnBody & { readonly kind: 'json-by-hand' };
}
export type Translate = WithTexts<typeof translations>;
export type Detect = WithTexts<typeof detections>;
export type Languages = Called<typeof languageList>;

const operations = [
	{
		name: 'translate',
		method: 'POST',
		summary:
			'translates texts into one or several languages; `{"inputs":[…]}` in the newer version',
		parameters: translateQuery,
		body: { oneOf: [texts({ Comment: text }), inputs] },
		answer: z.union([
			translations,
			z.object({ value: z.array(z.looseObject({ translations: z.array(z.looseObject({})) })) }),
		]),
	},
	{
		name: 'languages',
		method: 'GET',
		summary: 'what can be translated, transliterated and looked up; `Accept-Language`, ETag',
		parameters: [
			eitherVersion,
			{
				name: 'scope',
				many: true,
				values: languageScopes,
				description: 'Parts of the list; all when absent.',
			},
		],
		answer: languageList,
	},
	{
		name: 'detect',
		method: 'POST',
		summary: 'tells the language of texts',
		parameters: [version],
		body: texts(),
		answer: detections,
	},
	{
		name: 'breaksentence',
		method: 'POST',
		summary: 'lengths of the sentences of texts',
		parameters: [
			version,
			{ name: 'language', description: 'Language of the texts; detected when absent.' },
			{ name: 'script', description: 'Script of the texts.' },
		],
		body: texts(),
		answer: z.array(z.looseObject({ sentLen: z.array(z.number()) })),
	},
	{
		name: 'transliterate',
		method: 'POST',
		summary: 'writes texts in another script',
		parameters: [
			eitherVersion,
			{ name: 'language', required: true, description: 'Language of the texts.' },
			{ name: 'fromScript', required: true, description: 'Script they are in.' },
			{ name: 'toScript', required: true, description: 'Script to write them in.' },
		],
		body: texts(),
		answer: z.union([z.array(written), z.object({ value: z.array(written) })]),
	},
	{
		name: 'dictionary/lookup',
		method: 'POST',
		summary: 'terms of the own glossaries',
		parameters: [version, from, to],
		body: texts(),
		answer: z.array(
			z.looseObject({
				normalizedSource: word,
				displaySource: word,
				translations: z.array(z.looseObject({ normalizedTarget: word, displayTarget: word })),
			}),
		),
	},
	{
		name: 'dictionary/examples',
		method: 'POST',
		summary: 'examples of terms of the own glossaries',
		parameters: [version, from, to],
		body: texts({ Translation: text }),
		answer: z.array(
			z.looseObject({
				normalizedSource: word,
				normalizedTarget: word,
				examples: z.array(z.looseObject({})),
			}),
		),
	},
] as const satisfies readonly Operation[];

/** Name of an operation, and its path below each mount point. */
export type TranslatorOperation = (typeof operations)[number]['name'];

/** An operation below a mount point. */
interface Mount {
	readonly operation: TranslatorOperation;
	readonly route: Route & { readonly shown: readonly ('GET' | 'POST')[] };
	/** Values of `api-version`. */
	readonly versions: readonly string[];
}

function mounted(base: string, access: Access): Mount[] {
	return operations.map((operation: (typeof operations)[number] & Operation) => {
		const { name, method, body, ...rest } = operation;
		return {
			operation: name,
			versions: rest.parameters.find((each) => each.name === version.name)?.values ?? [],
			route: route({
				...rest,
				...access,
				method: 'ALL',
				path: `${base}/${name}`,
				shown: [method],
				...(body === undefined
					? {}
					: { body: { kind: 'json-by-hand' as const, schema: { ...body } } }),
			}),
		};
	});
}

const forKeys = { scope: 'translate', translatorKeys: true } as const;
/** It has keys of its own, and refuses who shows none where one is wanted. */
const open = { who: 'member', also: ['stranger'], ...forKeys } as const satisfies Access;

const custom = '/:endpoint{cognitiveservices[A-Za-z0-9.-]*}';
export const issueTokenRoutes = ['', custom].map((base) =>
	route({
		method: 'ALL',
		path: `${base}/sts/v1.0/issueToken`,
		...open,
		shown: ['POST'],
		summary: 'a ten-minute token for a key',
		answers: ['text/plain'],
		...(base === '' ? { section: 'translation' } : {}),
	}),
);

const libre = { ...open, section: 'translation' } as const satisfies Partial<Route>;
const libreBody = (properties: Record<string, object>, required: string[]) =>
	({ kind: 'json-by-hand', schema: { type: 'object', properties, required } }) as const;
const q = { anyOf: [text, { type: 'array', items: text }] };
const confidence = z.object({ confidence: z.number(), language: word });

export const libreTranslate = route({
	...libre,
	method: 'POST',
	path: '/libretranslate/translate',
	summary: 'the LibreTranslate form, as JSON or form fields',
	body: libreBody(
		{
			q,
			source: text,
			target: text,
			format: { enum: libreFormats },
			alternatives: { type: 'integer', minimum: 0, maximum: maxAlternatives },
			api_key: text,
		},
		['q', 'source', 'target'],
	),
	answer: z.object({
		translatedText: z.union([word, z.array(word)]),
		detectedLanguage: z.union([confidence, z.array(confidence)]).exactOptional(),
		alternatives: z.union([z.array(word), z.array(z.array(word))]).exactOptional(),
	}),
});
export const libreDetect = route({
	...libre,
	method: 'POST',
	path: '/libretranslate/detect',
	summary: 'language of a text, in the LibreTranslate form',
	body: libreBody({ q, api_key: text }, ['q']),
	answer: z.array(confidence),
});
export const libreLanguages = route({
	...libre,
	method: 'GET',
	path: '/libretranslate/languages',
	summary: 'languages, in the LibreTranslate form',
	answer: z.array(z.object({ code: word, name: word, targets: z.array(word) })),
});

/** The list of languages is read by the studio page, too. */
const withStudio = (name: TranslatorOperation, mounts: readonly Mount[]): Mount[] =>
	mounts.map((each) =>
		each.operation === name
			? { ...each, route: { ...each.route, also: [...(each.route.also ?? []), 'studio'] } }
			: each,
	);

export const translatorMounts: readonly Mount[] = [
	...withStudio('languages', mounted(translatorBases[0], { ...open, section: 'translation' })),
	...translatorBases.slice(1).flatMap((base) => mounted(base, open)),
	...withStudio('translate', mounted(privateTranslatorBase, {})),
];

export const translatorRoutes: readonly Route[] = [
	...translatorMounts.map(({ route: each }) => each),
	...issueTokenRoutes,
	libreTranslate,
	libreDetect,
	libreLanguages,
];

/** How callers may prove who they are, beside the server's own key. */
export const translatorSecurity = {
	subscriptionKey: { type: 'apiKey', in: 'header', name: 'Ocp-Apim-Subscription-Key' },
} as const;
