/** The requests of the editing features beyond LSP: ranges, reader mode, whole documents, messages. */

import { TextDocument } from 'vscode-languageserver-textdocument';
import { defined } from '../protocol/defined.ts';
import {
	AppError,
	type RequestName,
	type Requests,
	type TextsProgress,
	type TextTranslation,
	type TranslatedRange,
} from '../protocol/index.ts';
import { pushAll } from '../protocol/lists.ts';
import { inItsLanguage } from '../translate/documents/documentLanguage.ts';
import {
	messageProgressInWorker,
	setMessagesInWorker,
	translateDocumentInWorker,
	translateFileInWorker,
	translateMissingInWorker,
} from '../translate/documents/documentThread.ts';
import { messageFamilies } from '../translate/documents/messageFamilies.ts';
import { partlyBy, textCounts } from '../translate/documents/textCounts.ts';
import { formatOf } from '../translate/documents/translateDocument.ts';
import type { FaultWords } from '../translate/documents/translationFaults.ts';
import { minDocumentQuality } from '../translate/qualityEstimate.ts';
import { addToGlossary } from '../translate/workspaceGlossary.ts';
import type { Editing } from './editing.ts';
import { findSymbolName } from './findSymbolName.ts';
import { MessageNotes } from './messageNotes.ts';
import { blocksIn, proseLanguages } from './prose/paragraphs.ts';
import { jobFor, spliceJobs, translateJobs, translateRange } from './prose/translateRange.ts';
import { messageText } from './texts.ts';
import { qualityOf } from './translations.ts';

type Handler<M extends RequestName> = (
	params: Requests[M]['params'],
	signal: AbortSignal,
) => Promise<Requests[M]['result']>;

/** What is wrong with a message, in the language of the editor. */
const faultWords = (): FaultWords => ({
	lost: messageText('lost', '{0}'),
	added: messageText('added', '{0}'),
	conversions: messageText('conversions'),
	noIcu: messageText('noIcu'),
});

