/**
 * A team member's browser: a provider with a button, the sign-in layer, the real model server and its
 * studio page. What people do reaches the page, what other sites do reaches nothing.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import {
	createServer,
	request as httpRequest,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { Harness } from './support/harness.ts';

const executablePath = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
].find((path) => existsSync(path));
const skip = {
	skip: executablePath === undefined && 'no Chromium is installed (Debian package chromium)',
	timeout: 240_000,
};

let browser: Browser;
let models: TestServer;
/** Between the layer and the model server: notes what reaches it. */
let wire: Server;
let h: Harness;
let base: string;
/** A site that is not ours; also reached as `localhost`, which is the same site as ours. */
let elsewhere: Server;
let evilHtml = '';
const reached: string[] = [];

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function listen(
	handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
	const server = createServer(handler);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return server;
}

async function close(server: Server | undefined): Promise<void> {
	server?.closeAllConnections();
	await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
}

before(async () => {
	if (executablePath === undefined) return;
	models = await startTestServer({ fakeRunner: true, listen: { requireKey: true } });
	const to = new URL(models.url);
	wire = await listen((request, response) => {
		// Browsers ask for this by themselves, for pages of ours that say no.
		if (request.url !== '/favicon.ico') reached.push(`${request.method} ${request.url}`);
		const { method, url: path, headers } = request;
		const onward = httpRequest(
			{ host: to.hostname, port: to.port, method, path, headers },
			(answer) => {
				response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
				answer.pipe(response);
			},
		);
		onward.once('error', () => response.destroy());
		request.pipe(onward);
	});
	elsewhere = await listen((_request, response) => {
		response.writeHead(200, { 'Content-Type': 'text/html' }).end(evilHtml);
	});
	const probe = await listen(() => undefined);
	const port = portOf(probe);
	await close(probe);
	base = `http://localhost:${port}`;
	h = await Harness.start({
		port,
		upstream: `http://127.0.0.1:${portOf(wire)}`,
		env: { NEARGLOT_KEY: models.key },
		config: {
			'x-gateway': {
				publicUrl: base,
				trustedProxies: [],
				upstreamSecret: { header: 'X-Api-Key', settingName: 'NEARGLOT_KEY' },
			},
		},
	});
	h.provider.interactive = true;
	browser = await chromium.launch({
		executablePath,
		args: ['--no-sandbox', '--disable-dev-shm-usage'],
		timeout: 120_000,
	});
});
after(async () => {
	await browser?.close();
	await h?.[Symbol.asyncDispose]();
	await close(wire);
	await close(elsewhere);
	await models?.close();
});

async function withPage(work: (page: Page, context: BrowserContext) => Promise<void>) {
	const context = await browser.newContext({ locale: 'en' });
	context.setDefaultTimeout(60_000);
	try {
		await work(await context.newPage(), context);
	} finally {
		await context.close();
	}
}

/** Presses the provider's button; the studio must be what comes. */
async function signIn(page: Page): Promise<void> {
	await page.click('#yes');
	await page.getByRole('navigation', { name: 'Tools' }).waitFor();
}

const studio = (page: Page) => page.getByRole('navigation', { name: 'Tools' });

test(
	'after the click at the provider the studio opens, with the models a member may use',
	skip,
	async () => {
		await withPage(async (page) => {
			await page.goto(`${base}/?from=bookmark`);
			await signIn(page);
			assert.equal(page.url(), `${base}/?from=bookmark`, 'the address that was asked for');
			assert.equal(await page.getAttribute('body', 'data-caller'), 'member');
			await page.locator('.composer select.model option').first().waitFor({ state: 'attached' });
			assert.equal(await page.getByRole('alert').count(), 0);
		});
	},
);

test('a link on another site opens the studio, before and after signing in', skip, async () => {
	evilHtml = `<a id="go" href="${base}/">team</a><a id="data" href="${base}/v1/models">data</a>`;
	await withPage(async (page) => {
		for (const signedIn of [false, true]) {
			await page.goto(`http://127.0.0.1:${portOf(elsewhere)}/`);
			await page.click('#go');
			if (signedIn) await studio(page).waitFor();
			else await signIn(page);
			assert.equal(page.url(), `${base}/`);
		}
	});
});

