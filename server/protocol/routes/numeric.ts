/** Numbers in queries. */

import * as z from 'zod';
import { read } from './check.ts';
import { mapped } from './fields.ts';

/** A number that comes as a text; what is none is told as it was given. */
export const numeric = (schema: z.ZodNumber) =>
	mapped(z.string(), (text) =>
		read(
			schema,
			text === '' ? undefined : /^-?\d{1,15}(?:\.\d{1,30})?$/.test(text) ? Number(text) : text,
			'',
		),
	);
