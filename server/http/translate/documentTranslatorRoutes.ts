/**
 * `POST /translator/document:translate`: the hosted service's document interface on local models, one document at a
 * time; and `GET /translator/document/formats`.
 */

import type { Context, Hono } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import { archiveEndings, archiveTypeOf } from '../../protocol/archiveTypes.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import { pushAll } from '../../protocol/lists.ts';
import {
	documentField,
	documentFormatRoutes,
	documentLimits,
	glossaryField,
	listedFormats,
	translateOneDocumentRoutes,
} from '../../protocol/routes/documentApi.ts';
import { documentBatchLimits } from '../../protocol/routes/documentBatches.ts';
import {
	type OpenedDocument,
	openDocument,
	translateDocumentBytes,
} from '../../services/translate/translateDocumentBytes.ts';
import type { TargetText } from '../../services/translate/translateRequest.ts';
import { categoryName } from '../../services/translate/translateSystems.ts';
import { unknownFormat } from '../../translate/documents/knownFormats.ts';
import { mustBeRead } from '../../translate/documents/moreFormats.ts';
import { decodeText } from '../../translate/documents/textEncoding.ts';
import { documentFormats, formatOf } from '../../translate/documents/translateDocument.ts';
import type { Term } from '../../translate/glossary.ts';
import { termFinder } from '../../translate/glossary.ts';
import { glossaryFormatOf, glossaryFormats } from '../../translate/glossaryFile.ts';
import { canonicalLanguage, unknownLanguage } from '../../translate/languageCodes.ts';
import { minDocumentQuality } from '../../translate/qualityEstimate.ts';
import type { AppEnv } from '../env.ts';
import { type FormFile, readFormFiles } from '../formFiles.ts';
import { HeldBytes } from '../heldBytes.ts';
import { answerJson } from '../jsonAnswer.ts';
import { register } from '../register.ts';
import { announcedBytes } from '../requestBody.ts';
import { personOf } from '../requestPerson.ts';
import { documentError } from './documentErrors.ts';
import { documentOperation } from './documentOperation.ts';
import { requestTranslator } from './requestTranslator.ts';
import { queryParam } from './translateInput.ts';
import { countsHeader, modelsHeader, refusedHeader, textsQuality } from './translateReply.ts';

/** Formats by what clients say a file is, where its name does not tell. */
const endingsByType: Readonly<Record<string, string>> = {
	'application/json': 'json',
	'application/x-yaml': 'yaml',
	'application/xliff+xml': 'xlf',
	'application/x-subrip': 'srt',
	'text/html': 'html',
	'text/markdown': 'md',
	'text/plain': 'txt',
	'text/vtt': 'vtt',
	'text/x-gettext-translation': 'po',
	'text/yaml': 'yaml',
};

export function registerDocumentTranslatorRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const operation = documentOperation(backend);
	const translate = operation(['POST'], ({ context, query }) =>
		translateOne(context, query, backend),
	);
	for (const route of translateOneDocumentRoutes)
		register(app, route, ({ context }) => translate(context));
	const formats = operation(['GET', 'HEAD'], ({ context, query }) => listFormats(context, query));
	for (const route of documentFormatRoutes) register(app, route, ({ context }) => formats(context));
}

async function translateOne(
	context: Context<AppEnv>,
	query: URLSearchParams,
	backend: Backend,
): Promise<Response> {
	const { documentQueue } = backend;
	documentQueue.checkRoom({ work: announcedBytes(context) });
	const target = language(query, 'targetLanguage', 'InvalidTargetLanguage');
	if (target === undefined)
		throw documentError(
			'InvalidTargetLanguage',
			'Say into which language: targetLanguage=de',
			'targetLanguage',
		);
	const source = language(query, 'sourceLanguage', 'InvalidSourceLanguage');
	const named = queryParam(query, 'category');
	const category = named === undefined || named === '' ? undefined : categoryName(named);
	if (named && category === undefined)
		throw documentError('InvalidParameter', 'The category is not valid.', 'category');
	const allowFallback = (queryParam(query, 'allowFallback') ?? 'true').toLowerCase();
	if (allowFallback !== 'true' && allowFallback !== 'false')
		throw documentError('InvalidParameter', 'allowFallback takes true or false.', 'allowFallback');

	using held = new HeldBytes();
	const isOfBatch = context.env?.identity !== undefined;
	const { documentBytes } = isOfBatch ? documentBatchLimits : documentLimits;
	const limits = {
		[documentField]: documentBytes,
		[glossaryField]: documentLimits.glossaryBytes,
	};
	const files = await readFormFiles(context, limits, held);
	const document = files.get(documentField);
	if (document === undefined || document.bytes.byteLength === 0)
		throw documentError(
			'MissingDocument',
			`Send the document as a file in the field '${documentField}'.`,
			documentField,
		);
	const fileName = nameOf(document);
	const glossary = files.get(glossaryField);
	const termsFrom = glossary && termsOf(glossary, target);
	const opened = openedDocument(fileName, document.bytes);

	const texts: TargetText[] = [];
	const used = { characters: 0, refused: 0, models: new Set<string>() };
	const translator = requestTranslator(context, backend, {
		...{ target, minQuality: minDocumentQuality, allowFallback: allowFallback === 'true' },
		...defined({ category, termsFrom }),
		onOutcome: ({ items, characters, models, refused }) => {
			pushAll(
				texts,
				items.flatMap((item) => item.translations),
			);
			used.characters += characters;
			used.refused += refused;
			for (const model of models) used.models.add(model);
		},
	});
	const signal = context.get('signal');
	using _ = await documentQueue.enter({ work: opened.work }, signal);
	const languages = { to: target, ...defined({ from: source }) };
	const person = personOf(context);
	const made = await translateDocumentBytes(opened, languages, translator, person, signal);
	const { pieces, translated, partly, refused, bytes } = made;
	const quality = textsQuality(texts);
	const response = context.body(new Uint8Array(bytes), 200, {
		'content-type': 'application/octet-stream',
		'x-content-type-options': 'nosniff',
		'x-metered-usage': String(used.characters),
		...modelsHeader([{ models: [...used.models] }]),
		...refusedHeader([used]),
		[countsHeader]: `${pieces},${translated},${partly},${refused.length}`,
		...(quality === undefined ? {} : { 'x-nearglot-quality': quality.toFixed(2) }),
	});
	return response;
}

