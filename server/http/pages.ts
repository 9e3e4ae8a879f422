/** The frame of every page the daemon serves: nothing from elsewhere, nothing inline. */

import type { Context } from 'hono';
import type { AppEnv } from './env.ts';
import type { Caller } from './roles.ts';

const policy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"media-src 'self' blob:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

/** Sets the headers a page needs. */
export function pageHeaders(context: Context<AppEnv>): void {
	context.header('content-security-policy', policy);
	context.header('cache-control', 'no-cache');
	context.header('referrer-policy', 'no-referrer');
	context.header('x-content-type-options', 'nosniff');
}

/**
 * A page of one bundle, whose files are `studio/NAME.js` and `studio/NAME.css` beside it: a proxy may have
 * put a path in front. The page is told who asked for it, and shows what that caller may do.
 */
export const pageHtml = (title: string, name: string, caller: Caller): string => `<!DOCTYPE html>
<html lang="en">
<head>
	<meta charset="utf-8">
	<meta name="viewport" content="width=device-width, initial-scale=1">
	<title>${title}</title>
	<link rel="icon" href="data:,">
	<link rel="stylesheet" href="studio/${name}.css">
</head>
<body data-caller="${caller}">
	<div id="root"></div>
	<script type="module" src="studio/${name}.js"></script>
</body>
</html>
`;
