/** A webview page as the editor shows it, in a browser without an editor: the bundles of `dist/`, a host that the test plays. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
].find((path) => existsSync(path));

/** Options of tests that need a browser: they are skipped, and say so, where there is none. */
export const inBrowser = {
	skip: executablePath === undefined && 'no Chromium is installed (Debian package chromium)',
	timeout: 240_000,
};

export function launchBrowser(): Promise<Browser> {
	return chromium.launch({
		executablePath: executablePath!,
		args: ['--no-sandbox', '--disable-dev-shm-usage'],
		timeout: 120_000,
	});
}

const bundles = join(import.meta.dirname, '..', '..', 'dist', 'webview');

export interface PageTheme {
	readonly kind: string;
	readonly css?: string;
	/** The page may load what the editor lets it load, and has no styles of its own. */
	readonly isStrict?: boolean;
}

/** As of the editor's pages. */
const policy = [
	...["default-src 'none'", "connect-src 'none'", 'img-src http://page.test data:'],
	...["script-src http://page.test 'nonce-t'", "style-src http://page.test 'nonce-t'"],
].join('; ');

/**
 * Opens the page of a bundle. What it sends its host lies in `window.sent`; `tell` is the host.
 * @param theme class that the editor gives the body, and colours of its theme
 */
export async function openPage(
	browser: Browser,
	bundle: string,
	theme: PageTheme = { kind: 'vscode-light' },
): Promise<{ page: Page; tell(message: unknown): Promise<void> }> {
	const page = await browser.newPage();
	await page.addInitScript(() => {
		const sent: unknown[] = [];
		Object.assign(window, {
			sent,
			acquireVsCodeApi: () => ({
				postMessage: (message: unknown) => sent.push(message),
				getState: () => undefined,
				setState: () => {},
			}),
		});
	});
	await page.route('http://page.test/**', async (route) => {
		const path = new URL(route.request().url()).pathname;
		if (path !== '/') return route.fulfill({ path: join(bundles, path) });
		// The editor puts its own style before the page's.
		const style = `code{background:rgb(0 0 0 / 40%);padding:1px 3px;border-radius:4px}${theme.css ?? ''}`;
		return route.fulfill({
			contentType: 'text/html',
			body: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">${theme.isStrict ? `<meta http-equiv="Content-Security-Policy" content="${policy}">` : ''}<title>page</title><style nonce="t">${style}</style><link rel="stylesheet" href="${bundle}.css"></head><body class="${theme.kind}"><div id="root"></div><script type="module" src="${bundle}.js"></script></body></html>`,
		});
	});
	await page.goto('http://page.test/');
	await page.waitForFunction(() => (window as unknown as { sent: unknown[] }).sent.length > 0);
	return {
		page,
		tell: (message) => page.evaluate((data) => window.postMessage(data, '*'), message),
	};
}