/** Makes the handlers. */
export function editingRequests(editing: Editing) {
	const { connection, documents, finder, translations, glossaries, settings } = editing;
	const progressTo = (token: string | number | undefined) =>
		token === undefined
			? {}
			: {
					onProgress: (progress: TextsProgress) =>
						void connection.sendNotification('$/progress', { token, value: progress }),
				};
	/** The open document, or one made of the text sent along, which is forgotten afterwards. */
	const withDocument = async <T>(
		{ uri, languageId, text }: { uri: string; languageId: string; text?: string },
		run: (document: TextDocument) => Promise<T>,
	): Promise<T> => {
		const open = documents.get(uri);
		if (open && (text === undefined || open.getText() === text)) return run(open);
		if (text === undefined) throw new AppError('not_found', `${uri} is not open.`);
		const document = TextDocument.create(`${uri}#${++count}`, languageId, 0, text);
		try {
			return await run(document);
		} finally {
			finder.forget(document.uri);
		}
	};

	const translateRanges: Handler<'nearglot/translateRanges'> = (params, signal) =>
		withDocument(params, async (document) => {
			const { to: target, uri, tone } = params;
			const ask = { to: target, uri, ...defined({ tone }) };
			const translator = translations.translator(ask, signal);
			const texts: string[] = [];
			for (const { start, end } of params.ranges) {
				const [from, to] = [document.offsetAt(start), document.offsetAt(end)];
				texts.push(await translateRange(document, from, to, finder, translator, params.to, signal));
			}
			return { texts };
		});

	const wholeDocument: Handler<'nearglot/translateDocument'> = async (params, signal) => {
		const { fileName, languageId, text, to, from, uri, partialResultToken } = params;
		const languages = { to, ...(from ? { from } : {}) };
		const items: TextTranslation[] = [];
		const ask = {
			...{ to, ...(uri ? { uri } : {}), ...progressTo(partialResultToken) },
			...{ minQuality: minDocumentQuality },
			onItems: (made: readonly TextTranslation[]) => pushAll(items, made),
		};
		const translator = translations.translator(ask, signal);
		if (formatOf(fileName, text)) {
			const job = { fileName, text, ...languages };
			const result = await translateDocumentInWorker(job, translator, signal);
			return { ...result, ...defined({ quality: qualityOf(items) }) };
		}
		return withDocument({ uri: `file:///${fileName}`, languageId, text }, async (document) => {
			if (!(await finder.knows(document))) {
				throw new AppError(
					'not_supported',
					`${fileName} is of no format that can be translated whole. Select what to translate instead.`,
				);
			}
			const prose = (await finder.find(document, 0, text.length, signal)).filter(
				({ kind }) => kind !== 'string',
			);
			const jobs = prose.map((item) => jobFor(document, item));
			const texts = jobs.flatMap((job) => job.texts);
			const { translate, language, left } = await inItsLanguage(texts, translator, languages);
			const made: (readonly [string, string | undefined])[] = [];
			const noted = async (own: readonly string[]) => {
				const answers = await translate(own);
				own.forEach((one, index) => void made.push([one, answers[index]]));
				return answers;
			};
			const whole = spliceJobs(text, 0, jobs, await translateJobs(jobs, noted));
			const quality = qualityOf(items);
			return {
				...{ text: whole, refused: [], language, left },
				...textCounts(made, partlyBy(left, language)),
				...defined({ quality }),
			};
		});
	};

	const wholeFile: Handler<'nearglot/translateFile'> = async (params, signal) => {
		const { fileName, content, to, from, uri, partialResultToken } = params;
		const ask = {
			...{ to, ...(uri ? { uri } : {}), ...progressTo(partialResultToken) },
			minQuality: minDocumentQuality,
		};
		const translator = translations.translator(ask, signal);
		const job = { fileName, bytes: Buffer.from(content, 'base64'), to, ...(from ? { from } : {}) };
		const made = await translateFileInWorker(job, translator, undefined, signal);
		const { bytes, compared, ...rest } = made;
		return { ...rest, content: Buffer.from(bytes.buffer).toString('base64') };
	};

	const missing: Handler<'nearglot/translateMissing'> = async (params, signal) => {
		const { fileName, source, target, to, from, uri, partialResultToken } = params;
		const { without, recorded } = params;
		const languages = { to, ...(from ? { from } : {}) };
		const ask = { to, ...(uri ? { uri } : {}), ...progressTo(partialResultToken) };
		const notes = new MessageNotes();
		const translator = notes.noting((texts, language) =>
			translations.translate(texts, { ...ask, from: language }, signal),
		);
		const made = await translateMissingInWorker(
			{ fileName, text: source, target, ...languages, ...defined({ without, recorded }) },
			{ ...translations.translator(ask, signal), translate: translator },
			signal,
		);
		const glossary = uri === undefined ? undefined : glossaries.of(uri);
		return { ...made, added: notes.annotated(made.added, languages, glossary) };
	};

	const set: Handler<'nearglot/setMessages'> = (
		{ fileName, source, target, to, messages, recorded },
		signal,
	) => {
		const job = {
			...{ fileName, text: source, target, to, set: messages, faultWords: faultWords() },
			...defined({ recorded }),
		};
		return setMessagesInWorker(job, signal);
	};

	const progress: Handler<'nearglot/messageProgress'> = (
		{ fileName, source, target, to, withMessages, recorded },
		signal,
	) => {
		const look: 'messages' | 'count' = withMessages ? 'messages' : 'count';
		const job = {
			...{ fileName, text: source, target, to, look, faultWords: faultWords() },
			...defined({ recorded }),
		};
		return messageProgressInWorker(job, signal);
	};

	const readerRanges: Handler<'nearglot/readerRanges'> = (params, signal) =>
		withDocument(params, async (document): Promise<{ ranges: TranslatedRange[] }> => {
			const [from, to] = [
				document.offsetAt(params.range.start),
				document.offsetAt(params.range.end),
			];
			const prose = proseLanguages.has(document.languageId)
				? blocksIn(document, from, to)
				: await finder.find(document, from, to, signal);
			const jobs = prose
				.filter(({ kind }) => kind !== 'string')
				.map((item) => jobFor(document, item))
				.filter((job) => job.texts.length > 0);
			const places = jobs.map(({ start, end }) => ({
				start: document.positionAt(start),
				end: document.positionAt(end),
			}));
			const texts = jobs.flatMap((job) => job.texts);
			const ask = { to: params.to, uri: params.uri };
			const translator = translations.translator(ask, signal);
			const { translate } = await inItsLanguage(texts, translator, { to: params.to });
			const answers = await translate(texts);
			let next = 0;
			return {
				ranges: jobs.flatMap((job, index) => {
					const own = answers.slice(next, next + job.texts.length);
					next += job.texts.length;
					const isForeign = own.some((answer, at) => answer !== job.texts[at]);
					const range = places[index];
					if (!isForeign || !range) return [];
					return [{ range, text: own.map((answer, at) => job.shown(answer, at)).join(' ') }];
				}),
			};
		});

	const name: Handler<'nearglot/nameSymbol'> = (params, signal) =>
		withDocument(params, async (document) => {
			const { languages } = await settings.of(params.uri);
			const ask = {
				position: params.position,
				to: params.to ?? 'en',
				languages,
				displayLanguage: editing.client()?.locale,
				...(params.from ? { from: params.from } : {}),
			};
			return findSymbolName(document, ask, finder, translations, signal);
		});

	const families: Handler<'nearglot/messageFiles'> = async ({ paths }) => ({
		families: messageFamilies(paths),
	});
	const glossaryAdd: Handler<'nearglot/glossary/add'> = async ({ text, ...entry }) => ({
		text: addToGlossary(text, entry),
	});
	const glossaryText: Handler<'nearglot/glossary/text'> = async ({ folder, text }) => {
		glossaries.take(folder, text);
		return {};
	};
	return {
		'nearglot/translateRanges': translateRanges,
		'nearglot/translateDocument': wholeDocument,
		'nearglot/translateFile': wholeFile,
		'nearglot/translateMissing': missing,
		'nearglot/messageProgress': progress,
		'nearglot/setMessages': set,
		'nearglot/readerRanges': readerRanges,
		'nearglot/nameSymbol': name,
		'nearglot/messageFiles': families,
		'nearglot/glossary/add': glossaryAdd,
		'nearglot/glossary/text': glossaryText,
	};
}

/** Documents made for one request get names of their own. */
let count = 0;
