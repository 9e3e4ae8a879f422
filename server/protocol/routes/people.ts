/** Keys of other people, limits and usage: the owner's business. */

import * as z from 'zod';
import { keyScopes, limitFields, maxLimit } from '../limitTypes.ts';
import { isPersonId, personIdForms } from '../personIds.ts';
import { smallBody } from './bodyLimits.ts';
import { invalid } from './check.ts';
import { array, integer, mapped, object, oneOf, optional, string } from './fields.ts';
import { jsonBody, route, strictBody } from './route.ts';

const owners = { also: ['studio'], section: 'people' } as const;

const personField = mapped(string({ minLength: 1, maxLength: 300 }), (person) => {
	if (!isPersonId(person)) throw invalid('', personIdForms, person);
	return person;
});

const limit = () => optional(integer({ min: 1, max: maxLimit }));
const limits = {
	tokensPerMinute: limit(),
	tokensPerDay: limit(),
	secondsPerMinute: limit(),
	secondsPerDay: limit(),
	charactersPerMinute: limit(),
	charactersPerDay: limit(),
} satisfies Record<(typeof limitFields)[number]['field'], unknown>;

const shownLimits = z.object(
	Object.fromEntries(limitFields.map(({ field }) => [field, z.number().exactOptional()])),
);
const key = z.object({
	id: z.string(),
	name: z.string(),
	/** What it is for. */
	scopes: z.array(z.string()).readonly(),
	limits: shownLimits,
	createdAt: z.string(),
	expiresAt: z.string().exactOptional(),
	expired: z.boolean(),
});
/** The key itself is in this answer and nowhere else. */
const newKey = z.object({ ...key.shape, key: z.string() });

export const listKeys = route({
	...owners,
	method: 'GET',
	path: '/nearglot/keys',
	summary: 'keys that people were given, without the keys',
	answer: z.object({
		keys: z.array(key),
		/** Names of keys that were revoked, for what was used with them. */
		revoked: z.array(z.object({ id: z.string(), name: z.string() })),
		peopleLimits: shownLimits,
		peopleLimitsFixed: z.boolean(),
	}),
});

export const createKey = route({
	...owners,
	method: 'POST',
	path: '/nearglot/keys/create',
	summary: 'a new key, which is shown once',
	body: strictBody(
		object({
			name: string({ minLength: 1, maxLength: 100 }),
			scopes: array(oneOf(...keyScopes), { min: 1, max: keyScopes.length }),
			expiresAt: optional(string({ maxLength: 40 })),
			...limits,
		}),
		smallBody,
	),
	answer: newKey,
	errors: ['unsupported_parameter', 'store_unavailable'],
});

const named = object({ key: string({ minLength: 1, maxLength: 100 }) });

export const revokeKey = route({
	...owners,
	method: 'POST',
	path: '/nearglot/keys/revoke',
	summary: 'takes a key away, by id or name; it stops working at once',
	body: jsonBody(named, smallBody),
	answer: key,
	errors: ['not_found', 'conflict', 'store_unavailable'],
});

export const rotateKey = route({
	...owners,
	method: 'POST',
	path: '/nearglot/keys/rotate',
	summary: 'another secret for a key, which is shown once; the one before stops working at once',
	body: jsonBody(named, smallBody),
	answer: newKey,
	errors: ['not_found', 'conflict', 'store_unavailable'],
});

export const setPeopleLimits = route({
	...owners,
	method: 'POST',
	path: '/nearglot/keys/people',
	summary: 'limits of everybody who signs in through a gateway; those left out are none',
	body: strictBody(object(limits), smallBody),
	answer: z.object({ limits: shownLimits }),
	errors: ['unsupported_parameter', 'conflict', 'store_unavailable'],
});

const counts = {
	requests: z.number(),
	promptTokens: z.number(),
	cachedTokens: z.number(),
	completionTokens: z.number(),
	seconds: z.number(),
	characters: z.number(),
};

export const showUsage = route({
	...owners,
	method: 'GET',
	path: '/nearglot/usage',
	summary: 'what people have used, added up or row by row',
	query: object({
		from: optional(string({ maxLength: 10 })),
		to: optional(string({ maxLength: 10 })),
		by: optional(oneOf('person', 'model', 'kind', 'day', 'row')),
	}),
	answer: z.object({
		from: z.string(),
		to: z.string(),
		/** Whether what replicas have used is in it, and whether it is being written down. */
		shared: z.boolean(),
		kept: z.boolean(),
		rows: z.array(
			z.object({
				/** Of `by`; without it the four fields below. */
				name: z.string().exactOptional(),
				day: z.string().exactOptional(),
				person: z.string().exactOptional(),
				model: z.string().exactOptional(),
				kind: z.string().exactOptional(),
				...counts,
			}),
		),
	}),
	errors: ['store_unavailable'],
});

export const deleteUsage = route({
	...owners,
	method: 'POST',
	path: '/nearglot/usage/delete',
	summary: 'forgets what a person has used',
	body: jsonBody(object({ person: personField }), smallBody),
	answer: z.object({ deleted: z.number() }),
	errors: ['store_unavailable'],
});

export const forgetPerson = route({
	...owners,
	method: 'POST',
	path: '/nearglot/people/forget',
	summary:
		'deletes all that is stored of a person: responses, conversations, batches, files, and what they have used',
	body: jsonBody(object({ person: personField }), smallBody),
	answer: z.object({
		/** Responses and conversations. */
		responses: z.number(),
		batches: z.number(),
		files: z.number(),
		/** Rows of what they have used. */
		usage: z.number(),
	}),
	errors: ['conflict', 'store_unavailable', 'disk_full'],
});

export const endWork = route({
	method: 'POST',
	path: '/nearglot/work/end',
	who: 'member',
	scope: 'any',
	section: 'people',
	summary:
		'cancels what goes on in the background for whoever asks: responses and batches; how many there were',
	answer: z.object({ responses: z.number(), batches: z.number() }),
	errors: ['store_unavailable'],
});

export const peopleRoutes = [
	listKeys,
	createKey,
	revokeKey,
	rotateKey,
	setPeopleLimits,
	showUsage,
	deleteUsage,
	forgetPerson,
	endWork,
] as const;
