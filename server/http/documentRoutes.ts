/**
 * `POST /documents/translate`: a whole document, of which only the words change. For pages and
 * programs that have no `nearglot translate FILE`. Keys and limits are those of the translate interface.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { pushAll } from '../protocol/lists.ts';
import { translateDocument } from '../protocol/routes/documents.ts';
import type { TargetText } from '../services/translate/translateRequest.ts';
import { translateDocumentJsonInWorker } from '../translate/documents/documentThread.ts';
import { documentFormats, formatOf } from '../translate/documents/translateDocument.ts';
import { canonicalLanguage, unknownLanguage } from '../translate/languageCodes.ts';
import { minDocumentQuality } from '../translate/qualityEstimate.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';
import { announcedBytes } from './requestBody.ts';
import { personOf } from './requestPerson.ts';
import { requestTranslator } from './translate/requestTranslator.ts';
import { textsQuality } from './translate/translateReply.ts';

export function registerDocumentRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { documentQueue } = backend;
	const checkRoom = (context: Context<AppEnv>): void =>
		documentQueue.checkRoom({ work: announcedBytes(context) });
	register(
		app,
		translateDocument,
		async ({ context, body }) => {
			const { fileName, text, to, from, engine, minQuality = minDocumentQuality } = body;
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
			const texts: TargetText[] = [];
			const translator = requestTranslator(context, backend, {
				...{ target, minQuality, ...defined({ engine }) },
				onOutcome: ({ items }) =>
					pushAll(
						texts,
						items.flatMap((item) => item.translations),
					),
			});
			const job = { fileName, text, ...languages };
			using _ = await documentQueue.enter({ work: text.length }, context.get('signal'));
			const made = await translateDocumentJsonInWorker(
				job,
				translator,
				personOf(context),
				context.get('signal'),
			);
			return await context.body(withQuality(made, texts), 200, {
				'content-type': 'application/json',
			});
		},
		{ checkRoom },
	);
}

/** The JSON of a result with an estimate of its quality behind its other fields. */
function withQuality(
	json: Uint8Array<ArrayBuffer>,
	texts: readonly TargetText[],
): Uint8Array<ArrayBuffer> {
	const quality = textsQuality(texts);
	if (quality === undefined) return json;
	const field = new TextEncoder().encode(`,"quality":${quality.toFixed(2)}}`);
	const whole = new Uint8Array(json.length - 1 + field.length);
	whole.set(json.subarray(0, -1));
	whole.set(field, json.length - 1);
	return whole;
}

function language(code: string, param: string): string {
	const found = canonicalLanguage(code);
	if (found !== undefined) return found;
	throw new AppError('invalid_request', unknownLanguage(code), { param });
}
