/**
 * Where the keys come from: a key ring file (made when one copy runs and there is none) and the two
 * environment variables of the published interface.
 */

import { randomBytes } from 'node:crypto';
import {
	existsSync,
	linkSync,
	readFileSync,
	renameSync,
	rmSync,
	unwatchFile,
	watchFile,
	writeFileSync,
} from 'node:fs';
import { AppError } from '../../protocol/errors.ts';
import { asFields, numberOf, textOf } from '../config/fields.ts';
import type { GatewaySettings } from '../config/settings.ts';
import { type KeyEntry, KeyRing } from './keyRing.ts';

interface KeyFile {
	readonly userIdKey: Buffer;
	readonly entries: readonly KeyEntry[];
}

export interface LoadedKeys extends Disposable {
	readonly ring: KeyRing;
	/** Reads the file again (SIGHUP, file change). Returns what went wrong, if anything. */
	reload(): string | undefined;
}

/**
 * Loads or makes the keys.
 *
 * @param defaultFile Used when the settings name no file.
 * @throws AppError `invalid_request` when several replicas would each make their own keys.
 */
export function loadKeys(
	settings: GatewaySettings,
	defaultFile: string,
	now: () => number,
): LoadedKeys {
	const { signingKey, encryptionKey, userIdKey } = settings.keys;
	const file = settings.keys.file ?? defaultFile;
	const env = environmentEntry(signingKey, encryptionKey);
	if (!existsSync(file) && !(env && userIdKey)) {
		if (settings.replicas > 1) {
			throw new AppError(
				'invalid_request',
				`Several replicas need the same keys: give all of them the file ${file}, or set the signing, encryption and user id keys in the environment.`,
			);
		}
		writeKeyFile(file, now());
	}
	const read = (): KeyFile | undefined => (existsSync(file) ? readKeyFile(file) : undefined);
	const first = read();
	const entriesOf = (found: KeyFile | undefined) => [
		...(found?.entries ?? []),
		...(env ? [env] : []),
	];
	const ring = new KeyRing(
		entriesOf(first),
		userIdKey === undefined ? first!.userIdKey : Buffer.from(userIdKey, 'hex'),
		now,
	);
	ring.current('cookie-enc');
	const reload = (): string | undefined => {
		try {
			ring.replace(entriesOf(read()));
			return undefined;
		} catch (error) {
			return error instanceof Error ? error.message : String(error);
		}
	};
	const listener = () => void reload();
	watchFile(file, { interval: 2000, persistent: false }, listener);
	return { ring, reload, [Symbol.dispose]: () => unwatchFile(file, listener) };
}

/** Makes a key ring, readable by the owner only, unless another copy was faster: then its keys count. */
export function writeKeyFile(file: string, now: number): void {
	const text = JSON.stringify(
		{
			userIdKey: randomBytes(32).toString('hex'),
			keys: [
				{ kid: `k${now.toString(36)}`, secret: randomBytes(32).toString('hex'), notBefore: 0 },
			],
		},
		null,
		'\t',
	);
	const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
	try {
		writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx' });
		linkSync(draft, file);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'EEXIST') return;
		// File systems without hard links.
		if (code === 'EPERM' || code === 'ENOTSUP') renameSync(draft, file);
		else throw error;
	} finally {
		rmSync(draft, { force: true });
	}
}

function readKeyFile(file: string): KeyFile {
	const wrong = (message: string) =>
		new AppError('invalid_request', `The key file ${file} ${message}`);
	let value: unknown;
	try {
		value = JSON.parse(readFileSync(file, 'utf8'));
	} catch {
		throw wrong('cannot be read as JSON.');
	}
	const fields = asFields(value);
	const userIdKey = textOf(fields, 'userIdKey') ?? '';
	const rows = Array.isArray(fields['keys']) ? fields['keys'].map(asFields) : [];
	if (!/^[0-9a-f]{64,}$/i.test(userIdKey))
		throw wrong("needs 'userIdKey', at least 64 hexadecimal digits.");
	const entries = rows.map((row): KeyEntry => {
		const [kid, secret] = [textOf(row, 'kid') ?? '', textOf(row, 'secret') ?? ''];
		if (!/^[\w.-]{1,32}$/.test(kid) || kid === 'env')
			throw wrong("has a key whose 'kid' is not 1 to 32 letters or digits.");
		if (!/^[0-9a-f]{64,}$/i.test(secret))
			throw wrong(`needs at least 64 hexadecimal digits as 'secret' of ${kid}.`);
		return {
			kid,
			secret: Buffer.from(secret, 'hex'),
			notBefore: timeOf(row, 'notBefore', 0),
			retireAfter: timeOf(row, 'retireAfter', Number.POSITIVE_INFINITY),
		};
	});
	if (entries.length === 0) throw wrong('holds no key.');
	if (new Set(entries.map((entry) => entry.kid)).size < entries.length)
		throw wrong('has the same kid twice.');
	return { userIdKey: Buffer.from(userIdKey, 'hex'), entries };
}

/** Unix milliseconds or a date text. */
function timeOf(row: Readonly<Record<string, unknown>>, key: string, standard: number): number {
	const text = textOf(row, key);
	const parsed = text === undefined ? numberOf(row, key, standard) : Date.parse(text);
	return Number.isNaN(parsed) ? standard : parsed;
}

function environmentEntry(
	signing: string | undefined,
	encryption: string | undefined,
): KeyEntry | undefined {
	if (signing === undefined || encryption === undefined) return undefined;
	return {
		kid: 'env',
		secret: Buffer.from(encryption, 'hex'),
		signingSecret: Buffer.from(signing, 'hex'),
		notBefore: 1,
		retireAfter: Number.POSITIVE_INFINITY,
	};
}
