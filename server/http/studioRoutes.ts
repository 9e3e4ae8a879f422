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
import { claimStudio, home, openStudio, studioFile } from '../protocol/routes/studio.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';
import { page } from './servePage.ts';

const types: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		js: 'text/javascript; charset=utf-8',
		css: 'text/css; charset=utf-8',
	}),
);

/** Where the bundles of the webview lie: beside the server's, or in dist/ when run from source. */
function bundleFolder(): string {
	const here = dirname(fileURLToPath(import.meta.url));
	return here.endsWith('dist') ? join(here, 'webview') : join(here, '..', '..', 'dist', 'webview');
}

/** Whether a request is a browser opening a page. */
function wantsPage(context: Context<AppEnv>): boolean {
	return context.req.header('accept')?.includes('text/html') ?? false;
}

/** For programs that open the address. */
const greeting = `Nearglot is running.

Open this address in a browser for the studio page.
OpenAI interface: /v1 (models at /v1/models)
Translation: /translate?api-version=3.0
Description: /openapi.json
`;

export function registerStudioRoutes(app: Hono<AppEnv>, { studio }: Backend): void {
	const folder = bundleFolder();
	register(app, openStudio, ({ context, answer }) =>
		answer({ url: `${new URL(context.req.url).origin}/#ticket=${studio.ticket()}` }),
	);
	register(app, claimStudio, async ({ context, body, answer }) => {
		const token = studio.claim(body.ticket);
		context.header('cache-control', 'no-store');
		return answer({ token });
	});
	register(app, home, ({ context }) =>
		wantsPage(context) ? page(context, 'Nearglot', 'studio') : context.text(greeting),
	);
	register(app, studioFile, async ({ context }) => {
		const file = context.req.param('file');
		const type = types.get(file.split('.').at(-1) ?? '');
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
