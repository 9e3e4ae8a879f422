/** The layer in a real browser. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { Harness } from './support/harness.ts';

const executablePath = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
].find((path) => existsSync(path));
const skip = {
	skip: executablePath === undefined && 'no Chromium is installed (Debian package chromium)',
};

let browser: Browser;
let h: Harness;
let base: string;

before(async () => {
	if (executablePath === undefined) return;
	const probe = createServer();
	await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
	const { port } = probe.address() as AddressInfo;
	await new Promise((resolve) => probe.close(resolve));
	base = `http://localhost:${port}`;
	h = await Harness.start({
		port,
		config: {
			'x-gateway': { publicUrl: base, trustedProxies: [] },
			login: { allowedExternalRedirectUrls: ['http://127.0.0.1/signed-in'] },
		},
	});
	h.app.handler = (request, response) => {
		response.writeHead(200, { 'Content-Type': 'text/html' });
		response.end(
			`<h1 id="path">${(request.url ?? '').replace(/[<&"]/g, '')}</h1><p id="who">${request.headers['x-ms-client-principal-name'] ?? 'nobody'}</p>`,
		);
	};
	browser = await chromium.launch({
		executablePath,
		args: ['--no-sandbox', '--disable-dev-shm-usage'],
		timeout: 120_000,
	});
});
after(async () => {
	await browser?.close();
	await h?.[Symbol.asyncDispose]();
});

async function withContext(work: (context: BrowserContext) => Promise<void>): Promise<void> {
	const context = await browser.newContext();
	context.setDefaultTimeout(60_000);
	try {
		await work(context);
	} finally {
		h.provider.interactive = false;
		await context.close();
	}
}

test('a person signs in, comes back to the page asked for, and signs out', skip, async () => {
	await withContext(async (context) => {
		const page = await context.newPage();
		await page.goto(`${base}/app?x=1`);
		assert.equal(page.url(), `${base}/app?x=1`);
		assert.equal(await page.textContent('#who'), 'alice@corp.example');
		const cookies = await context.cookies(base);
		const session = cookies.find((cookie) => cookie.name === 'AppServiceAuthSession');
		assert.ok(session?.httpOnly && session.sameSite === 'Lax' && session.expires === -1);
		assert.deepEqual(
			cookies.filter((cookie) => cookie.name.includes('auth-n-')),
			[],
		);
		// A call from a script of the page works, one that pretends to be from elsewhere cannot be made.
		const status = await page.evaluate(
			async () => (await fetch('/api', { method: 'POST', body: 'x' })).status,
		);
		assert.equal(status, 200);
		await page.goto(`${base}/.auth/logout`);
		assert.equal(await page.textContent('h1'), 'Signed out');
		assert.deepEqual(
			(await context.cookies(base)).filter((cookie) => cookie.name === 'AppServiceAuthSession'),
			[],
		);
	});
});

test('two tabs finished in reverse order both arrive', skip, async () => {
	await withContext(async (context) => {
		h.provider.interactive = true;
		const [one, two] = [await context.newPage(), await context.newPage()];
		await one.goto(`${base}/one`);
		await two.goto(`${base}/two`);
		await two.click('#yes');
		await two.waitForSelector('#path');
		await one.click('#yes');
		await one.waitForSelector('#path');
		assert.equal(two.url(), `${base}/two`);
		assert.equal(one.url(), `${base}/one`);
	});
});

test('a login that took too long is begun again by itself', skip, async () => {
	await withContext(async (context) => {
		h.provider.interactive = true;
		const page = await context.newPage();
		await page.goto(`${base}/slow`);
		h.advance(301_000);
		await page.click('#yes');
		await page.waitForSelector('#yes');
		await page.click('#yes');
		await page.waitForSelector('#path');
		assert.equal(page.url(), `${base}/slow`);
	});
});

test(
	'a program on this machine gets its code through the hand-off page, after a click',
	skip,
	async () => {
		const calls: string[] = [];
		const listener = createServer((request, response) => {
			calls.push(request.url ?? '');
			response
				.writeHead(200, { 'Content-Type': 'text/html' })
				.end('<p id="done">You can close this page.</p>');
		});
		await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
		try {
			await withContext(async (context) => {
				const verifier = 'b'.repeat(43);
				const challenge = createHash('sha256').update(verifier).digest('base64url');
				const callback = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/signed-in?nonce=n7`;
				const page = await context.newPage();
				await page.goto(
					`${base}/.auth/handoff?${new URLSearchParams({ callback, code_challenge: challenge, code_challenge_method: 'S256' })}`,
				);
				assert.equal(await page.textContent('h1'), 'Sign in the editor');
				assert.deepEqual(
					calls.filter((url) => url.startsWith('/signed-in')),
					[],
				);
				await page.click('button.main');
				await page.waitForSelector('#done');
				const query = new URL(calls.find((url) => url.startsWith('/signed-in'))!, 'http://x')
					.searchParams;
				assert.equal(query.get('nonce'), 'n7');
				const answer = await fetch(`${base}/.auth/login/${query.get('provider')}/token`, {
					method: 'POST',
					headers: { 'Content-Type': 'application/json' },
					body: JSON.stringify({ authorization_code: query.get('code'), code_verifier: verifier }),
				});
				assert.equal(answer.status, 200);
				const { authenticationToken } = (await answer.json()) as { authenticationToken: string };
				const called = await fetch(`${base}/x`, {
					headers: { 'X-ZUMO-AUTH': authenticationToken },
				});
				assert.match(await called.text(), /alice@corp\.example/);
			});
		} finally {
			listener.closeAllConnections();
			await new Promise((resolve) => listener.close(resolve));
		}
	},
);

test(
	'a popup gives the token to the page that opened it, and the window closes',
	skip,
	async () => {
		await withContext(async (context) => {
			const page = await context.newPage();
			await page.goto(`${base}/.auth/login/done`);
			const popup = context.waitForEvent('page');
			const message = page.evaluate(
				(origin) =>
					new Promise<string>((resolve) => {
						window.addEventListener('message', (event) =>
							resolve(`${event.origin} ${String(event.data)}`),
						);
						window.open(
							`/.auth/login/corp?session_mode=token&completion_type=postMessage&completion_origin=${encodeURIComponent(origin)}`,
						);
					}),
				base,
			);
			await popup;
			const [origin, data] = (await message).split(/ (.*)/s);
			assert.equal(origin, base);
			const { type, oauth } = JSON.parse(data!) as {
				type: string;
				oauth: { authenticationToken: string };
			};
			assert.equal(type, 'LoginCompleted');
			assert.equal(
				(await fetch(`${base}/x`, { headers: { 'X-ZUMO-AUTH': oauth.authenticationToken } }))
					.status,
				200,
			);
		});
	},
);
