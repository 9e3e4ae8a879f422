/** Which values of `Host` are answered: the public address, what the settings add, and this computer's own names. */

import type { GatewaySettings } from '../config/gatewaySettings.ts';

/** `alias`: another name of this computer for the public address, at which no cookie of it would arrive. */
export type HostKind = 'served' | 'alias' | 'foreign';

type HostSettings = Pick<GatewaySettings, 'publicUrl' | 'publicUrlGiven' | 'otherHosts'>;

const ownNames = ['localhost', '127.0.0.1', '[::1]'];

/** Reads the settings once; compare with lower-case values. */
export function hostKinds(settings: HostSettings): (host: string) => HostKind {
	const { publicUrl, otherHosts, publicUrlGiven } = settings;
	const usual = publicUrl.protocol === 'https:' ? '443' : '80';
	const port = publicUrl.port || usual;
	// Some clients write the port even when it is the usual one.
	const served = new Set([publicUrl.host, `${publicUrl.hostname}:${port}`, ...otherHosts]);
	const spellings = ownNames.flatMap((name) =>
		port === usual ? [name, `${name}:${port}`] : [`${name}:${port}`],
	);
	const aliases = new Set(publicUrlGiven ? [] : spellings);
	return (host) => (served.has(host) ? 'served' : aliases.has(host) ? 'alias' : 'foreign');
}
