/** The key ring file: its form, checked to the last key, as a date nobody can read would be no date. */

import { readFileSync } from 'node:fs';
import { AppError } from '../../protocol/errors.ts';
import { errno } from '../../protocol/systemErrors.ts';
import { reasonOf } from '../../store/checkPlace.ts';
import { checkSchema } from '../config/checkSchema.ts';
import { asFields, type Fields, textOf } from '../config/fields.ts';
import type { Schema } from '../config/schema.ts';
import type { KeyEntry } from './keyRing.ts';
import { hexKeyProblem } from './secretProblem.ts';

export interface KeyFile {
	readonly userIdKey: Buffer;
	readonly entries: readonly KeyEntry[];
}

const schema: Schema = {
	type: 'object',
	required: ['userIdKey', 'keys'],
	additionalProperties: false,
	properties: {
		userIdKey: { type: 'string' },
		keys: {
			type: 'array',
			minItems: 1,
			items: {
				type: 'object',
				required: ['kid', 'secret'],
				additionalProperties: false,
				properties: {
					kid: { type: 'string', pattern: '^[\\w.-]{1,32}$' },
					secret: { type: 'string' },
					// Unix milliseconds or a date.
					notBefore: {},
					retireAfter: {},
				},
			},
		},
	},
};

/** @throws AppError `invalid_request` that names the file and what is wrong in it. */
export function readKeyFile(file: string): KeyFile {
	const wrong = (message: string, cause?: unknown) =>
		new AppError('invalid_request', `The key file ${file} ${message}`, { cause });
	let value: unknown;
	try {
		value = JSON.parse(readFileSync(file, 'utf8'));
	} catch (error) {
		const why = errno(error) === 'ENOENT' ? 'it is gone' : reasonOf(error);
		throw wrong(`cannot be read: ${error instanceof SyntaxError ? 'it is not JSON' : why}.`, error);
	}
	const [mistake] = checkSchema(value, schema).errors;
	if (mistake) throw wrong(`cannot be used: ${mistake.path} ${mistake.message}`);
	const fields = asFields(value);
	const userIdKey = textOf(fields, 'userIdKey') ?? '';
	const weak = hexKeyProblem(userIdKey);
	if (weak !== undefined) throw wrong(`cannot be used: userIdKey ${weak}`);
	const rows = (fields['keys'] as readonly unknown[]).map(asFields);
	const entries = rows.map((row): KeyEntry => {
		const [kid, secret] = [textOf(row, 'kid') ?? '', textOf(row, 'secret') ?? ''];
		if (kid === 'env') throw wrong("has a key with the kid 'env', which is of the environment.");
		const guessable = hexKeyProblem(secret);
		if (guessable !== undefined) throw wrong(`cannot be used: the secret of ${kid} ${guessable}`);
		const time = (key: string, standard: number) => {
			const at = timeOf(row, key, standard);
			if (at !== undefined) return at;
			throw wrong(
				`cannot be used: ${key} of ${kid} must be a date such as 2026-05-01T12:00:00Z or Unix milliseconds, is ${JSON.stringify(row[key])}.`,
			);
		};
		const notBefore = time('notBefore', 0);
		const retireAfter = time('retireAfter', Number.POSITIVE_INFINITY);
		if (retireAfter <= notBefore) throw wrong(`cannot be used: ${kid} retires before it begins.`);
		return { kid, secret: Buffer.from(secret, 'hex'), notBefore, retireAfter };
	});
	if (new Set(entries.map((entry) => entry.kid)).size < entries.length)
		throw wrong('has the same kid twice.');
	return { userIdKey: Buffer.from(userIdKey, 'hex'), entries };
}

const isoDate =
	/^\d{4}-\d{2}-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix milliseconds; undefined for what is no time. */
function timeOf(row: Fields, key: string, standard: number): number | undefined {
	const value = row[key];
	if (value === undefined) return standard;
	if (typeof value === 'number')
		return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
	const day = typeof value === 'string' ? isoDate.exec(value)?.[1] : undefined;
	if (day === undefined) return undefined;
	const text = value as string;
	// A 30th of February would count as a day in March.
	const real = new Date(text.slice(0, 10)).getUTCDate() === Number(day);
	const at = Date.parse(text);
	return real && !Number.isNaN(at) ? at : undefined;
}
