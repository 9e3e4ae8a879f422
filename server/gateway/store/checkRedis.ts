/** Asks a Redis once whether it can be the store, and says what stands in the way. */

import { AppError, type ErrorCode } from '../../protocol/errors.ts';
import { systemReason } from '../../protocol/systemErrors.ts';
import { inTime, makeClient, prefix } from './redisStore.ts';

type Fault = readonly [pattern: RegExp, reason: string, wayOut: string, mayPass?: true];

/** How it is called where it is configured. */
export interface RedisName {
	/** `The session store (x-gateway.store)` */
	readonly what: string;
	/** `x-gateway.store` */
	readonly where: string;
}

const sessionStore: RedisName = {
	what: 'The session store (x-gateway.store)',
	where: 'x-gateway.store',
};

const settings = 'Correct the address in WHERE.';

/** What is wrong, by the words of Redis, of the client or of TLS. */
const faults: readonly Fault[] = [
	[/WRONGPASS|invalid password|without any password/i, 'it refuses the name or password', settings],
	[/NOAUTH|Authentication required/i, 'it wants a password', settings],
	[/NOPERM|no permissions/i, 'its user may not write there', 'Give that user the right to.'],
	[/DB index|invalid DB/i, 'it has no database of that number', settings],
	[
		/MOVED|CROSSSLOT|CLUSTERDOWN|cluster mode/,
		'it belongs to a Redis Cluster, whose nodes have a part of the keys each',
		'Name a Redis or Valkey in WHERE that has all keys: a server of its own, or the primary of some.',
	],
	// After a fail-over the address may lead to the new primary a moment later.
	[/READONLY/, 'it is a replica that cannot be written', 'Name the primary in WHERE.', true],
	[
		/WRONG_VERSION_NUMBER|wrong version number|packet length/i,
		'it does not speak TLS',
		'Write redis:// instead of rediss:// in WHERE, or turn its TLS on.',
	],
	[
		/CERT|SELF_SIGNED|ISSUER|ALTNAME|certificate/i,
		'its certificate is not trusted',
		'Give this process its authority with NODE_EXTRA_CA_CERTS, or correct the certificate.',
	],
	[
		/Socket closed|ECONNRESET|Protocol error|Cannot parse|unexpected/i,
		'it ends the connection or is no Redis',
		'Check the port, and whether it wants TLS (rediss://).',
	],
];

/** @throws AppError that names the server, never the password; `store_unavailable` for what may pass by itself */
export async function checkRedis(url: string, name = sessionStore): Promise<void> {
	const client = makeClient(url, { again: false, setting: name.where });
	// What fails is thrown below.
	client.on('error', () => {});
	try {
		await inTime(() => client.connect());
		await inTime(() => client.ping());
		const expiration = { type: 'PX', value: 1000 } as const;
		// Whoever may not ask is told by the first key that lies elsewhere.
		const info = await inTime(() => client.info('cluster')).catch(() => '');
		if (/^cluster_enabled:1/m.test(info)) throw new Error('cluster mode');
		await inTime(() => client.set(`${prefix}check`, '', { expiration }));
	} catch (error) {
		throw problemOf(url, error, name);
	} finally {
		if (client.isOpen) client.destroy();
	}
}

function problemOf(url: string, error: unknown, { what, where }: RedisName): AppError {
	const text = textOf(error);
	const [, reason, wayOut, mayPass] = faults.find(([pattern]) => pattern.test(text)) ?? [];
	const code: ErrorCode = reason === undefined || mayPass ? 'store_unavailable' : 'invalid_request';
	const { host } = new URL(url);
	const why = reason ?? systemReason(rootOf(error)) ?? text;
	return new AppError(
		code,
		`${what} at ${host} cannot be used: ${why}. ${(wayOut ?? 'Start it, or correct the address, and check again.').replace('WHERE', where)}`,
		{ cause: error },
	);
}

/** Several addresses of one name fail together, and then the reasons are inside. */
const rootOf = (error: unknown): unknown =>
	error instanceof AggregateError && error.errors.length > 0 ? rootOf(error.errors[0]) : error;

function textOf(error: unknown): string {
	const root = rootOf(error);
	const { code } = root as { readonly code?: unknown };
	return [typeof code === 'string' ? code : '', root instanceof Error ? root.message : String(root)]
		.filter((part) => part !== '')
		.join(': ');
}
