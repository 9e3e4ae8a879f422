/**
 * `POST /documents/translate`: a whole document, of which only the words change. For pages and
 * programs that have no `nearglot translate FILE`. Keys and limits are those of the translate interface.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError } from '../protocol/index.ts';
import { object, optional, string } from '../protocol/parser.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import {
	documentFormats,
	formatOf,
	translateDocument,
} from '../translate/documents/translateDocument.ts';
import { canonicalLanguage } from '../translate/languages.ts';
import { textBatches } from '../translate/textBatches.ts';
import { readJson } from './body.ts';
import type { AppEnv } from './env.ts';
import { readCredentials } from './translateAuth.ts';

/** Body of a request; about 20 MB of text. */
const bodyLimitBytes = 24 * 1024 * 1024;
/** Texts and characters handed to the model at once. */
const most = { texts: 64, characters: 40_000 };

export const documentParser = object({
	/** Its ending names the format. */
	fileName: string({ minLength: 1, maxLength: 1000 }),
	text: string({ maxLength: 20 * 1024 * 1024 }),
	to: string({ minLength: 2, maxLength: 40 }),
	from: optional(string({ maxLength: 40 })),
});

export function registerDocumentRoutes(app: Hono<AppEnv>, backend: Backend): void {
	app.post('/documents/translate', async (context) => {
		const { fileName, text, to, from } = documentParser.parse(
			await readJson(context, bodyLimitBytes),
			'',
		);
		const extract = formatOf(fileName);
		if (!extract) {
			throw new AppError(
				'invalid_request',
				`${fileName.slice(0, 80)} is of no format that can be translated whole. Known: ${Object.keys(documentFormats).join(', ')}.`,
				{ param: 'fileName' },
			);
		}
		const target = language(to, 'to');
		const source = from === undefined || from === '' ? undefined : language(from, 'from');
		const languages = { to: target, ...(source === undefined ? {} : { from: source }) };
		const translator = translatorFor(context, backend, target);
		return context.json(await translateDocument(text, extract, translator, languages));
	});
}

function translatorFor(
	context: Context<AppEnv>,
	{ translation, translatorAccess, meter }: Backend,
	target: string,
): TextTranslator {
	return {
		detect: async (texts) => {
			const known = await translation.translatable();
			const guess = ({ language, score }: { language: string; score: number }) => ({
				language,
				score,
				isSupported: known.has(language),
			});
			const found = await Promise.all(texts.map((text) => translation.detect(text)));
			return found.map((one) => ({ ...guess(one), alternatives: one.alternatives.map(guess) }));
		},
		translate: async (texts, source) => {
			const caller = await translatorAccess.authenticate(readCredentials(context));
			const translated: string[] = [];
			for (const batch of textBatches(texts, most)) {
				const characters = batch.reduce((sum, { length }) => sum + length, 0);
				const verdict = meter.take(caller.id, characters, caller.limits);
				if (verdict.kind === 'quota')
					throw new AppError('forbidden', 'The quota of this key is used up.');
				if (verdict.kind === 'rate')
					throw new AppError('rate_limited', `The limit is ${verdict.limit}.`, {
						retryAfterS: verdict.retryAfterS ?? 60,
					});
				const { items } = await translation.translate(
					{
						texts: batch,
						targets: [{ language: target }],
						source,
						textType: 'plain',
						allowFallback: true,
						profanityAction: 'NoAction',
						profanityMarker: 'Asterisk',
						alignment: false,
						priority: 'batch',
					},
					context.get('signal'),
				);
				translated.push(...items.map(({ translations }) => translations[0]?.text ?? ''));
			}
			return translated;
		},
	};
}

function language(code: string, param: string): string {
	const found = canonicalLanguage(code);
	if (found !== undefined) return found;
	throw new AppError('invalid_request', `'${code}' is no language code that is known.`, { param });
}
