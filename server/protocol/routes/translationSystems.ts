/** What can be chosen to translate. */

import * as z from 'zod';
import { route } from './route.ts';

const system = z.object({
	/** `category` of a request. */
	name: z.string(),
	/** `general` chooses among the models by itself; the others translate when they are named. */
	kind: z.enum(['general', 'custom', 'model', 'chat']),
	/** Id of its model, where it is one. */
	model: z.string().exactOptional(),
	/** Machine that what is translated goes to, where it is not this one. */
	host: z.string().exactOptional(),
	/** `en-de` …: the pairs of a custom system. */
	pairs: z.array(z.string()).exactOptional(),
});

export type TranslationSystem = z.output<typeof system>;

export const translationSystems = route({
	method: 'GET',
	path: '/translation/systems',
	who: 'member',
	scope: 'translate',
	also: ['studio'],
	summary: 'systems that translate: general, custom, models, chat models',
	answer: z.object({ systems: z.array(system), usual: z.string() }),
	section: 'translation',
});
