/**
 * Batches of documents in the form of the hosted service, version 2024-05-01: begun with the places of documents and of
 * their translations, listed, watched and cancelled. Errors have the shape of the document interface.
 */

import * as z from 'zod';
import { smallBody } from './bodyLimits.ts';
import { documentAccess, documentBases, documentVersion, listedParameters } from './documentApi.ts';
import { array, object, oneOf, optional, requestSchema, string } from './fields.ts';
import { type Route, route } from './route.ts';

/** As the interface has them. */
export const documentBatchLimits = {
	inputs: 1000,
	targets: 10,
	documents: 1000,
	/** Translations, that is documents times languages. */
	translations: 10_000,
	documentBytes: 40 * 2 ** 20,
} as const;

/** Names and places of a thousand inputs. */
export const documentBatchBody = { ...smallBody, values: 60_000, fields: 60_000 };

const place = string({ minLength: 1, maxLength: 4096 });
const language = string({ minLength: 1, maxLength: 64 });
const storageSource = optional(oneOf('AzureBlob'));
const part = optional(string({ maxLength: 1024 }));

export const documentBatchRequest = object({
	inputs: array(
		object({
			source: object({
				sourceUrl: place,
				filter: optional(object({ prefix: part, suffix: part })),
				language: optional(language),
				storageSource,
			}),
			targets: array(
				object({
					targetUrl: place,
					language,
					category: optional(string({ maxLength: 200 })),
					glossaries: optional(
						array(
							object({
								glossaryUrl: place,
								format: optional(string({ minLength: 1, maxLength: 40 })),
								version: optional(string({ maxLength: 40 })),
								storageSource,
							}),
							{ max: 1 },
						),
					),
					storageSource,
				}),
				{ min: 1, max: documentBatchLimits.targets },
			),
			storageType: optional(oneOf('Folder', 'File')),
		}),
		{ min: 1, max: documentBatchLimits.inputs },
	),
});
export type DocumentBatchRequest = z.output<typeof documentBatchRequest>;

export const documentStatuses = [
	'NotStarted',
	'Running',
	'Succeeded',
	'Failed',
	'Cancelled',
	'Cancelling',
	'ValidationFailed',
] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

const status = z.enum(documentStatuses);
const error = z
	.object({
		code: z.string(),
		message: z.string(),
		innerError: z.object({ code: z.string(), message: z.string() }),
	})
	.optional();
const times = { createdDateTimeUtc: z.string(), lastActionDateTimeUtc: z.string() };

const operation = z.object({
	id: z.string(),
	...times,
	status,
	error,
	summary: z.object({
		total: z.number(),
		failed: z.number(),
		success: z.number(),
		inProgress: z.number(),
		notYetStarted: z.number(),
		cancelled: z.number(),
		totalCharacterCharged: z.number(),
	}),
});
export type DocumentOperation = z.output<typeof operation>;

const document = z.object({
	/** Where the translation is, once it is there. */
	path: z.string().optional(),
	sourcePath: z.string(),
	...times,
	status,
	to: z.string(),
	error,
	/** 0 or 1. */
	progress: z.number(),
	id: z.string(),
	characterCharged: z.number().optional(),
	/** Beside what the interface has: texts that were left as they were, and how good the others probably are. */
	refused: z.number().optional(),
	/** Texts found, whole in the other language, in it in part, and left as their translations would have damaged them. */
	texts: z
		.object({
			...{ pieces: z.number(), translated: z.number(), partly: z.number() },
			refused: z.number().optional(),
		})
		.optional(),
	quality: z.number().optional(),
});
export type DocumentState = z.output<typeof document>;
export type DocumentCounts = NonNullable<DocumentState['texts']>;

const page = <S extends z.ZodType>(item: S) =>
	z.object({ value: z.array(item), nextLink: z.string().optional() });

/** Only the first base is described. */
const onBases = <R extends Route>(make: (base: string) => R): readonly R[] =>
	documentBases.map((base, index) => ({
		...make(base),
		...(index === 0 ? { section: 'translation' as const } : {}),
	}));
const parameters = [documentVersion];
const id = '/document/batches/:id';

export const startDocumentBatchRoutes = onBases((base) =>
	route({
		...documentAccess,
		method: 'POST',
		path: `${base}/document/batches`,
		summary:
			"begins a batch of documents in the hosted service's form; 202 with `operation-location`",
		parameters,
		body: { kind: 'json-by-hand', schema: requestSchema(documentBatchRequest) },
	}),
);
export const listDocumentBatchRoutes = onBases((base) =>
	route({
		...documentAccess,
		method: 'GET',
		path: `${base}/document/batches`,
		summary: 'your batches of documents, newest first',
		parameters: [...parameters, ...listedParameters],
		answer: page(operation),
	}),
);
export const showDocumentBatchRoutes = onBases((base) =>
	route({
		...documentAccess,
		method: 'GET',
		path: base + id,
		summary: 'how a batch of documents stands',
		parameters,
		answer: operation,
	}),
);
export const cancelDocumentBatchRoutes = onBases((base) =>
	route({
		...documentAccess,
		method: 'DELETE',
		path: base + id,
		summary: 'cancels a batch of documents; translations that are there stay',
		parameters,
		answer: operation,
	}),
);
export const listBatchDocumentRoutes = onBases((base) =>
	route({
		...documentAccess,
		method: 'GET',
		path: `${base}${id}/documents`,
		summary: 'what became of each document of a batch, once for each language',
		parameters: [...parameters, ...listedParameters],
		answer: page(document),
	}),
);
export const showBatchDocumentRoutes = onBases((base) =>
	route({
		...documentAccess,
		method: 'GET',
		path: `${base}${id}/documents/:documentId`,
		summary: 'what became of one of them',
		parameters,
		answer: document,
	}),
);

export const documentBatchRoutes: readonly Route[] = [
	...startDocumentBatchRoutes,
	...listDocumentBatchRoutes,
	...showDocumentBatchRoutes,
	...cancelDocumentBatchRoutes,
	...listBatchDocumentRoutes,
	...showBatchDocumentRoutes,
];
