/**
 * The document interface of the hosted service, version 2024-05-01: one document with an optional
 * glossary in, the same document in another language out (batches: documentBatches.ts). Its errors have a shape of their own, so the handlers read
 * the parameters by hand, but by what stands here.
 */

import * as z from 'zod';
import { object } from './fields.ts';
import { formText } from './formFields.ts';
import { type Parameter, type Route, route } from './route.ts';

export const documentApiVersion = '2024-05-01';
export const documentField = 'document';
export const glossaryField = 'glossary';
export const listedFormats = ['document', 'glossary'] as const;

/** As the interface has them. */
export const documentLimits = { documentBytes: 10 * 2 ** 20, glossaryBytes: 2 ** 20 } as const;

export const documentVersion: Parameter = {
	name: 'api-version',
	required: true,
	values: [documentApiVersion],
	description: 'Version of the interface.',
};

/** Mount points: the second is the custom-endpoint form. */
export const documentBases = [
	'/translator',
	'/:endpoint{cognitiveservices[A-Za-z0-9.-]*}/translator',
] as const;
/** It has keys of its own, and refuses who shows none where one is wanted. */
export const documentAccess = {
	who: 'member',
	also: ['stranger'],
	scope: 'translate',
	translatorKeys: true,
} as const;

export const translateOneDocumentRoutes: readonly Route[] = documentBases.map((base, index) =>
	route({
		...documentAccess,
		method: 'ALL',
		path: `${base}/document:translate`,
		shown: ['POST'],
		summary: "one document in the hosted service's form, with a glossary",
		parameters: [
			documentVersion,
			{ name: 'targetLanguage', required: true, description: 'Language of the answer.' },
			{ name: 'sourceLanguage', description: 'Language of the document; detected when absent.' },
			{ name: 'category', description: 'Custom system.' },
			{
				name: 'allowFallback',
				values: ['true', 'false'],
				description: 'Whether general systems may stand in.',
			},
		],
		body: {
			kind: 'form',
			schema: object({
				[glossaryField]: formText('A file with terms: CSV, TSV, TBX, TMX or XLIFF.'),
			}),
			file: { name: documentField, description: 'The document; its name ends in its format.' },
		},
		answers: ['application/octet-stream'],
		...(index === 0 ? { section: 'translation' } : {}),
	}),
);

export const documentFormatRoutes: readonly Route[] = documentBases.map((base, index) =>
	route({
		...documentAccess,
		method: 'ALL',
		path: `${base}/document/formats`,
		shown: ['GET'],
		summary: "formats of documents and glossaries, in the hosted service's form",
		parameters: [
			documentVersion,
			{ name: 'type', values: listedFormats, description: 'Which formats.' },
		],
		answer: z.object({
			value: z.array(
				z.object({
					type: z.enum(['Document', 'Glossary']),
					format: z.string(),
					fileExtensions: z.array(z.string()),
					contentTypes: z.array(z.string()),
				}),
			),
		}),
		...(index === 0 ? { section: 'translation' } : {}),
	}),
);

/** What lists of batches and of their documents take. */
export const listedParameters: readonly Parameter[] = [
	{ name: 'top', description: 'Most entries of all pages.' },
	{ name: 'skip', description: 'Entries left out at the beginning.' },
	{ name: 'maxpagesize', description: 'Most entries of a page, up to 100.' },
	{ name: 'ids', description: 'Only these, with commas.' },
	{ name: 'statuses', description: 'Only in these states, with commas.' },
	{ name: 'createdDateTimeUtcStart', description: 'Only those made since then.' },
	{ name: 'createdDateTimeUtcEnd', description: 'Only those made until then.' },
	{ name: 'orderby', description: '`createdDateTimeUtc asc` or `createdDateTimeUtc desc`.' },
];

export const documentTranslatorRoutes = [...translateOneDocumentRoutes, ...documentFormatRoutes];
