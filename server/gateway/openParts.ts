/**
 * Opens all that a start needs besides its ports: certificate, audit log, keys and store. `--check` does the
 * same, so that it cannot call usable what does not start.
 */

import { existsSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { Disposals } from '../protocol/disposals.ts';
import { asAppError } from '../protocol/errorWire.ts';
import { errno } from '../protocol/index.ts';
import { checkPlace, reasonOf, unusable } from '../store/checkPlace.ts';
import type { GatewaySettings } from './config/gatewaySettings.ts';
import { defaultKeysFile } from './fileAccess.ts';
import { type LoadedKeys, loadKeys } from './keys/keyFile.ts';
import { type AuditLog, openAuditLog } from './observe/audit.ts';
import { checkRedis } from './store/checkRedis.ts';
import { openRedisStore } from './store/redisStore.ts';
import { openSqliteStore } from './store/sqliteStore.ts';
import type { Store } from './store/store.ts';
import type { StoreReport } from './store/storeWatch.ts';

export interface GatewayParts extends AsyncDisposable {
	readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
	readonly audit: AuditLog;
	readonly keys: LoadedKeys;
	readonly store: Store;
}

export interface PartsOptions {
	readonly now: () => number;
	/** Where audit lines go when the settings name no file. */
	readonly log: Writable;
	/** False: files that are not there are not made; whether they could be is found out. */
	readonly make?: boolean;
	/** Stand in for those of the settings; they are owned from here on. */
	readonly keys?: LoadedKeys;
	readonly store?: Store;
}

/**
 * Opens everything, or nothing.
 * @throws AppError `invalid_request` that names the file and the setting
 */
export async function openParts(
	settings: GatewaySettings,
	options: PartsOptions,
): Promise<GatewayParts> {
	const { now, log, make = true } = options;
	await using stack = new Disposals();
	if (options.store) stack.use(options.store);
	if (options.keys) stack.use(options.keys);
	const tls = settings.tls && readCertificate(settings.tls);
	const auditFile = make
		? settings.auditFile
		: there(settings.auditFile, 'The audit log (x-gateway.auditFile)', '-');
	const audit = stack.use(openAuditLog(auditFile, log, now));
	const keys = options.keys ?? stack.use(loadKeys(settings, defaultKeysFile, now, make));
	const report: StoreReport = (reason) =>
		audit.write(
			reason === undefined ? { event: 'store_recovered' } : { event: 'store_failed', reason },
		);
	const store =
		options.store ?? stack.use(await openStore(settings, now, make, make ? report : undefined));
	const owned = stack.move();
	return { tls, audit, keys, store, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
}

function openStore(
	{ store }: GatewaySettings,
	now: () => number,
	make: boolean,
	report: StoreReport | undefined,
): Store | Promise<Store> {
	if (store.kind === 'redis')
		return make
			? openReachable(store.url, report)
			: checkRedis(store.url).then(() => openSqliteStore(':memory:', now));
	const what = 'The session store (x-gateway.store)';
	return openSqliteStore(
		make ? store.path : there(store.path, what, ':memory:', true),
		now,
		report,
	);
}

/** One that is away for a while is waited for; what no waiting mends is said before the layer starts. */
async function openReachable(url: string, report: StoreReport | undefined): Promise<Store> {
	await checkRedis(url).catch((error: unknown) => {
		if (asAppError(error).code !== 'store_unavailable') throw error;
	});
	return openRedisStore(url, report);
}

/** The file when it is there, else what stands in for it, once it is known that it could be made. */
function there(path: string, what: string, standIn: string, makesFolders = false): string {
	if (path === standIn || existsSync(path)) return path;
	checkPlace(path, what, makesFolders);
	return standIn;
}

/** Why a file cannot be read. */
const reading: ReadonlyMap<string, string> = new Map([
	['ENOENT', 'there is no such file'],
	['ENOTDIR', 'there is no such file'],
	['EACCES', 'this user may not read it'],
	['EPERM', 'this user may not read it'],
]);

/** What OpenSSL says, in words; the rest as it is. */
function tlsReason(error: unknown): string {
	const said = reasonOf(error);
	if (/key values mismatch/i.test(said)) return 'it belongs to another certificate';
	if (/no start line|bad base64|bad end line/i.test(said))
		return 'it holds nothing of the kind in PEM form. Check whether certificate and key were swapped';
	if (/bad decrypt|password|interrupted or cancelled/i.test(said))
		return 'it is protected by a password, which nobody could enter. Decrypt it: openssl pkey -in FILE';
	return said;
}

function readCertificate(files: NonNullable<GatewaySettings['tls']>): GatewayParts['tls'] {
	const read = (path: string, what: string) => {
		try {
			return readFileSync(path);
		} catch (error) {
			throw unusable(path, what, reading.get(errno(error) ?? '') ?? reasonOf(error), error);
		}
	};
	const cert = read(files.certFile, 'The certificate (x-gateway.tls.certFile)');
	const key = read(files.keyFile, 'The private key (x-gateway.tls.keyFile)');
	const usable = (path: string, what: string, part: { cert?: Buffer; key?: Buffer }) => {
		try {
			createSecureContext(part);
		} catch (error) {
			throw unusable(path, what, tlsReason(error), error);
		}
	};
	usable(files.certFile, 'The certificate (x-gateway.tls.certFile)', { cert });
	usable(files.keyFile, 'The private key (x-gateway.tls.keyFile)', { key });
	usable(files.keyFile, 'The private key (x-gateway.tls.keyFile)', { cert, key });
	return { cert, key };
}