function language(
	query: URLSearchParams,
	name: string,
	code: 'InvalidSourceLanguage' | 'InvalidTargetLanguage',
): string | undefined {
	const written = queryParam(query, name);
	if (written === undefined || written === '') return undefined;
	const known = canonicalLanguage(written);
	if (known === undefined) throw documentError(code, unknownLanguage(written), name);
	return known;
}

/** The document's name with an ending that tells its format. */
function nameOf({ fileName, contentType }: FormFile): string {
	const name = fileName.slice(-200);
	if (formatOf(name) || archiveTypeOf(name) || mustBeRead(name)) return name;
	const ending =
		archiveEndings.find((one) => archiveTypeOf(`.${one}`) === contentType) ??
		(Object.hasOwn(endingsByType, contentType) ? endingsByType[contentType] : undefined);
	if (ending !== undefined && !/\.\w{1,8}$/.test(name)) return `document.${ending}`;
	throw unknownDocument(name);
}

const unknownDocument = (name: string) =>
	documentError(
		'UnsupportedDocumentFormat',
		`'${name.slice(-80)}' ${unknownFormat(name)}`,
		documentField,
	);

function openedDocument(fileName: string, bytes: Uint8Array): OpenedDocument {
	try {
		return openDocument(fileName, bytes);
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		if (error.code === 'not_supported') throw unknownDocument(fileName);
		throw error;
	}
}

/** The terms of a glossary, once the language of the document is known. */
function termsOf(file: FormFile, target: string) {
	const format = glossaryFormatOf(file.fileName, file.contentType);
	if (format === undefined)
		throw documentError(
			'UnsupportedGlossaryFormat',
			`The glossary is of no known format. Known: ${Object.keys(glossaryFormats).join(', ')}.`,
			glossaryField,
		);
	const { text } = decodeText(file.bytes, glossaryField);
	const finders = new Map<string, ReturnType<typeof termFinder>>();
	return (source: string) => {
		const known = finders.get(source);
		if (known) return known;
		const terms = readTerms(() => format.read(text, source, target));
		if (terms.length === 0)
			throw documentError(
				'InvalidGlossary',
				`The glossary has no terms from ${source} to ${target}.`,
				glossaryField,
			);
		const finder = termFinder(terms, source);
		finders.set(source, finder);
		return finder;
	};
}

function readTerms(read: () => Term[]): Term[] {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error;
		throw documentError('InvalidGlossary', error.message, glossaryField);
	}
}

async function listFormats(context: Context<AppEnv>, query: URLSearchParams): Promise<Response> {
	const type = queryParam(query, 'type')?.toLowerCase();
	if (type !== undefined && !listedFormats.some((known) => known === type))
		throw documentError('InvalidParameter', `type takes ${listedFormats.join(', ')}.`, 'type');
	const row = (kind: 'Document' | 'Glossary', ending: string, contentTypes: readonly string[]) => ({
		...{ type: kind, format: ending.toUpperCase() },
		...{ fileExtensions: [`.${ending}`], contentTypes: [...contentTypes] },
	});
	const typesOf = (ending: string): string[] => {
		const archive = archiveTypeOf(`.${ending}`);
		if (archive !== undefined) return [archive];
		const found = Object.entries(endingsByType).filter(([, one]) => one === ending);
		return found.length > 0 ? found.map(([name]) => name) : ['application/octet-stream'];
	};
	const documents = [...Object.keys(documentFormats), ...archiveEndings].map((one) =>
		row('Document', one, typesOf(one)),
	);
	const glossaries = Object.entries(glossaryFormats).map(([one, { contentTypes }]) =>
		row('Glossary', one, contentTypes),
	);
	const value = [
		...(type === 'glossary' ? [] : documents),
		...(type === 'document' ? [] : glossaries),
	];
	return answerJson(context, { value });
}
