/** How much of responses is kept and how long; both can be set by environment variables. */

import { AppError } from '../../protocol/index.ts';
import type { AnswerLimits } from './answerStore.ts';

const mib = 1_048_576;

/**
 * `NEARGLOT_RESPONSES_DAYS` (30) and `NEARGLOT_RESPONSES_MB` (64, for each person). 0 days: nothing is kept.
 * @throws AppError `invalid_request` for values that are no numbers in their range
 */
export function answerLimits(env: NodeJS.ProcessEnv): AnswerLimits {
	const personMb = read(env, 'NEARGLOT_RESPONSES_MB', 64, 8, 10_000);
	return {
		days: read(env, 'NEARGLOT_RESPONSES_DAYS', 30, 0, 3650),
		personBytes: personMb * mib,
		personEntries: 10_000,
		allBytes: 16 * personMb * mib,
		entryBytes: 4 * mib,
	};
}

function read(
	env: NodeJS.ProcessEnv,
	name: string,
	usual: number,
	min: number,
	max: number,
): number {
	const text = env[name];
	if (text === undefined || text === '') return usual;
	const value = Number(text);
	if (Number.isInteger(value) && value >= min && value <= max) return value;
	throw new AppError(
		'invalid_request',
		`${name} must be a whole number from ${min} to ${max}, not '${text.slice(0, 40)}'.`,
	);
}

/** Why nothing is kept for somebody, and what to do. */
export const notKept = (person: string | undefined): string =>
	person === undefined
		? 'nothing is kept for callers who cannot be told apart. Sign in, or send the whole conversation in input.'
		: 'this server keeps no responses (NEARGLOT_RESPONSES_DAYS is 0). Send the whole conversation in input.';
