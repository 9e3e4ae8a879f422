/** The key of a server: where it comes from, and when it is needed. */

import { readFile } from 'node:fs/promises';
import { isLoopback } from '../gateway/config/publicUrl.ts';
import { secretProblem } from '../gateway/keys/secretProblem.ts';
import { UsageError } from './command.ts';
import { fileProblem } from './fileProblem.ts';

/**
 * The key the owner has chosen, in `NEARGLOT_KEY` or in the file that `NEARGLOT_KEY_FILE` names.
 * @throws UsageError when it could be guessed or cannot be sent, and for a file that cannot be read
 */
export async function ownKey(env: NodeJS.ProcessEnv): Promise<string | undefined> {
	const path = env['NEARGLOT_KEY_FILE'];
	const written = env['NEARGLOT_KEY'];
	if (!path) return written ? checkedKey('NEARGLOT_KEY', written) : undefined;
	if (written)
		throw new UsageError('NEARGLOT_KEY and NEARGLOT_KEY_FILE are both set: keep one of them.');
	const text = await readFile(path, 'utf8').catch((error) => {
		throw new UsageError(`NEARGLOT_KEY_FILE: ${path} cannot be read: ${fileProblem(error)}.`);
	});
	// Editors and `echo` end a file with a line end.
	return checkedKey(`The key in ${path}`, text.replace(/\r?\n$/, ''));
}

function checkedKey(where: string, key: string): string {
	const weak = secretProblem(key);
	if (weak !== undefined) throw new UsageError(`${where} ${weak}`);
	if (!/^[\x21-\x7e]+$/.test(key))
		throw new UsageError(
			`${where} holds blanks or letters that no request can carry: use ASCII letters, digits and signs.`,
		);
	return key;
}

/** Whether every caller needs the key: other machines get in with one only. */
export function keyNeeded(asked: boolean, host: string, key: string | undefined): boolean {
	if (asked || (!isLoopback(host) && key !== undefined)) return true;
	if (isLoopback(host)) return false;
	throw new UsageError(
		`Listening on ${host} lets other machines in. Set NEARGLOT_KEY (or NEARGLOT_KEY_FILE) or add --require-key.`,
	);
}
