/**
 * The secret a gateway shares with the model server behind it. It opens nothing by itself: the gateway signs
 * with it who is signed in. Set in the environment of both; on one machine, for one user, a file does.
 */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../protocol/errors.ts';
import { errno } from '../../protocol/index.ts';
import { makePrivateDir, readPlainText, unwritable, writeDraft } from '../../store/files.ts';
import { removePath } from '../../store/movePath.ts';
import { linkPath } from '../../store/openPath.ts';
import { secretProblem } from './secretProblem.ts';

/** Environment variable of both sides. */
export const gatewaySecretName = 'NEARGLOT_GATEWAY_SECRET';

const fileIn = (dataDir: string): string => join(dataDir, 'gateway-secret');

/** The secret in a data folder; `undefined` when no gateway has been started there. */
export async function readSharedSecret(dataDir: string): Promise<string | undefined> {
	const text = (await readPlainText(fileIn(dataDir)))?.trim();
	return text === undefined || secretProblem(text) !== undefined ? undefined : text;
}

/**
 * The secret in a data folder, made when there is none. Of two that start at once both get the same.
 * @throws AppError when the folder cannot be written, or the file holds something else
 */
export async function ensureSharedSecret(dataDir: string): Promise<string> {
	const known = await readSharedSecret(dataDir);
	if (known !== undefined) return known;
	await makePrivateDir(dataDir);
	const path = fileIn(dataDir);
	const draft = await writeDraft(path, `${randomBytes(32).toString('hex')}\n`);
	try {
		await linkPath(draft, path);
	} catch (error) {
		if (errno(error) !== 'EEXIST') throw unwritable(dataDir, error);
	} finally {
		await removePath(draft, { force: true });
	}
	const secret = await readSharedSecret(dataDir);
	if (secret !== undefined) return secret;
	throw new AppError('store_unavailable', `${path} holds no secret. Remove it and try again.`);
}

/** A gateway that starts later than the model server makes the file then: it is looked for again after this. */
const rereadMs = 2000;

/**
 * The model server's side: what to check a gateway's word with. The environment wins; without it the file in
 * the data folder counts, whenever a gateway makes one.
 */
export function sharedSecrets(
	dataDir: string,
	env: NodeJS.ProcessEnv,
	elapsed: () => number = () => performance.now(),
): () => Promise<readonly string[]> {
	const given = env[gatewaySecretName];
	if (given) return () => Promise.resolve([given]);
	let read: { readonly atMs: number; readonly secrets: Promise<readonly string[]> } | undefined;
	return () => {
		if (read === undefined || elapsed() - read.atMs > rereadMs) {
			const secrets = readSharedSecret(dataDir).then(
				(secret) => (secret === undefined ? [] : [secret]),
				// A file that cannot be read is none: the refusal says what to set.
				() => [],
			);
			read = { atMs: elapsed(), secrets };
		}
		return read.secrets;
	};
}
