/**
 * The translate interface, version 3.0, on local models: `/translate`, `/detect`, `/breaksentence`,
 * `/transliterate`, `/dictionary/*`, `/languages` and `/sts/v1.0/issueToken`, also below the
 * custom-endpoint path. Errors have the interface's own shape and codes.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import {
	issueTokenRoutes,
	latestVersion,
	privateTranslatorBase,
	type TranslatorOperation,
	translatorMounts,
} from '../../protocol/routes/translatorApi.ts';
import type { TranslateCaller } from '../../services/translate/translateAccess.ts';
import { charactersOf } from '../../services/translate/translateAdmission.ts';
import type { TranslateOutcome } from '../../services/translate/translateRequest.ts';
import type { AppEnv } from '../env.ts';
import { translatorOwnerOf } from '../owner.ts';
import { requestedPriority } from '../priority.ts';
import { register } from '../register.ts';
import type { TextCall } from './textCall.ts';
import { readCredentials } from './translateAuth.ts';
import { readBodyJson } from './translateBody.ts';
import { modelsPaid, rateDetail, rateOptions, TranslateCharges } from './translateCharge.ts';
import { dictionaryExamplesReply, dictionaryLookupReply } from './translateDictionary.ts';
import { translatorError, translatorErrorOf } from './translateErrors.ts';
import { announcedWork, limitsFrom, queryParam } from './translateInput.ts';
import { translateInputsReply } from './translateInputs.ts';
import { languagesReply } from './translateLanguages.ts';
import { namedEngine, readTranslateCall, type TranslateCall } from './translateParameters.ts';
import {
	modelsHeader,
	qualityHeader,
	type RequestKind,
	refusedHeader,
	translatorFailure,
	translatorJson,
	translatorRequestId,
} from './translateReply.ts';
import { breakSentenceReply, detectReply, transliterateReply } from './translateText.ts';

type Handler = (call: TextCall) => Promise<Response>;

interface Operation {
	readonly kind: RequestKind;
	readonly handler: Handler;
	/** Asks nobody who calls. */
	readonly open?: true;
}

const guid = /^\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i;

