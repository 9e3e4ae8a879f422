/**
 * The studio page at `/` and its files, for browsers. Its access comes by a ticket in the fragment of a link
 * (`POST /nearglot/studio` with the key), which the page exchanges once at `/studio/claim` for a token.
 */

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError } from '../protocol/index.ts';
import { object, string } from '../protocol/parser.ts';
import { readJson } from './body.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';
import { page } from './pages.ts';

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

export const studioClaimParser = object({ ticket: string({ minLength: 1, maxLength: 200 }) });

export function registerStudioRoutes(app: Hono<AppEnv>, { studio }: Backend): void {
	const folder = bundleFolder();
	app.post('/nearglot/studio', (context) =>
		answerJson(context, { url: `${new URL(context.req.url).origin}/#ticket=${studio.ticket()}` }),
	);
	app.post('/studio/claim', async (context) => {
		const { ticket } = studioClaimParser.parse(await readJson(context), '');
		const token = studio.claim(ticket);
		context.header('cache-control', 'no-store');
		return answerJson(context, { token });
	});
	app.get('/', async (context, next) => {
		if (!wantsPage(context)) return next();
		return page(context, 'Nearglot', 'studio');
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