test(
	'scripts, images, frames and forms of other sites reach nothing of the model server',
	skip,
	async () => {
		await withPage(async (page) => {
			await page.goto(`${base}/`);
			await signIn(page);
			await page.locator('.composer select.model option').first().waitFor({ state: 'attached' });
			// `localhost` is the same site on another port: the cookie goes along.
			for (const host of ['127.0.0.1', 'localhost']) {
				for (const path of ['/v1/models', '/openai/unloadall', '/openai/load/starter-chat', '/']) {
					const address = base + path;
					evilHtml = `<body><form id="get" action="${address}" target="f"></form>
					<form id="post" method="post" enctype="text/plain" action="${base}/v1/chat/completions" target="f"><input name='{"model":"x","y":"' value='"}'></form>
					<iframe name="f"></iframe></body>`;
					await page.goto(`http://${host}:${portOf(elsewhere)}/`);
					const before = reached.length;
					await page.evaluate(async (url) => {
						const ended = (element: HTMLElement, name: 'src' | 'href' | 'data') =>
							new Promise((resolve) => {
								element.addEventListener('load', resolve);
								element.addEventListener('error', resolve);
								element.setAttribute(name, url);
								document.body.append(element);
							});
						const make = (tag: string) => document.createElement(tag);
						const sheet = make('link');
						sheet.setAttribute('rel', 'stylesheet');
						await Promise.all([
							ended(make('img'), 'src'),
							ended(make('script'), 'src'),
							ended(sheet, 'href'),
							ended(make('iframe'), 'src'),
							ended(make('object'), 'data'),
							fetch(url, { credentials: 'include', mode: 'no-cors' }).catch(() => undefined),
							fetch(url, { credentials: 'include' }).catch(() => undefined),
							fetch(url, {
								credentials: 'include',
								mode: 'no-cors',
								method: 'POST',
								body: '{}',
							}).catch(() => undefined),
						]);
						const frame = document.querySelector<HTMLIFrameElement>('iframe[name=f]')!;
						for (const id of ['get', 'post']) {
							const loaded = new Promise((resolve) =>
								frame.addEventListener('load', resolve, { once: true }),
							);
							document.querySelector<HTMLFormElement>(`#${id}`)!.submit();
							await loaded;
						}
					}, address);
					assert.deepEqual(reached.slice(before), [], `${host} ${path}`);
				}
			}
			// A form that posts in a tab of its own is no link, and a link opens no action.
			evilHtml = `<form id="post" method="post" action="${base}/v1/chat/completions"></form><a id="act" href="${base}/openai/unloadall?force=true">x</a>`;
			for (const click of ['post', 'act']) {
				await page.goto(`http://localhost:${portOf(elsewhere)}/`);
				const before = reached.length;
				await Promise.all([
					page.waitForURL(`${base}/**`),
					page.evaluate((id) => {
						const element = document.getElementById(id)!;
						if (element instanceof HTMLFormElement) element.submit();
						else element.click();
					}, click),
				]);
				assert.deepEqual(reached.slice(before), [], click);
			}
		});
	},
);

test(
	'signing out and in again, and a device code page by a link, work with the button',
	skip,
	async () => {
		await withPage(async (page) => {
			await page.goto(`${base}/`);
			await signIn(page);
			await page.goto(`${base}/.auth/logout`);
			await page.getByRole('heading', { name: 'Signed out' }).waitFor();
			await page.getByRole('link', { name: 'Sign in again' }).click();
			await signIn(page);
			await page.goto(`${base}/.auth/logout`);
			const begun = await fetch(`${base}/.auth/device`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: '{}',
			});
			const device = (await begun.json()) as {
				device_code: string;
				verification_uri_complete: string;
			};
			evilHtml = `<a id="go" href="${device.verification_uri_complete}">device</a>`;
			await page.goto(`http://127.0.0.1:${portOf(elsewhere)}/`);
			await page.click('#go');
			await page.click('#yes');
			await page.getByRole('button', { name: 'Sign in this device' }).click();
			await page.getByRole('heading', { name: 'Device signed in' }).waitFor();
			const token = await fetch(`${base}/.auth/device/token`, {
				method: 'POST',
				body: new URLSearchParams({ device_code: device.device_code }),
			});
			assert.equal(token.status, 200);
		});
	},
);

test(
	'a session that ends in the middle of the studio leads to the sign-in, and nothing typed is lost',
	skip,
	async () => {
		await withPage(async (page, context) => {
			await page.goto(`${base}/`);
			await signIn(page);
			await page.getByRole('link', { name: 'Translate', exact: true }).click();
			await page.locator('section.tool textarea').waitFor();
			await context.clearCookies({ name: 'AppServiceAuthSession' });
			await page.fill('section.tool textarea', 'Words that must not be lost.');
			const alert = page
				.getByRole('alert')
				.filter({ hasText: 'Your session at this server has ended' });
			await alert.waitFor();
			const opened = context.waitForEvent('page');
			await alert.getByRole('link', { name: 'Sign In' }).click();
			const tab = await opened;
			await signIn(tab);
			await tab.close();
			assert.equal(await page.inputValue('section.tool textarea'), 'Words that must not be lost.');
			await page.fill('section.tool textarea', 'Words that must not be lost. More.');
			await alert.waitFor({ state: 'detached' });
		});
	},
);
