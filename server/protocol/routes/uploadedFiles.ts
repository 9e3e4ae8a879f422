/** Files that people upload for batches, and those that batches have made. */

import * as z from 'zod';
import { integer, object, oneOf, optional, string } from './fields.ts';
import { formNumber, formText, neededText } from './formFields.ts';
import { numeric } from './numeric.ts';
import { route } from './route.ts';

/** Field with the file. */
export const uploadField = 'file';

const file = z.object({
	id: z.string(),
	object: z.literal('file'),
	bytes: z.number(),
	created_at: z.number(),
	expires_at: z.number().nullable(),
	filename: z.string(),
	purpose: z.string(),
	status: z.literal('processed'),
	/** Of its bytes, in hex. */
	sha256: z.string(),
});
export type FileAnswer = z.output<typeof file>;

const members = { who: 'member', scope: 'any', also: ['studio'], section: 'batch' } as const;
const stored = ['store_unavailable'] as const;

/** The texts of the form beside the file. */
export const fileForm = object({
	purpose: neededText('`batch`, or `user_data` for recordings that items of batches name.'),
	'expires_after[anchor]': formText('`created_at`.', { maxLength: 20 }),
	'expires_after[seconds]': formNumber({
		...{ type: 'integer', min: 3600, max: 2_592_000 },
		description: 'Seconds after which the file is removed.',
	}),
});

export const uploadFile = route({
	...members,
	method: 'POST',
	path: '/v1/files',
	summary:
		'multipart: `file`, `purpose` (batch, user_data), `expires_after`; keeps a file, which goes to disk while it comes',
	body: {
		kind: 'form',
		schema: fileForm,
		file: {
			name: uploadField,
			description: 'The file, at most 512 MB unless the server sets another limit.',
		},
	},
	answer: file,
	errors: ['payload_too_large', 'disk_full', ...stored],
});

export const listFiles = route({
	...members,
	method: 'GET',
	path: '/v1/files',
	summary: 'your files, newest first',
	query: object({
		limit: optional(numeric(integer({ min: 1, max: 10_000 }))),
		order: optional(oneOf('asc', 'desc')),
		after: optional(string({ minLength: 1, maxLength: 128 })),
		purpose: optional(string({ maxLength: 64 })),
	}),
	answer: z.object({
		object: z.literal('list'),
		data: z.array(file),
		first_id: z.string().nullable(),
		last_id: z.string().nullable(),
		has_more: z.boolean(),
	}),
	errors: ['not_found', ...stored],
});

export const showFile = route({
	...members,
	method: 'GET',
	path: '/v1/files/:id',
	summary: 'what is known of a file',
	answer: file,
	errors: ['not_found', ...stored],
});

export const fileContent = route({
	...members,
	method: 'GET',
	path: '/v1/files/:id/content',
	summary: 'a file as it was uploaded, or as a batch has made it',
	answers: ['application/octet-stream'],
	errors: ['not_found', ...stored],
});

export const deleteFile = route({
	...members,
	method: 'DELETE',
	path: '/v1/files/:id',
	summary: 'deletes a file; a batch that still reads it fails, and keeps what was done',
	answer: z.object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
	errors: ['not_found', ...stored],
});

export const fileRoutes = [uploadFile, listFiles, showFile, fileContent, deleteFile] as const;
