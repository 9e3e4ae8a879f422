/** Where a login or logout may end. Checked when it begins, not when it is over. */

import type { GatewaySettings } from '../config/gatewaySettings.ts';
import { isLoopback } from '../config/publicUrl.ts';

export type RedirectCheck =
	/** `local`: path on this host. `external`: allow-listed address. */
	| { readonly kind: 'local'; readonly value: string }
	| { readonly kind: 'external'; readonly value: string }
	| { readonly kind: 'refused' };

const refused: RedirectCheck = { kind: 'refused' };

/** Pages of the layer a login may end at; others would loop or sign out. */
const ownTargets = ['/handoff', '/device', '/login/done', '/logout/done'];

/**
 * Checks an address given by a caller.
 *
 * @param value Decoded query parameter; undefined or empty means `/`.
 */
export function checkRedirect(value: string | undefined, settings: GatewaySettings): RedirectCheck {
	if (value === undefined || value === '') return { kind: 'local', value: '/' };
	if (value.length > 4096 || isHostile(value)) return refused;
	const origin = settings.publicUrl.origin;
	if (value.startsWith('/')) return localPath(value, settings);
	// Schemes and names of hosts have no case.
	if (
		value.slice(0, origin.length).toLowerCase() === origin &&
		/^($|[/?#])/.test(value.slice(origin.length))
	) {
		const rest = value.slice(origin.length);
		return localPath(rest.startsWith('/') ? rest : `/${rest}`, settings);
	}
	// Neither a scheme nor a slash: a path on this host.
	if (!/^[a-z][a-z0-9+.-]*:/i.test(value)) return localPath(`/${value}`, settings);
	return isAllowedExternal(value, settings.login.allowedRedirects)
		? { kind: 'external', value }
		: refused;
}

function localPath(path: string, settings: GatewaySettings): RedirectCheck {
	const decoded = decodeAll(path.split(/[?#]/, 1)[0]!);
	if (decoded.startsWith('//') || path.startsWith('//')) return refused;
	const url = new URL(path, settings.publicUrl);
	if (url.origin !== settings.publicUrl.origin) return refused;
	const canonical = decoded.toLowerCase().replace(/\/+/g, '/');
	const prefix = settings.apiPrefix.toLowerCase();
	const own =
		canonical === prefix ||
		canonical.startsWith(`${prefix}/`) ||
		url.pathname.toLowerCase().startsWith(`${prefix}/`);
	if (own && !ownTargets.some((target) => url.pathname === settings.apiPrefix + target))
		return { kind: 'local', value: '/' };
	return { kind: 'local', value: path };
}

/** Control characters, white space or backslashes, however often they are encoded. */
function isHostile(value: string): boolean {
	const text = decodeAll(value);
	return /[\x00-\x1f\x7f\\]/.test(text) || /[\s\x80-\x9f]/.test(value) || /^\/\s/.test(text);
}

function decodeAll(value: string): string {
	let text = value;
	for (let round = 0; round < 4 && text.includes('%'); round++) {
		const next = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
			String.fromCharCode(Number.parseInt(hex, 16)),
		);
		if (next === text) break;
		text = next;
	}
	return text;
}

/** Scheme, authority and path must be exactly one of the list; the query does not count. */
export function isAllowedExternal(value: string, allowed: readonly string[]): boolean {
	const asked = split(value);
	if (!asked || isHostile(value) || value.includes('#')) return false;
	return allowed.some((entry) => {
		const rule = split(entry);
		if (!rule || rule.scheme !== asked.scheme || rule.path !== asked.path) return false;
		if (rule.authority === asked.authority) return true;
		// RFC 8252, 7.3: a native client on this machine picks its port when it starts.
		const [ruleHost, askedHost] = [rule.authority, asked.authority].map((text) =>
			text.replace(/:(?:\*|\d{1,5})$/, ''),
		);
		const anyPort = !/:\d+$/.test(rule.authority);
		return (
			rule.scheme === 'http' &&
			anyPort &&
			ruleHost === askedHost &&
			isLoopback(ruleHost!) &&
			ruleHost !== 'localhost'
		);
	});
}

function split(value: string): { scheme: string; authority: string; path: string } | undefined {
	const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\\]+)(\/[^?#]*)?(?:\?[^#]*)?$/i.exec(value);
	if (!match) return undefined;
	const path = match[3] ?? '';
	if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) return undefined;
	return { scheme: match[1]!.toLowerCase(), authority: match[2]!.toLowerCase(), path };
}
