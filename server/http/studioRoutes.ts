/** The studio page at `/` and its files, for browsers; programs that ask for no HTML get an empty text. */

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Hono } from 'hono';
import { AppError } from '../protocol/index.ts';
import type { AppEnv } from './env.ts';

const types: Readonly<Record<string, string>> = {
	js: 'text/javascript; charset=utf-8',
	css: 'text/css; charset=utf-8',
};

const policy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

const page = `<!DOCTYPE html>
<html lang="en">
<head>
	<meta charset="utf-8">
	<meta name="viewport" content="width=device-width, initial-scale=1">
	<title>Nearglot</title>
	<link rel="icon" href="data:,">
	<link rel="stylesheet" href="/studio/studio.css">
</head>
<body>
	<div id="root"></div>
	<script type="module" src="/studio/studio.js"></script>
</body>
</html>
`;

/** Where the bundles of the webview lie: beside the server's, or in dist/ when run from source. */
function bundleFolder(): string {
	const here = dirname(fileURLToPath(import.meta.url));
	return here.endsWith('dist') ? join(here, 'webview') : join(here, '..', '..', 'dist', 'webview');
}

/** Whether a request is a browser opening a page. */
export function wantsPage(context: Context<AppEnv>): boolean {
	return context.req.header('accept')?.includes('text/html') ?? false;
}

export function registerStudioRoutes(app: Hono<AppEnv>): void {
	const folder = bundleFolder();
	app.get('/', async (context, next) => {
		if (!wantsPage(context)) return next();
		context.header('content-security-policy', policy);
		context.header('cache-control', 'no-cache');
		context.header('referrer-policy', 'no-referrer');
		context.header('x-content-type-options', 'nosniff');
		return context.html(page);
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
