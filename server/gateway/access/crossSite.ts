/** Which requests a foreign web page may have caused. */

import type { GatewaySettings } from '../config/gatewaySettings.ts';
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
	if (safeMethods.has(head.method) && !head.upgrade && !isStateChanging)
		return isEmbedded(head, settings);
	const relation = siteRelation(head, settings);
	if (relation !== 'unknown') return relation === 'foreign';
	if (head.upgrade) return header(head, 'origin') === undefined && looksLikeBrowser(head);
	// Programs that keep cookies send none of the three headers; browsers always send one.
	return looksLikeBrowser(head);
}

/**
 * A foreign page loads something (image, script, frame, fetch) with the visitor's cookie. Browsers that do
 * not say what for are believed: the cookie does not go along with what they load elsewhere.
 */
function isEmbedded(head: RequestHead, settings: GatewaySettings): boolean {
	const origin = header(head, 'origin');
	if (header(head, 'sec-fetch-site') === undefined)
		return origin !== undefined && origin !== settings.publicUrl.origin;
	const purposeKnown = header(head, 'sec-fetch-mode') !== undefined;
	return purposeKnown && siteRelation(head, settings) === 'foreign' && !isVisit(head);
}

/** Somebody opens a page: the visitor sees what is there, a foreign page with a link to it does not. */
export function isVisit(head: RequestHead): boolean {
	return (
		(head.method === 'GET' || head.method === 'HEAD') &&
		header(head, 'sec-fetch-mode') === 'navigate' &&
		header(head, 'sec-fetch-dest') === 'document'
	);
}

function looksLikeBrowser(head: RequestHead): boolean {
	return /^Mozilla\//i.test(header(head, 'user-agent') ?? '');
}
