/**
 * `POST /documents/translate`: a whole document, of which only the words change. For pages and
 * programs that have no `nearglot translate FILE`. Keys and limits are those of the translate interface.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { archiveTypeOf } from '../protocol/archiveTypes.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { translateDocument } from '../protocol/routes/documents.ts';
import type { QueryOf } from '../protocol/routes/route.ts';
import { translationSystems } from '../protocol/routes/translationSystems.ts';
import {
	bytesOfWork,
	type OpenedDocument,
	openDocument,
	type TranslatedDocument,
	translateDocumentBytes,
} from '../services/translate/translateDocumentBytes.ts';
import type { TargetText, TranslateOutcome } from '../services/translate/translateRequest.ts';
import { categoryName } from '../services/translate/translateSystems.ts';
import { translateDocumentJsonInWorker } from '../translate/documents/documentThread.ts';
import { unknownFormat } from '../translate/documents/knownFormats.ts';
import { mustBeRead } from '../translate/documents/moreFormats.ts';
import { formatOf } from '../translate/documents/translateDocument.ts';
import { canonicalLanguage, unknownLanguage } from '../translate/languageCodes.ts';
import { minDocumentQuality } from '../translate/qualityEstimate.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';
import { register } from './register.ts';
import { announcedBytes, isJson } from './requestBody.ts';
import { personOf } from './requestPerson.ts';
import { requestTranslator } from './translate/requestTranslator.ts';
import { modelsHeader, refusedHeader, textsQuality } from './translate/translateReply.ts';

export function registerDocumentRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { documentQueue } = backend;
	const checkRoom = (context: Context<AppEnv>): void =>
		documentQueue.checkRoom({
			work: announcedBytes(context) / (isJson(context) ? 1 : bytesOfWork),
		});
	register(
		app,
		translateDocument,
		async ({ context, body, query }) => {
			const wanted = body instanceof Uint8Array ? fieldsOf(query) : body;
			const { fileName, to, from, engine, tone, gender } = wanted;
			const minQuality = wanted.minQuality ?? minDocumentQuality;
			const category = wanted.category === undefined ? undefined : categoryName(wanted.category);
			if (wanted.category !== undefined && category === undefined)
				throw new AppError('invalid_request', 'No system can be called so.', { param: 'category' });
			// Another engine would work with the owner's accounts elsewhere.
			if (engine !== undefined && context.get('caller') === 'member')
				throw new AppError('forbidden', "Whoever runs the model server chooses the 'engine'.", {
					param: 'engine',
				});
			checkFormat(fileName, body instanceof Uint8Array ? undefined : body.text);
			const target = language(to, 'to');
			const source = from === undefined || from === '' ? undefined : language(from, 'from');
			const outcomes: TranslateOutcome[] = [];
			const translator = requestTranslator(context, backend, {
				...{ target, minQuality, ...defined({ engine, category, tone, gender }) },
				onOutcome: (outcome) => outcomes.push(outcome),
			});
			const languages = { to: target, ...defined({ from: source }) };
			const owner = personOf(context);
			const signal = context.get('signal');
			const document =
				body instanceof Uint8Array
					? openedDocument(fileName, body, query.encoding)
					: { ...body, work: body.text.length };
			using _ = await documentQueue.enter({ work: document.work }, signal);
			const notified = () => ({ ...modelsHeader(outcomes), ...refusedHeader(outcomes) });
			const quality = () => textsQuality(outcomes.flatMap(translationsOf));
			if ('bytes' in document) {
				const made = await translateDocumentBytes(document, languages, translator, owner, signal);
				context.header('x-document-result', summaryOf(made, quality()));
				const type = archiveTypeOf(fileName) ?? 'application/octet-stream';
				return await context.body(made.bytes, 200, { 'content-type': type, ...notified() });
			}
			const { text, columns } = document;
			const whole = { fileName, text, ...languages, ...defined({ columns }) };
			const made = await translateDocumentJsonInWorker(whole, translator, owner, signal);
			return await context.body(withQuality(made, quality()), 200, {
				'content-type': 'application/json',
				...notified(),
			});
		},
		{ checkRoom },
	);
	register(app, translationSystems, async ({ context }) =>
		answerJson(context, await backend.translation.systems()),
	);
}

/** What a file's bytes come with. */
function fieldsOf(query: QueryOf<typeof translateDocument>) {
	const { fileName, to } = query;
	for (const [name, value] of Object.entries({ fileName, to }))
		if (value === undefined)
			throw new AppError(
				'invalid_request',
				`The body is the bytes of a file, so '${name}' belongs into the query: /documents/translate?fileName=guide.docx&to=de.`,
				{ param: name },
			);
	return { ...query, fileName: fileName ?? '', to: to ?? '' };
}

/** What has become of a file, as a header can say it. */
function summaryOf(
	{ pieces, translated, partly, refused, left, language, score, encoding }: TranslatedDocument,
	quality: number | undefined,
): string {
	const texts = { pieces, translated, partly };
	const counts = { ...texts, refused: refused.length, left: left.length };
	const rounded = quality === undefined ? undefined : Number(quality.toFixed(2));
	return JSON.stringify({ ...counts, language, ...defined({ score, quality: rounded, encoding }) });
}

/** @throws AppError `invalid_request` also for what is no document that is known, once its text is */
function openedDocument(
	fileName: string,
	bytes: Uint8Array,
	encoding: string | undefined,
): OpenedDocument {
	try {
		return openDocument(fileName, bytes, encoding);
	} catch (error) {
		if (!(error instanceof AppError) || error.code !== 'not_supported') throw error;
		throw new AppError('invalid_request', error.message, { param: 'fileName' });
	}
}

/** @param text absent: the body is the bytes of a file */
function checkFormat(fileName: string, text: string | undefined): void {
	const fail = (what: string) => {
		const name = fileName.slice(0, 80);
		return new AppError('invalid_request', `${name} ${what}`, { param: 'fileName' });
	};
	const isArchive = archiveTypeOf(fileName) !== undefined;
	if (isArchive && text !== undefined)
		throw fail(
			'is no text. Send the bytes of the file as the body, and the other fields in the query: /documents/translate?fileName=guide.docx&to=de.',
		);
	if (isArchive || formatOf(fileName, text) !== undefined) return;
	// What the bytes of a text say is known when its encoding is.
	if (text === undefined && mustBeRead(fileName)) return;
	throw fail(unknownFormat(fileName));
}

const translationsOf = ({ items }: TranslateOutcome): TargetText[] =>
	items.flatMap(({ translations }) => translations);

/** The JSON of a result with an estimate of its quality behind its other fields. */
function withQuality(
	json: Uint8Array<ArrayBuffer>,
	quality: number | undefined,
): Uint8Array<ArrayBuffer> {
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
