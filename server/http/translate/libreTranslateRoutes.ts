/**
 * The LibreTranslate form for tools that speak it, below `/libretranslate`: translate, detect,
 * languages. Errors are `{"error":"…"}`, as those tools expect.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import { defined } from '../../protocol/defined.ts';
import { isRecord } from '../../protocol/errorBody.ts';
import { AppError, asAppError } from '../../protocol/index.ts';
import { formBody, textsBody } from '../../protocol/routes/bodyLimits.ts';
import {
	libreDetect,
	libreFormats,
	libreLanguages,
	libreTranslate,
	maxAlternatives,
} from '../../protocol/routes/translatorApi.ts';
import type { Bill } from '../../services/limits/account.ts';
import { priorityOf } from '../../services/translate/translateAdmission.ts';
import { canonicalLanguage, languageName } from '../../translate/languageCodes.ts';
import type { AppEnv } from '../env.ts';
import { answerJson } from '../jsonAnswer.ts';
import { translatorOwnerOf } from '../owner.ts';
import { requestedPriority } from '../priority.ts';
import { register } from '../register.ts';
import { readForm, readJson } from '../requestBody.ts';
import { isDirect, readCredentials } from './translateAuth.ts';
import { modelsPaid, rateDetail, rateOptions, TranslateCharges } from './translateCharge.ts';
import { translatorErrorOf } from './translateErrors.ts';
import { announcedWork, limitsFrom } from './translateInput.ts';

const fieldNames = Object.keys(libreTranslate.body.schema.properties);

class LibreError extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

type Fields = Readonly<Record<string, unknown>>;

export function registerLibreTranslateRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { translation, translatorAccess } = backend;
	const limit = limitsFrom(backend.settings.env['NEARGLOT_TRANSLATE_LIMITS']).translate;

	/** The fields of a body. Who shows no key but there may send a little only. */
	const readFields = async (context: Context<AppEnv>): Promise<Fields> => {
		if (!context.get('admitted')) {
			const admits = translatorAccess.authenticate(readCredentials(context)).then(
				() => true,
				() => false,
			);
			context.set('admitted', await admits);
		}
		const type = context.req.header('content-type') ?? '';
		if (/^application\/x-www-form-urlencoded/i.test(type))
			return readForm(context, fieldNames, formBody);
		const value = await readJson(context, textsBody).catch((error: unknown) => {
			throw asAppError(error).code === 'invalid_json' ? notJson() : error;
		});
		if (!isRecord(value)) throw notJson();
		return value as Fields;
	};

	/** Whose texts they are, and what takes their characters from the caller's share. */
	const authorize = async (
		context: Context<AppEnv>,
		fields: Fields,
	): Promise<{
		owner: string | undefined;
		charges: TranslateCharges;
		charge: (characters: number) => Promise<Bill>;
	}> => {
		const key = fields['api_key'];
		const shown = readCredentials(context);
		const credentials =
			typeof key === 'string' && key !== ''
				? {
						...shown,
						key,
						isOwner:
							shown.isOwner || (isDirect(context.get('caller')) && context.get('ownKey')(key)),
					}
				: shown;
		const caller = await translatorAccess.authenticate(credentials);
		const charges = new TranslateCharges(context, backend, caller);
		const charge = (characters: number) =>
			charges.take(characters, (verdict) =>
				verdict.kind === 'quota'
					? new LibreError(403, 'The quota of this key is used up.')
					: new AppError('rate_limited', `Slowdown: ${rateDetail(verdict)}`, rateOptions(verdict)),
			);
		return { owner: translatorOwnerOf(context, caller), charges, charge };
	};

	const guarded =
		(handler: (context: Context<AppEnv>) => Promise<Response>) =>
		async ({ context }: { readonly context: Context<AppEnv> }) => {
			try {
				return await handler(context);
			} catch (error) {
				context.set('failure', error);
				return libreFailure(error);
			}
		};

	register(
		app,
		libreTranslate,
		guarded(async (context) => {
			translation.checkRoom(announcedWork(context));
			const fields = await readFields(context);
			const texts = readQuery(fields);
			const source = text(fields, 'source');
			const target = text(fields, 'target');
			if (source === undefined) throw missing('source');
			if (target === undefined) throw missing('target');
			const format = text(fields, 'format') ?? 'text';
			if (!libreFormats.some((known) => known === format))
				throw new LibreError(400, `${format} format is not supported`);
			const alternatives = readAlternatives(fields['alternatives']);
			const from = source === 'auto' ? undefined : known(source);
			const to = known(target);
			const characters = texts.reduce((sum, { length }) => sum + length, 0);
			if (texts.length > limit.elements)
				throw new LibreError(
					400,
					`Invalid request: request (${texts.length}) exceeds batch limit (${limit.elements})`,
				);
			if (characters > limit.request)
				throw new LibreError(
					400,
					`Invalid request: request (${characters}) exceeds text limit (${limit.request})`,
				);
			const { owner, charges, charge } = await authorize(context, fields);
			const priority = requestedPriority(context, priorityOf(characters));
			using turn = await translation.enter({ characters, priority }, context.get('signal'));
			const result = await charges.during(async () => {
				const bill = await charge(characters);
				const done = await translation.translate(
					{
						owner,
						texts,
						targets: [{ language: to }],
						textType: format === 'html' ? 'html' : 'plain',
						allowFallback: true,
						profanityAction: 'NoAction',
						profanityMarker: 'Asterisk',
						alignment: false,
						...{ priority, turn },
						...defined({ source: from }),
						...(alternatives > 0 ? { alternatives } : {}),
					},
					context.get('signal'),
				);
				bill.model = modelsPaid([done]);
				return done;
			});
			const many = Array.isArray(fields['q']);
			const pick = <T>(values: readonly T[]): T | readonly T[] | undefined =>
				many ? values : values[0];
			const translated = result.items.map(({ translations }) => translations[0]?.text ?? '');
			const detected = result.items.flatMap(({ detected: found }) =>
				found
					? [{ confidence: Math.round(found.score * 100), language: short(found.language) }]
					: [],
			);
			const others = result.items.map(({ translations }) =>
				(translations[0]?.alternatives ?? []).slice(0, alternatives),
			);
			return await answerJson(context, {
				translatedText: pick(translated),
				...(from === undefined ? { detectedLanguage: pick(detected) } : {}),
				...(alternatives > 0 ? { alternatives: pick(others) } : {}),
			});
		}),
	);

	register(
		app,
		libreDetect,
		guarded(async (context) => {
			const fields = await readFields(context);
			const [query = ''] = readQuery(fields);
			const { charges, charge } = await authorize(context, fields);
			await charges.during(() => charge(query.length));
			const { language, score, alternatives } = await translation.language.detect(query);
			const rows = [{ language, score }, ...alternatives];
			return answerJson(
				context,
				rows.map((row) => ({
					confidence: Math.round(row.score * 100),
					language: short(row.language),
				})),
			);
		}),
	);

	register(
		app,
		libreLanguages,
		guarded(async (context) => {
			const models = await translation.models.installed();
			const sources = new Map<string, Set<string>>();
			for (const { languages } of models)
				for (const from of languages.sources.keys())
					for (const to of languages.targets.keys())
						if (from !== to) sources.set(from, (sources.get(from) ?? new Set()).add(short(to)));
			return answerJson(
				context,
				[...sources].map(([code, targets]) => ({
					code: short(code),
					name: languageName(code, 'en'),
					targets: [...targets].sort(),
				})),
			);
		}),
	);
}

