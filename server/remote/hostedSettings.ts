/**
 * What a user sets of the hosted translate service, apart from its secrets: the setting
 * `nearglot.translate.hosted`, or `NEARGLOT_HOSTED` for a daemon without an editor. Parsed here only.
 */

import { isRecord } from '../protocol/errorBody.ts';
import { AppError } from '../protocol/index.ts';

export interface HostedSettings {
	readonly endpoint?: string;
	readonly region?: string;
	/** `key` with every request, `token`s made from it, or tokens of a directory. */
	readonly signIn: 'key' | 'token' | 'directory';
	/** Custom system of requests that name none. */
	readonly category?: string;
	/** Resource the directory tokens are for; needed on the global address. */
	readonly resourceId?: string;
	/** OpenID Connect issuer of the directory. */
	readonly issuer?: string;
	readonly clientId?: string;
	readonly scope?: string;
}

const texts = [
	'endpoint',
	'region',
	'category',
	'resourceId',
	'issuer',
	'clientId',
	'scope',
] as const;

const wrong = (message: string): AppError =>
	new AppError('invalid_request', `The settings of the hosted translator: ${message}`, {
		param: 'nearglot.translate.hosted',
	});

/**
 * Reads the JSON of the setting; nothing set is `{ signIn: 'key' }`. Empty texts count as absent.
 *
 * @throws AppError `invalid_request` that names the field.
 */
export function parseHostedSettings(json: string | undefined): HostedSettings {
	if (json === undefined || json.trim() === '') return { signIn: 'key' };
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		throw wrong('they are not valid JSON.');
	}
	if (!isRecord(value)) throw wrong('an object is needed, such as {"region":"westeurope"}.');
	const fields = value as Readonly<Record<string, unknown>>;
	const known: Record<string, string> = {};
	for (const [name, given] of Object.entries(fields)) {
		if (name === 'signIn') continue;
		if (!texts.some((text) => text === name)) throw wrong(`'${name}' is not one of them.`);
		if (typeof given !== 'string') throw wrong(`${name} must be a text.`);
		if (given.trim() !== '') known[name] = given.trim();
	}
	for (const name of ['endpoint', 'issuer'] as const) {
		const address = known[name];
		if (address !== undefined && !safeAddress(address))
			throw wrong(`${name} must be an address that begins with https://.`);
	}
	const signIn = fields['signIn'] ?? 'key';
	if (signIn !== 'key' && signIn !== 'token' && signIn !== 'directory')
		throw wrong('signIn can be key, token or directory.');
	if (signIn === 'directory' && (known['issuer'] === undefined || known['clientId'] === undefined))
		throw wrong('signIn with the directory needs issuer and clientId.');
	return { ...known, signIn };
}

/** Credentials travel over TLS only; the own machine is the exception. */
function safeAddress(text: string): boolean {
	try {
		const { protocol, hostname } = new URL(text);
		return (
			protocol === 'https:' ||
			(protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
		);
	} catch {
		return false;
	}
}
