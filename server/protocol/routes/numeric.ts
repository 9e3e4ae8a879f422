/** Numbers in queries. */

import * as z from 'zod';
import { read } from './check.ts';
import { mapped } from './fields.ts';

/** A number that comes as a text. */
export const numeric = (schema: z.ZodNumber) =>
	mapped(z.string(), (text) => read(schema, text === '' ? undefined : Number(text), ''));
