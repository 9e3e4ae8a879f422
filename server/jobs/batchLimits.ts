/** How large files and batches may be and how long they are kept; all can be raised by environment variables. */

import { AppError } from '../protocol/index.ts';

const mib = 1_048_576;

export interface JobLimits {
	/** Bytes of a file that is uploaded. */
	readonly fileBytes: number;
	/** What one person may keep, results of batches included: bytes, and files. More are not taken. */
	readonly personBytes: number;
	readonly personFiles: number;
	/** Bytes and lines of the file of a batch. */
	readonly batchBytes: number;
	readonly batchLines: number;
	/** Batches that have not ended: of everybody, and of one person. */
	readonly openBatches: number;
	readonly openOfPerson: number;
	/** Days that ended batches and their files are kept. */
	readonly keepDays: number;
}

/**
 * `NEARGLOT_FILE_MB` (512), `NEARGLOT_FILES_MB` (10240) and `NEARGLOT_FILES` (10000) of one person, `NEARGLOT_BATCH_MB` (200),
 * `NEARGLOT_BATCH_LINES` (50000), `NEARGLOT_BATCH_OPEN` (1000; of one person a quarter of it) and `NEARGLOT_BATCH_DAYS` (30).
 * @throws AppError `invalid_request` for values that are no numbers in their range
 */
export function jobLimits(env: NodeJS.ProcessEnv): JobLimits {
	const open = read(env, 'NEARGLOT_BATCH_OPEN', 1000, 1, 1_000_000);
	return {
		fileBytes: read(env, 'NEARGLOT_FILE_MB', 512, 1, 1_000_000) * mib,
		personBytes: read(env, 'NEARGLOT_FILES_MB', 10_240, 1, 100_000_000) * mib,
		personFiles: read(env, 'NEARGLOT_FILES', 10_000, 1, 1_000_000),
		batchBytes: read(env, 'NEARGLOT_BATCH_MB', 200, 1, 1_000_000) * mib,
		batchLines: read(env, 'NEARGLOT_BATCH_LINES', 50_000, 1, 100_000_000),
		openBatches: open,
		openOfPerson: Math.max(1, Math.floor(open / 4)),
		keepDays: read(env, 'NEARGLOT_BATCH_DAYS', 30, 1, 3650),
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
