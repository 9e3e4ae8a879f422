/**
 * Where the keys come from: a key ring file (made when one copy runs and there is none) and the two
 * environment variables of the published interface.
 */

import { randomBytes } from 'node:crypto';
import {
	existsSync,
	linkSync,
	renameSync,
	rmSync,
	unwatchFile,
	watchFile,
	writeFileSync,
} from 'node:fs';
import { AppError } from '../../protocol/errors.ts';
import { errno } from '../../protocol/systemErrors.ts';
import { checkPlace, reasonOf, unusable } from '../../store/checkPlace.ts';
import type { GatewaySettings } from '../config/gatewaySettings.ts';
import { type KeyEntry, KeyRing, validAt } from './keyRing.ts';
import { type KeyFile, readKeyFile } from './readKeyFile.ts';

export interface LoadedKeys extends Disposable {
	readonly ring: KeyRing;
	/**
	 * Reads the file again. Returns why what it holds was refused; then the keys stay as they were, and
	 * {@link refused} says so until a later reading is taken.
	 */
	reload(): string | undefined;
	readonly refused: string | undefined;
	/** Reads the file again whenever it changes, and tells how that went. */
	watch(onReload: (refused: string | undefined) => void): void;
}

/**
 * Loads or makes the keys.
 *
 * @param defaultFile Used when the settings name no file.
 * @param make False: a file that is not there is not made, only whether it could be is found out.
 * @throws AppError `invalid_request` when they cannot be used, or several replicas would each make their own.
 */
export function loadKeys(
	settings: GatewaySettings,
	defaultFile: string,
	now: () => number,
	make = true,
): LoadedKeys {
	const { signingKey, encryptionKey, userIdKey } = settings.keys;
	const file = settings.keys.file ?? defaultFile;
	const env = environmentEntry(signingKey, encryptionKey);
	const inFile = existsSync(file) || !(env && userIdKey);
	const entriesOf = (found: KeyFile | undefined): readonly KeyEntry[] => {
		const entries = [...(found?.entries ?? []), ...(env ? [env] : [])];
		if (validAt(entries, now()).length > 0) return entries;
		throw new AppError(
			'invalid_request',
			`The key file ${file} cannot be used: none of its keys is valid now. Look at notBefore and retireAfter.`,
		);
	};
	const first = inFile ? firstKeys(file, settings.replicas, now(), make) : undefined;
	const idKey = userIdKey === undefined ? first!.userIdKey : Buffer.from(userIdKey, 'hex');
	const ring = new KeyRing(entriesOf(first), idKey, now);
	let refused: string | undefined;
	const reload = (): string | undefined => {
		try {
			const found = inFile || existsSync(file) ? readKeyFile(file) : undefined;
			if (found && userIdKey === undefined && !found.userIdKey.equals(idKey))
				throw new AppError(
					'invalid_request',
					`The key file ${file} cannot be used: its userIdKey is another one, so everybody would be somebody else.`,
				);
			ring.replace(entriesOf(found));
			refused = undefined;
		} catch (error) {
			refused = error instanceof Error ? error.message : String(error);
		}
		return refused;
	};
	let stop = () => {};
	return {
		ring,
		reload,
		get refused() {
			return refused;
		},
		watch(onReload) {
			const listener = () => onReload(reload());
			watchFile(file, { interval: 2000, persistent: false }, listener);
			stop = () => unwatchFile(file, listener);
		},
		[Symbol.dispose]: () => stop(),
	};
}

function firstKeys(file: string, replicas: number, now: number, make: boolean): KeyFile {
	if (existsSync(file)) return readKeyFile(file);
	if (replicas > 1) {
		throw new AppError(
			'invalid_request',
			`Several replicas need the same keys: give all of them the file ${file} (x-gateway.keysFile), or set the signing, encryption and user id keys in the environment.`,
		);
	}
	checkPlace(file, 'The key file (x-gateway.keysFile)');
	if (!make) return newKeys(now);
	writeKeyFile(file, now);
	return readKeyFile(file);
}

/** Makes a key ring, readable by the owner only, unless another copy was faster: then its keys count. */
export function writeKeyFile(file: string, now: number): void {
	const { userIdKey, entries } = newKeys(now);
	const keys = entries.map(({ kid, secret, notBefore }) => ({
		kid,
		secret: secret.toString('hex'),
		notBefore,
	}));
	const text = JSON.stringify({ userIdKey: userIdKey.toString('hex'), keys }, null, '\t');
	const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
	try {
		writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx' });
		linkSync(draft, file);
	} catch (error) {
		const code = errno(error);
		if (code === 'EEXIST') return;
		// File systems without hard links.
		if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EISDIR') renameSync(draft, file);
		else throw unusable(file, 'The key file (x-gateway.keysFile)', reasonOf(error), error);
	} finally {
		rmSync(draft, { force: true });
	}
}

function newKeys(now: number): KeyFile {
	const entry = {
		kid: `k${now.toString(36)}`,
		secret: randomBytes(32),
		notBefore: 0,
		retireAfter: Number.POSITIVE_INFINITY,
	};
	return { userIdKey: randomBytes(32), entries: [entry] };
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
