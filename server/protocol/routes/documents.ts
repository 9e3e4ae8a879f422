/** Whole documents in another language. */

import * as z from 'zod';
import { maxArchiveBytes } from '../archiveTypes.ts';
import { documentBody } from './bodyLimits.ts';
import { array, number, object, oneOf, optional, string } from './fields.ts';
import { numeric } from './numeric.ts';
import { jsonOrBytes, route } from './route.ts';
import { translationSystems } from './translationSystems.ts';

export const translateDocument = route({
	method: 'POST',
	path: '/documents/translate',
	who: 'member',
	scope: 'translate',
	also: ['studio'],
	summary:
		'a whole document, of which only the words change: a text in JSON, or the bytes of a file (docx, pptx, xlsx, odt, odp, ods, epub; a text in any encoding; at most 64 MiB) with the other fields in the query, answered as such a file with `x-document-result`',
	/** For the bytes of a file; in JSON they are fields of the body. */
	query: object({
		fileName: optional(string({ minLength: 1, maxLength: 1000 })),
		to: optional(string({ minLength: 2, maxLength: 40 })),
		from: optional(string({ maxLength: 40 })),
		/** Of a text that is not in UTF-8 and does not say what it is in. */
		encoding: optional(string({ maxLength: 40 })),
		engine: optional(oneOf('local', 'team', 'hosted')),
		minQuality: optional(numeric(number({ min: 0, max: 1 }))),
		category: optional(string({ maxLength: 120 })),
		tone: optional(oneOf('neutral', 'formal', 'informal')),
		gender: optional(oneOf('neutral', 'female', 'male')),
	}),
	body: jsonOrBytes(
		object({
			/** Its ending names the format. */
			fileName: string({ minLength: 1, maxLength: 1000 }),
			text: string({ maxLength: 20 * 1024 * 1024 }),
			/** Of a table, the names of the columns with words. */
			columns: optional(array(string({ maxLength: 200 }), { max: 50 })),
			to: string({ minLength: 2, maxLength: 40 }),
			from: optional(string({ maxLength: 40 })),
			/** Who translates; absent = what the owner set. */
			engine: optional(oneOf('local', 'team', 'hosted')),
			/** Below this estimate (0 to 1) a sentence stays as it is where the built-in model is asked; 0.2 when absent, 0 = never. */
			minQuality: optional(number({ min: 0, max: 1 })),
			/** Custom system, model, or chat model (`chat`, `chat:NAME`). */
			category: optional(string({ maxLength: 120 })),
			/** For chat models. */
			tone: optional(oneOf('neutral', 'formal', 'informal')),
			gender: optional(oneOf('neutral', 'female', 'male')),
		}),
		documentBody,
		maxArchiveBytes,
	),
	answer: z.object({
		text: z.string(),
		/** Texts found. */
		pieces: z.number(),
		/** Texts that are whole in the other language. */
		translated: z.number(),
		/** Texts that are in it in part; all others are as they were. */
		partly: z.number(),
		/** Texts whose translation would have lost or added more than words. */
		refused: z.array(z.string()).readonly(),
		/** Of each of them, where it stands (from 1) and what would have been lost. */
		refusedAt: z
			.array(
				z.object({
					line: z.number(),
					column: z.number(),
					key: z.string().exactOptional(),
					why: z.string(),
				}),
			)
			.readonly(),
		language: z.string(),
		score: z.number().exactOptional(),
		/** How good the translation probably is, 0…1; absent where no model here was asked. */
		quality: z.number().exactOptional(),
		/** Texts that stayed as they were, or some sentences of which did. */
		left: z
			.array(
				z.looseObject({
					text: z.string(),
					language: z.string().exactOptional(),
					sentences: z.array(z.string()).readonly().exactOptional(),
				}),
			)
			.readonly(),
	}),
	answers: ['application/octet-stream'],
	errors: ['forbidden', 'rate_limited', 'too_expensive', 'model_not_found'],
	section: 'translation',
});

export const documentRoutes = [translateDocument, translationSystems] as const;
