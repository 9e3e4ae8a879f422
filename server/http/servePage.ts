/** The frame of every page the daemon serves: nothing from elsewhere, nothing inline. */

import type { Context } from 'hono';
import { html } from 'hono/html';
import type { AppEnv } from './env.ts';
import { visitorOf } from './visitor.ts';

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

/**
 * A page of one bundle, whose files are `studio/NAME.js` and `studio/NAME.css` beside it: a proxy may have
 * put a path in front. The page is told who asked for it, and shows what that caller may do.
 */
export function page(
	context: Context<AppEnv>,
	title: string,
	name: string,
): Response | Promise<Response> {
	context.header('content-security-policy', policy);
	// It names its reader, and must not come back from a store once somebody else sits there.
	context.header('cache-control', 'no-store');
	context.header('referrer-policy', 'no-referrer');
	context.header('x-content-type-options', 'nosniff');
	const { caller, person, name: called, signOut } = visitorOf(context);
	return context.html(html`<!DOCTYPE html>
<html lang="en">
<head>
	<meta charset="utf-8">
	<meta name="viewport" content="width=device-width, initial-scale=1">
	<title>${title}</title>
	<link rel="icon" href="data:,">
	<link rel="stylesheet" href="studio/${name}.css">
</head>
<body data-caller="${caller}" data-person="${person}"${attribute('name', called)}${attribute('sign-out', signOut)}>
	<div id="root"></div>
	<script type="module" src="studio/${name}.js"></script>
</body>
</html>
`);
}

const attribute = (name: string, value: string | undefined) =>
	value === undefined ? '' : html` data-${name}="${value}"`;
