/** Whole documents in another language. */

import * as z from 'zod';
import { documentBody } from './bodyLimits.ts';
import { object, oneOf, optional, string } from './fields.ts';
import { jsonBody, route } from './route.ts';
import { translationSystems } from './translationSystems.ts';

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
			/** Custom system, model, or chat model (`chat`, `chat:NAME`). */
			category: optional(string({ maxLength: 120 })),
			/** For chat models. */
			tone: optional(oneOf('neutral', 'formal', 'informal')),
			gender: optional(oneOf('neutral', 'female', 'male')),
		}),
		documentBody,
	),
	answer: z.object({
		text: z.string(),
		/** Texts found. */
		pieces: z.number(),
		/** Texts whose placeholders would have been lost. */
		refused: z.array(z.string()).readonly(),
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

export const documentRoutes = [translateDocument, translationSystems] as const;
