/**
 * The studio page at `/` and its files, for browsers. Its key comes by a ticket in the fragment of a link
 * (`POST /nearglot/studio` with the key), which the page exchanges once at `/studio/claim`.
 */

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Hono } from 'hono';
import { AppError } from '../protocol/index.ts';
import { object, string } from '../protocol/parser.ts';
import { readJson } from './body.ts';
import type { AppEnv } from './env.ts';
import { mustHaveKey, presentedKey } from './guard.ts';
import { pageHeaders, pageHtml } from './pages.ts';

const types: Readonly<Record<string, string>> = {
	js: 'text/javascript; charset=utf-8',
	css: 'text/css; charset=utf-8',
};

/** Where the bundles of the webview lie: beside the server's, or in dist/ when run from source. */
function bundleFolder(): string {
	const here = dirname(fileURLToPath(import.meta.url));
	return here.endsWith('dist') ? join(here, 'webview') : join(here, '..', '..', 'dist', 'webview');
}

/** Whether a request is a browser opening a page. */
export function wantsPage(context: Context<AppEnv>): boolean {
	return context.req.header('accept')?.includes('text/html') ?? false;
}

/** Milliseconds within which a link has to be opened. */
const ticketMs = 60_000;

export const studioClaimParser = object({ ticket: string({ minLength: 1, maxLength: 200 }) });

export function registerStudioRoutes(app: Hono<AppEnv>): void {
	const folder = bundleFolder();
	/** One-time ticket → the key its maker has shown. */
	const tickets = new Map<string, string>();
	app.post('/nearglot/studio', (context) => {
		mustHaveKey(context);
		const ticket = randomBytes(24).toString('base64url');
		tickets.set(ticket, presentedKey(context.req.raw.headers));
		setTimeout(() => tickets.delete(ticket), ticketMs).unref();
		return context.json({ url: `${new URL(context.req.url).origin}/#ticket=${ticket}` });
	});
	app.post('/studio/claim', async (context) => {
		const { ticket } = studioClaimParser.parse(await readJson(context, 4096), '');
		const key = tickets.get(ticket);
		tickets.delete(ticket);
		if (key === undefined)
			throw new AppError(
				'forbidden',
				'This link was used already, or is too old. Open the studio again from the editor.',
			);
		context.header('cache-control', 'no-store');
		return context.json({ key });
	});
	app.get('/', async (context, next) => {
		if (!wantsPage(context)) return next();
		pageHeaders(context);
		return context.html(pageHtml('Nearglot', 'studio'));
	});
	app.get('/studio/:file{[\\w.-]+\\.(?:js|css)}', async (context) => {
		const file = context.req.param('file');
		const type = types[file.split('.').at(-1) ?? ''];
		try {
			const bytes = await readFile(join(folder, file));
			context.header('content-type', type);
			context.header('cache-control', 'no-cache');
			context.header('x-content-type-options', 'nosniff');
			return context.body(new Uint8Array(bytes));
		} catch (error) {
			throw new AppError('not_found', `There is no file /studio/${file}.`, { cause: error });
		}
	});
}