export function registerTranslateRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { translation, translatorAccess, log } = backend;
	const limits = limitsFrom(backend.settings.env['NEARGLOT_TRANSLATE_LIMITS']);

	const callerOf = async (context: Context<AppEnv>): Promise<TranslateCaller> => {
		return context.req.path.startsWith(`${privateTranslatorBase}/`)
			? { id: 'owner', limits: {} }
			: translatorAccess.authenticate(readCredentials(context));
	};

	/** Everything every operation checks, in the documented order, and the shape of its failures. */
	const operation =
		({ kind, handler, open }: Operation, methods: readonly string[], versions: readonly string[]) =>
		async (context: Context<AppEnv>): Promise<Response> => {
			const requestId = translatorRequestId(kind, new Date());
			const query = new URL(context.req.url).searchParams;
			try {
				if (!methods.includes(context.req.method)) throw translatorError(405000);
				const caller = open ? { id: 'anonymous', limits: {} } : await callerOf(context);
				if (!open) context.set('admitted', true);
				const version = queryParam(query, 'api-version') ?? '';
				if (!versions.includes(version))
					throw translatorError(400021, `Use api-version=${versions.join(' or ')}.`);
				const trace = context.req.header('x-clienttraceid') ?? queryParam(query, 'ClientTraceId');
				if (trace !== undefined && !guid.test(trace)) throw translatorError(400043);
				log.debug('translate', { kind, requestId, trace: trace ?? null, caller: caller.id });
				const charges = new TranslateCharges(context, backend, caller);
				const charge = (characters: number) =>
					charges.take(characters, (verdict) =>
						verdict.kind === 'quota'
							? translatorError(403001)
							: translatorError(429001, rateDetail(verdict), rateOptions(verdict)),
					);
				const signal = context.get('signal');
				const owner = translatorOwnerOf(context, caller);
				return await charges.during(() =>
					handler({ context, query, requestId, signal, owner, charge }),
				);
			} catch (error) {
				const { code, known } = translatorErrorOf(error);
				context.set('failure', error);
				// A flood is counted, not told of one by one.
				if (code >= 500000 && known.code !== 'overloaded')
					log.error('translate failed', {
						kind,
						requestId,
						code: known.code,
						reason: known.message,
					});
				return translatorFailure(
					error,
					requestId,
					queryParam(query, 'api-version') === latestVersion,
				);
			}
		};

	const translate: Handler = async (operation) => {
		const { context, query, requestId, signal, owner, charge } = operation;
		translation.checkRoom({ ...announcedWork(context), engine: namedEngine(query) });
		if (queryParam(query, 'api-version') === latestVersion)
			return translateInputsReply(operation, translation, limits);
		const body = await readBodyJson(context, signal);
		const { request, ...asked } = readTranslateCall(query, body, limits, owner);
		const priority = requestedPriority(context, request.priority);
		const call = { ...asked, request: { ...request, priority } };
		// Another engine would work with the owner's accounts elsewhere.
		if (call.request.engine !== undefined && context.get('caller') === 'member')
			throw translatorError(403000, "Whoever runs the model server chooses the 'engine'.");
		const run = translation.newRun();
		await run.check(call.request);
		const characters = charactersOf(call.request);
		using turn = await translation.enter({ ...call.request, characters }, signal);
		const bill = await charge(characters);
		const result = await run.translate({ ...call.request, turn }, signal);
		bill.model = modelsPaid([result], call.request.engine);
		return await translatorJson(translateBody(result, call), requestId, {
			'x-metered-usage': String(result.characters),
			'x-mt-system': result.systems.join(','),
			...modelsHeader([result]),
			...qualityHeader([result]),
			...refusedHeader([result]),
		});
	};

	const operations: Readonly<Record<TranslatorOperation, Operation>> = {
		translate: { kind: 'TRAN', handler: translate },
		detect: { kind: 'DTCT', handler: (call) => detectReply(call, translation, limits) },
		breaksentence: {
			kind: 'BKST',
			handler: (call) => breakSentenceReply(call, translation, limits),
		},
		transliterate: {
			kind: 'TLIT',
			handler: (call) => transliterateReply(call, translation, limits),
		},
		'dictionary/lookup': {
			kind: 'DICT',
			handler: (call) => dictionaryLookupReply(call, translation, limits),
		},
		'dictionary/examples': {
			kind: 'DICT',
			handler: (call) => dictionaryExamplesReply(call, translation, limits),
		},
		languages: {
			kind: 'LANG',
			handler: (call) => languagesReply(call, translation),
			open: true,
		},
	};
	for (const { operation: name, route, versions } of translatorMounts) {
		const methods = route.shown.flatMap((method) =>
			method === 'GET' ? ['GET', 'HEAD'] : [method],
		);
		register(app, route, ({ context }) => operation(operations[name], methods, versions)(context));
	}

	const issueToken = async (context: Context<AppEnv>): Promise<Response> => {
		const requestId = translatorRequestId('TOKN', new Date());
		try {
			if (context.req.method !== 'POST') throw translatorError(405000);
			const token = await translatorAccess.issueToken(readCredentials(context));
			return new Response(token, {
				headers: {
					'content-type': 'text/plain; charset=utf-8',
					'x-requestid': requestId,
					'cache-control': 'no-store',
				},
			});
		} catch (error) {
			return translatorFailure(error, requestId);
		}
	};
	for (const route of issueTokenRoutes) register(app, route, ({ context }) => issueToken(context));
}

/** The documented JSON, fields in the order of the live service. */
function translateBody(result: TranslateOutcome, call: TranslateCall): unknown[] {
	return result.items.map(({ detected, sourceText, translations }) => ({
		...(detected
			? { detectedLanguage: { language: detected.language, score: detected.score } }
			: {}),
		...(sourceText === undefined ? {} : { sourceText: { text: sourceText } }),
		translations: translations.map((done) => ({
			text: done.text,
			...(done.transliteration ? { transliteration: done.transliteration } : {}),
			to: done.language,
			...(call.includeQuality && done.quality !== undefined
				? { quality: Number(done.quality.toFixed(2)) }
				: {}),
			...(call.includeAlignment && done.alignment !== undefined
				? { alignment: { proj: done.alignment } }
				: {}),
			...(call.includeSentenceLength
				? { sentLen: { srcSentLen: done.sourceLengths, transSentLen: done.targetLengths } }
				: {}),
		})),
	}));
}