const notJson = (): LibreError => new LibreError(400, 'Invalid JSON format');
const missing = (name: string): LibreError =>
	new LibreError(400, `Invalid request: missing ${name} parameter`);

function readQuery(fields: Fields): string[] {
	const query = fields['q'];
	if (typeof query === 'string' && query !== '') return [query];
	if (!Array.isArray(query) || query.length === 0) throw missing('q');
	return query.map((entry) => {
		if (typeof entry !== 'string') throw new LibreError(400, 'Invalid request: q must hold texts');
		return entry;
	});
}

function text(fields: Fields, name: string): string | undefined {
	const value = fields[name];
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function readAlternatives(value: unknown): number {
	if (value === undefined || value === '') return 0;
	const number = Number(value);
	if (!Number.isInteger(number))
		throw new LibreError(400, 'Invalid request: alternatives parameter is not a number');
	if (number < 0 || number > maxAlternatives)
		throw new LibreError(
			400,
			`Invalid request: alternatives parameter must be from 0 to ${maxAlternatives}`,
		);
	return number;
}

function known(code: string): string {
	const language = canonicalLanguage(code);
	if (language === undefined) throw new LibreError(400, `${code} is not supported`);
	return language;
}

/** These tools know `zh` and `zt`. */
function short(language: string): string {
	return { 'zh-Hans': 'zh', 'zh-Hant': 'zt' }[language] ?? language;
}

/** An error as LibreTranslate's clients read it. */
export function libreFailure(error: unknown): Response {
	if (error instanceof LibreError)
		return Response.json({ error: error.message }, { status: error.status });
	const { code, message, retry } = translatorErrorOf(error);
	const status = Math.floor(code / 1000);
	const known = asAppError(error).kind.httpStatus;
	return Response.json(
		{ error: message },
		{
			// What cannot be translated here is a fault of the request to these tools.
			status: status === 408 ? 400 : status === 499 ? 499 : Math.max(400, known),
			headers: retry,
		},
	);
}
