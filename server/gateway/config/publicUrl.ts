/** The address users see: the one in the settings, else where the layer listens on this computer. */

import type { Problems } from './configProblems.ts';
import type { GatewaySettings } from './gatewaySettings.ts';

export interface ListenAddress {
	readonly host: string;
	/** 0 until the system has chosen one. */
	readonly port: number;
}

/** Reads `publicUrl`; `undefined` when the address listened on stands for it. */
export function parsePublicUrl(value: string | undefined, problems: Problems): URL | undefined {
	if (value === undefined) return undefined;
	const url = URL.canParse(value) ? new URL(value) : undefined;
	const extras =
		url && [url.search, url.hash, url.username, url.password].some((part) => part !== '');
	if (url?.pathname !== '/' || extras) {
		problems.error(
			'x-gateway.publicUrl',
			`must be an address without path, such as https://team.example, is '${value}'.`,
		);
		return undefined;
	}
	if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
		problems.error(
			'x-gateway.publicUrl',
			'must be https, unless it is on this machine (localhost, 127.0.0.1).',
		);
	}
	return url;
}

/** Where a layer without `publicUrl` is reached: by the name that providers know, where that leads to it. */
export function standardUrl({ host, port }: ListenAddress): URL {
	const other = isLoopback(host) && host !== '127.0.0.1' && host !== '::1';
	return new URL(`http://${other ? host : 'localhost'}:${port}`);
}

/** The settings once the port is known: an address that waited for it gets it. */
export function withBoundPort(settings: GatewaySettings, port: number): GatewaySettings {
	if (settings.publicUrl.port !== '0') return settings;
	const publicUrl = new URL(settings.publicUrl);
	publicUrl.port = String(port);
	return { ...settings, publicUrl };
}

/** True for names that never leave the machine. */
export function isLoopback(hostname: string): boolean {
	return (
		['localhost', '::1', '[::1]'].includes(hostname.toLowerCase()) ||
		/^127(\.\d{1,3}){3}$/.test(hostname)
	);
}
