/**
 * Where downloads may connect to: public addresses and the hub that the user configured. Redirects to
 * private, link-local or loopback addresses are refused at connect time, so that a name that changes
 * its address between check and use gains nothing (CVE-2026-5530).
 */

import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from '../protocol/index.ts';

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
	if (!ipaddr.isValid(address)) return false;
	return ipaddr.process(address).range() === 'unicast';
}

/** Throws unless the URL is http(s) to a host that may be asked. `trusted` hosts may be private. */
export function checkUrl(url: URL, trusted: ReadonlySet<string>): void {
	if (url.protocol !== 'https:' && url.protocol !== 'http:')
		throw refused(url, `downloads use https, not ${url.protocol}`);
	if (url.username !== '' || url.password !== '') throw refused(url, 'it carries a user name');
	if (trusted.has(url.host)) return;
	if (url.protocol === 'http:') throw refused(url, 'only the configured hub may be plain http');
	const host = url.hostname.replace(/^\[|\]$/g, '');
	if (isIP(host) !== 0 && !isPublicAddress(host)) throw refused(url, 'it is a private address');
	if (/^localhost$|\.localhost$|\.local$|\.internal$/i.test(host))
		throw refused(url, 'it is a private name');
}

/** A `lookup` for sockets that answers only with public addresses, except for trusted host names. */
export function publicLookup(trustedNames: ReadonlySet<string>): LookupFunction {
	return (hostname, options, callback) => {
		resolveName(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
			if (error) return callback(error, '', 0);
			const allowed = trustedNames.has(hostname)
				? found
				: found.filter((entry) => isPublicAddress(entry.address));
			const first = allowed[0];
			if (first === undefined)
				return callback(
					new AppError(
						'forbidden',
						`${hostname} resolves to a private address; the download stops.`,
					),
					'',
					0,
				);
			if (options.all === true) callback(null, allowed);
			else callback(null, first.address, first.family);
		});
	};
}

function refused(url: URL, why: string): AppError {
	return new AppError(
		'forbidden',
		`The address ${url.origin === 'null' ? url.href.slice(0, 100) : url.origin} is refused: ${why}.`,
	);
}
