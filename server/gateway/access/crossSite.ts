/** Which requests a foreign web page may have caused. */

import type { GatewaySettings } from '../config/settings.ts';
import { header, type RequestHead } from '../proxy/requestHead.ts';

export type SiteRelation = 'same' | 'foreign' | 'unknown';

/**
 * Where the request comes from: `Sec-Fetch-Site`, else `Origin`, else `Referer`.
 * `unknown` means a client that sends none of the three.
 */
export function siteRelation(head: RequestHead, settings: GatewaySettings): SiteRelation {
	const site = header(head, 'sec-fetch-site');
	if (site !== undefined) return site === 'same-origin' || site === 'none' ? 'same' : 'foreign';
	const origin = header(head, 'origin');
	if (origin !== undefined) return origin === settings.publicUrl.origin ? 'same' : 'foreign';
	const referer = header(head, 'referer');
	if (referer !== undefined && referer !== '') {
		const url = URL.canParse(referer) ? new URL(referer) : undefined;
		return url?.origin === settings.publicUrl.origin ? 'same' : 'foreign';
	}
	return 'unknown';
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** True when a request that is signed in by cookie must be refused. */
export function isForgery(
	head: RequestHead,
	settings: GatewaySettings,
	isStateChanging: boolean,
): boolean {
	if (safeMethods.has(head.method) && !head.upgrade && !isStateChanging) return false;
	const relation = siteRelation(head, settings);
	if (relation !== 'unknown') return relation === 'foreign';
	if (head.upgrade) return header(head, 'origin') === undefined && looksLikeBrowser(head);
	// Programs that keep cookies send none of the three headers; browsers always send one.
	return looksLikeBrowser(head);
}

function looksLikeBrowser(head: RequestHead): boolean {
	return /^Mozilla\//i.test(header(head, 'user-agent') ?? '');
}
