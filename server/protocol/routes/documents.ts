/** Whole documents in another language. */

import * as z from 'zod';
import { documentBody } from './bodyLimits.ts';
import { object, oneOf, optional, string } from './fields.ts';
import { jsonBody, route } from './route.ts';

export const translateDocument = route({
	method: 'POST',
	path: '/documents/translate',
	who: 'member',
	also: ['studio'],
	summary: 'a whole document, of which only the words change',
	body: jsonBody(
		object({
			/** Its ending names the format. */
			fileName: string({ minLength: 1, maxLength: 1000 }),
			text: string({ maxLength: 20 * 1024 * 1024 }),
			to: string({ minLength: 2, maxLength: 40 }),
			from: optional(string({ maxLength: 40 })),
			/** Who translates; absent = what the owner set. */
			engine: optional(oneOf('local', 'team', 'hosted')),
		}),
		documentBody,
	),
	answer: z.object({
		text: z.string(),
		/** Texts found. */
		pieces: z.number(),
		/** Texts whose translation would have lost or added more than words. */
		refused: z.array(z.string()).readonly(),
		/** Of each of them, where it stands (from 1) and what would have been lost. */
		refusedAt: z
			.array(z.object({ line: z.number(), column: z.number(), why: z.string() }))
			.readonly(),
		language: z.string(),
		score: z.number().exactOptional(),
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
	errors: ['forbidden', 'rate_limited', 'too_expensive', 'model_not_found'],
	section: 'translation',
});

export const documentRoutes = [translateDocument] as const;
