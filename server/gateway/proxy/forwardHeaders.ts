/**
 * Builds the header list that goes to the app (and the one that comes back). The client's own
 * identity headers are removed under every spelling before ours are added.
 */

import { personHeader, signOutHeader } from '../../protocol/personHeaders.ts';
import { memberRole, roleHeader } from '../../protocol/roleHeader.ts';
import type { GatewaySettings } from '../config/gatewaySettings.ts';
import { signPerson } from '../identity/signedPerson.ts';
import { dropCookies, isOwnCookie, setCookieName } from '../session/cookies.ts';
import { type Hops, hopHeader } from './hops.ts';
import {
	canonicalName,
	headerPairs,
	type InjectedHeader,
	type RawHeaders,
	valuesOf,
} from './rawHeaders.ts';
import type { RequestHead } from './requestHead.ts';

const hopByHop = new Set([
	'connection',
	'keep-alive',
	'proxy-authenticate',
	'proxy-authorization',
	'proxy-connection',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
	'expect',
	'http2-settings',
]);

/** Framing and routing: a client cannot take these off by naming them in `Connection`. */
const keptWhenListed = new Set([
	'host',
	'content-length',
	'content-type',
	'cookie',
	'authorization',
	'origin',
]);

/** Headers by which a client could tell the app another path or place than the one decided on. */
const pathOverrides = new Set([
	'x-original-url',
	'x-rewrite-url',
	'x-original-uri',
	'x-forwarded-uri',
	'x-forwarded-prefix',
	'x-forwarded-path',
]);

const forwardingNames = new Set([
	'forwarded',
	'x-forwarded-for',
	'x-forwarded-host',
	'x-forwarded-proto',
	'x-forwarded-port',
	'x-forwarded-server',
	'x-forwarded-scheme',
	'x-forwarded-user',
	'x-real-ip',
	'x-client-ip',
	'true-client-ip',
]);

/** Decides whether a header name belongs to the layer, whatever separators it is written with. */
export function reservedNames(settings: GatewaySettings): (name: string) => boolean {
	const vendors = new Set(['ms', settings.headers.vendor.toLowerCase()]);
	const prefixes = [...vendors].flatMap((vendor) => [
		`x-${vendor}-client-principal`,
		`x-${vendor}-token-`,
		`x-${vendor}-client-assertion`,
	]);
	prefixes.push(roleHeader, personHeader, signOutHeader);
	const exact = new Set(['x-zumo-auth']);
	if (settings.headers.upstreamSecret)
		exact.add(canonicalName(settings.headers.upstreamSecret.name));
	return (name) => {
		const canonical = canonicalName(name);
		return (
			exact.has(canonical) ||
			prefixes.some(
				(prefix) => canonical.startsWith(prefix) || canonical.startsWith(`http-${prefix}`),
			)
		);
	};
}

export interface ForwardContext {
	readonly settings: GatewaySettings;
	readonly reserved: (name: string) => boolean;
	readonly hops: Hops;
	/** `host[:port]` of the app. */
	readonly upstreamHost: string;
	readonly upstreamOrigin: string;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/** Header list for the app. */
export function upstreamHeaders(
	head: RequestHead,
	injected: readonly InjectedHeader[],
	context: ForwardContext,
	options: {
		readonly dropAuthorization: boolean;
		readonly dropOrigin: boolean;
		/** Where the request comes from was judged here; the app, which sees another Host, would judge it wrongly. */
		readonly dropFetchMetadata: boolean;
		/** Who is signed in. */
		readonly userId: string | undefined;
	},
): string[] {
	const { settings } = context;
	const listed = connectionNames(head.headers);
	// The layer's own lines come first: servers read so many lines of a head and drop the rest.
	const out = ownLines(head, injected, context, options);
	for (const [name, value] of headerPairs(head.headers)) {
		const lower = name.toLowerCase();
		const canonical = canonicalName(name);
		if (hopByHop.has(lower) || (listed.has(lower) && !keptWhenListed.has(lower))) continue;
		if (context.reserved(name) || pathOverrides.has(canonical) || forwardingNames.has(canonical))
			continue;
		if (lower === 'host' || lower === hopHeader) continue;
		if (options.dropFetchMetadata && lower.startsWith('sec-fetch-')) continue;
		if (lower === 'authorization' && options.dropAuthorization) continue;
		if (lower === 'cookie') {
			const kept = dropCookies(value, settings.login.cookieName);
			if (kept !== '') out.push(name, kept);
			continue;
		}
		if (lower === 'origin') {
			if (options.dropOrigin) continue;
			const ownOrigin = value === settings.publicUrl.origin && !settings.headers.preserveHost;
			out.push(name, ownOrigin ? context.upstreamOrigin : value);
			continue;
		}
		out.push(name, value);
	}
	return out;
}

function ownLines(
	head: RequestHead,
	injected: readonly InjectedHeader[],
	{ settings, upstreamHost, hops, now }: ForwardContext,
	{ userId }: { readonly userId: string | undefined },
): string[] {
	const { preserveHost, upstreamSecret, personSecret } = settings.headers;
	const lines: InjectedHeader[] = [
		['Host', preserveHost ? head.host : upstreamHost],
		// Nobody has an owner's rights through here, whatever key goes along.
		[roleHeader, memberRole],
		['X-Forwarded-For', head.forwardedFor.join(', ')],
		['X-Forwarded-Proto', head.secure ? 'https' : 'http'],
		['X-Forwarded-Host', head.host],
		hops.line(head.headers),
		...injected,
	];
	// The one thing that makes somebody a member; of who is not signed in nothing is said.
	if (userId !== undefined) lines.push([signOutHeader, `${settings.apiPrefix}/logout`]);
	if (personSecret !== undefined && userId !== undefined)
		lines.push([personHeader, signPerson(personSecret, userId, now())]);
	if (upstreamSecret) lines.push([upstreamSecret.name, upstreamSecret.value]);
	// Framing is re-made from what the parser understood, so both ends agree on where a body ends.
	if (valuesOf(head.headers, 'transfer-encoding').length > 0)
		lines.push(['Transfer-Encoding', 'chunked']);
	return lines.flat();
}

/** Header list for the client: nothing of the layer's may come from the app. */
export function downstreamHeaders(
	raw: RawHeaders,
	context: ForwardContext,
	options: { readonly keepUpgrade: boolean; readonly ownCors: boolean },
): string[] {
	const listed = connectionNames(raw);
	const out: string[] = [];
	for (const [name, value] of headerPairs(raw)) {
		const lower = name.toLowerCase();
		const hop = hopByHop.has(lower) || listed.has(lower);
		if (hop && !(options.keepUpgrade && lower === 'upgrade')) continue;
		if (context.reserved(name)) continue;
		if (options.ownCors && lower.startsWith('access-control-')) continue;
		if (
			lower === 'set-cookie' &&
			isOwnCookie(setCookieName(value), context.settings.login.cookieName)
		)
			continue;
		out.push(name, value);
	}
	return out;
}

function connectionNames(raw: RawHeaders): Set<string> {
	return new Set(
		valuesOf(raw, 'connection')
			.flatMap((value) => value.split(','))
			.map((name) => name.trim().toLowerCase()),
	);
}
