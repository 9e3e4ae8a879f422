/** The key ring file: its form, checked to the last key, as a date nobody can read would be no date. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { AppError } from '../../protocol/errors.ts';
import { errno } from '../../protocol/systemErrors.ts';
import { reasonOf } from '../../store/checkPlace.ts';
import { checkSchema } from '../config/checkSchema.ts';
import type { KeyEntry } from './keyRing.ts';
import { hexKeyProblem } from './secretProblem.ts';

export interface KeyFile {
	readonly userIdKey: Buffer;
	readonly entries: readonly KeyEntry[];
}

const schema = z.strictObject({
	userIdKey: z.string(),
	keys: z
		.array(
			z.strictObject({
				kid: z.string().regex(/^[\w.-]{1,32}$/),
				secret: z.string(),
				// Unix milliseconds or a date.
				notBefore: z.unknown().optional(),
				retireAfter: z.unknown().optional(),
			}),
		)
		.min(1),
});

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
	const { errors, value: found } = checkSchema(value, schema);
	const [mistake] = errors;
	if (mistake) throw wrong(`cannot be used: ${mistake.path} ${mistake.message}`);
	const weak = hexKeyProblem(found.userIdKey);
	if (weak !== undefined) throw wrong(`cannot be used: userIdKey ${weak}`);
	const entries = found.keys.map(({ kid, secret, ...times }): KeyEntry => {
		if (kid === 'env') throw wrong("has a key with the kid 'env', which is of the environment.");
		const guessable = hexKeyProblem(secret);
		if (guessable !== undefined) throw wrong(`cannot be used: the secret of ${kid} ${guessable}`);
		const time = (key: 'notBefore' | 'retireAfter', standard: number) => {
			const at = timeOf(times[key], standard);
			if (at !== undefined) return at;
			throw wrong(
				`cannot be used: ${key} of ${kid} must be a date such as 2026-05-01T12:00:00Z or Unix milliseconds, is ${JSON.stringify(times[key])}.`,
			);
		};
		const notBefore = time('notBefore', 0);
		const retireAfter = time('retireAfter', Number.POSITIVE_INFINITY);
		if (retireAfter <= notBefore) throw wrong(`cannot be used: ${kid} retires before it begins.`);
		return { kid, secret: Buffer.from(secret, 'hex'), notBefore, retireAfter };
	});
	if (new Set(entries.map((entry) => entry.kid)).size < entries.length)
		throw wrong('has the same kid twice.');
	return { userIdKey: Buffer.from(found.userIdKey, 'hex'), entries };
}

const isoDate =
	/^\d{4}-\d{2}-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix milliseconds; undefined for what is no time. */
function timeOf(value: unknown, standard: number): number | undefined {
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
