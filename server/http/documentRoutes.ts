/**
 * `POST /documents/translate`: a whole document, of which only the words change. For pages and
 * programs that have no `nearglot translate FILE`. Keys and limits are those of the translate interface.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { translateDocument } from '../protocol/routes/documents.ts';
import { translationSystems } from '../protocol/routes/translationSystems.ts';
import { textBatches } from '../protocol/textBatches.ts';
import type { TranslateOutcome, TranslateRequest } from '../services/translate/translateRequest.ts';
import { categoryName } from '../services/translate/translateSystems.ts';
import type { DetectedText } from '../translate/detectedText.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import { translateDocumentJsonInWorker } from '../translate/documents/documentThread.ts';
import { documentFormats, formatOf } from '../translate/documents/translateDocument.ts';
import { canonicalLanguage, unknownLanguage } from '../translate/languageCodes.ts';
import { yieldToOthers } from '../work/yieldToOthers.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';
import { translatorOwnerOf } from './owner.ts';
import { register } from './register.ts';
import { announcedBytes } from './requestBody.ts';
import { personOf } from './requestPerson.ts';
import { readCredentials } from './translate/translateAuth.ts';
import { modelsHeader, refusedHeader } from './translate/translateReply.ts';

/** Texts and characters handed to the model at once. */
const most = { texts: 64, characters: 40_000 };

export function registerDocumentRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { documentQueue } = backend;
	const checkRoom = (context: Context<AppEnv>): void =>
		documentQueue.checkRoom({ work: announcedBytes(context) });
	register(
		app,
		translateDocument,
		async ({ context, body }) => {
			const { fileName, text, to, from, engine, tone, gender } = body;
			const category = body.category === undefined ? undefined : categoryName(body.category);
			if (body.category !== undefined && category === undefined)
				throw new AppError('invalid_request', 'No system can be called so.', { param: 'category' });
			// Another engine would work with the owner's accounts elsewhere.
			if (engine !== undefined && context.get('caller') === 'member')
				throw new AppError('forbidden', "Whoever runs the model server chooses the 'engine'.", {
					param: 'engine',
				});
			if (!formatOf(fileName)) {
				throw new AppError(
					'invalid_request',
					`${fileName.slice(0, 80)} is of no format that can be translated whole. Known: ${Object.keys(documentFormats).join(', ')}.`,
					{ param: 'fileName' },
				);
			}
			const target = language(to, 'to');
			const source = from === undefined || from === '' ? undefined : language(from, 'from');
			const languages = { to: target, ...defined({ from: source }) };
			const options = defined({ engine, category, tone, gender });
			const { outcomes, ...translator } = translatorFor(context, backend, target, options);
			const job = { fileName, text, ...languages };
			using _ = await documentQueue.enter({ work: text.length }, context.get('signal'));
			const made = await translateDocumentJsonInWorker(
				job,
				translator,
				personOf(context),
				context.get('signal'),
			);
			return await context.body(made, 200, {
				'content-type': 'application/json',
				...modelsHeader(outcomes),
				...refusedHeader(outcomes),
			});
		},
		{ checkRoom },
	);
	register(app, translationSystems, async ({ context }) =>
		answerJson(context, await backend.translation.systems()),
	);
}

function translatorFor(
	context: Context<AppEnv>,
	{ translation, translatorAccess, meter }: Backend,
	target: string,
	options: Partial<Pick<TranslateRequest, 'engine' | 'category' | 'tone' | 'gender'>>,
): TextTranslator & { readonly outcomes: readonly TranslateOutcome[] } {
	const run = translation.newRun();
	const outcomes: TranslateOutcome[] = [];
	const { engine } = options;
	return {
		outcomes,
		detect: async (texts) => {
			const known = await translation.translatable();
			const candidate = ({ language, score }: { language: string; score: number }) => ({
				language,
				score,
				isSupported: known.has(language),
			});
			const found: DetectedText[] = [];
			for (const text of texts) {
				const detected = await translation.language.detect(text);
				found.push({ ...candidate(detected), alternatives: detected.alternatives.map(candidate) });
				await yieldToOthers();
			}
			return found;
		},
		translate: async (texts, source) => {
			const caller = await translatorAccess.authenticate(readCredentials(context));
			const translated: string[] = [];
			for (const batch of textBatches(texts, most)) {
				const characters = batch.reduce((sum, { length }) => sum + length, 0);
				// The document was let in, so its texts wait as long as it takes.
				const work = { characters, engine, priority: 'batch', isPart: true } as const;
				using turn = await translation.enter(work, context.get('signal'));
				const verdict = meter.take(caller.id, characters, caller.limits);
				if (verdict.kind === 'quota')
					throw new AppError('forbidden', 'The quota of this key is used up.');
				if (verdict.kind === 'rate')
					throw new AppError('rate_limited', `The limit is ${verdict.limit}.`, {
						retryAfterS: verdict.retryAfterS ?? 60,
					});
				const outcome = await run.translate(
					{
						owner: translatorOwnerOf(context, caller),
						texts: batch,
						targets: [{ language: target }],
						source,
						textType: 'plain',
						allowFallback: true,
						profanityAction: 'NoAction',
						profanityMarker: 'Asterisk',
						alignment: false,
						...{ priority: 'batch', turn },
						...options,
					},
					context.get('signal'),
				);
				outcomes.push(outcome);
				translated.push(...outcome.items.map(({ translations }) => translations[0]?.text ?? ''));
			}
			return translated;
		},
	};
}

function language(code: string, param: string): string {
	const found = canonicalLanguage(code);
	if (found !== undefined) return found;
	throw new AppError('invalid_request', unknownLanguage(code), { param });
}
