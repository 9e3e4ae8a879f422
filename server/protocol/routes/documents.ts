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
	summary:
		'a whole document, of which only the words change: `{text, pieces, refused, left, language, score?}`',
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
	answer: z.looseObject({ text: z.string() }),
	errors: ['forbidden', 'rate_limited', 'too_expensive', 'model_not_found'],
	section: 'translation',
});

export const documentRoutes = [translateDocument] as const;
