/** Browser or native client? A fixed rule, so that nobody has to guess which answer comes. */

import { header, type RequestHead } from '../proxy/requestHead.ts';

/**
 * True when a redirect to a login page makes sense: a navigation that asks for HTML. Everything else
 * (scripts, editors, curl, which accepts anything) gets 401.
 */
export function isNavigation(head: RequestHead): boolean {
	if (head.upgrade || (head.method !== 'GET' && head.method !== 'HEAD')) return false;
	for (const name of ['x-zumo-auth', 'authorization', 'zumo-api-version', 'upgrade']) {
		if (header(head, name) !== undefined) return false;
	}
	if (!acceptsHtml(head)) return false;
	const mode = header(head, 'sec-fetch-mode');
	if (mode !== undefined && mode !== 'navigate') return false;
	const destination = header(head, 'sec-fetch-dest');
	if (destination !== undefined && destination !== 'document') return false;
	if (header(head, 'x-requested-with')?.toLowerCase() === 'xmlhttprequest') return false;
	return !header(head, 'content-type')?.toLowerCase().startsWith('application/grpc');
}

/** The caller can show a page. */
export function acceptsHtml(head: RequestHead): boolean {
	return /(?:^|[\s,])text\/html(?:[\s,;]|$)/i.test(header(head, 'accept') ?? '');
}
