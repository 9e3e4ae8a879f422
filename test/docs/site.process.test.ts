/** The site is built without a network, every page of it is there, and it does in a browser what readers do with it. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { inBrowser, launchBrowser } from '../webview/pageInBrowser.ts';
import { documents } from './blocks.ts';
import { builtSite, siteSearch } from './builtSite.ts';

let folder = '';
let server: Server | undefined;
let browser: Browser | undefined;
let address = '';

const types: Readonly<Record<string, string>> = {
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript',
	'.css': 'text/css',
	'.svg': 'image/svg+xml',
	'.png': 'image/png',
	'.webp': 'image/webp',
	'.gif': 'image/gif',
};

before(async () => {
	folder = builtSite();
	server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? '/', 'http://site');
		const file = join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
		if (!existsSync(file)) return response.writeHead(404).end();
		const type = types[extname(file)] ?? 'application/octet-stream';
		response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
	});
	await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
	address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	if (inBrowser.skip === false) browser = await launchBrowser();
});
after(async () => {
	await browser?.close();
	server?.closeAllConnections();
	server?.close();
});

/** Opens a page of the site; everything it asks for has to be there, and here. */
async function visit(
	path: string,
	options: Parameters<Browser['newPage']>[0],
	work: (page: Page) => Promise<void>,
): Promise<void> {
	const page = await browser!.newPage(options);
	const wrong: string[] = [];
	page.on('pageerror', (error) => wrong.push(error.message));
	page.on('console', (message) => {
		if (message.type() === 'error') wrong.push(message.text());
	});
	page.on('request', (request) => {
		if (!request.url().startsWith(address)) wrong.push(request.url());
	});
	try {
		await page.goto(`${address}${path}`);
		await work(page);
		assert.deepEqual(wrong, []);
	} finally {
		await page.close();
	}
}

test('the site has every page, finds words in them, and names no other host for what it loads', () => {
	for (const name of documents.filter((each) => each.startsWith('docs/'))) {
		const page = name.slice(5).replace(/\.md$/, '.html');
		assert.ok(existsSync(join(folder, page)), page);
	}
	const start = readFileSync(join(folder, 'index.html'), 'utf8');
	const loaded = [...start.matchAll(/(?:src|href)="(https?:[^"]+)"/g)].map(
		([, target = '']) => target,
	);
	assert.deepEqual(
		loaded.filter((target) => !target.startsWith('https://github.com/nearglot/')),
		[],
	);
});

/** Names of the pictures that are seen on a page, without folders and hashes. */
const seen = (page: Page) =>
	page
		.locator('.vp-doc img')
		.evaluateAll((images) =>
			images
				.filter((image) => getComputedStyle(image).display !== 'none')
				.map((image) => (image as HTMLImageElement).src.replace(/^.*\/([\w-]+?)\..*$/, '$1')),
		);

test(
	'the switch between light and dark is in sight at every width, obeys the keyboard, and takes pictures along',
	inBrowser,
	async () => {
		for (const [colorScheme, width] of [
			['light', 1280],
			['dark', 900],
			['dark', 360],
		] as const) {
			const options = { viewport: { width, height: 800 }, colorScheme };
			await visit('/start/pictures.html', options, async (page) => {
				const control = page.locator('.VPSwitchAppearance:visible');
				await control.waitFor();
				assert.equal(await control.count(), 1, `${width}`);
				const box = await control.boundingBox();
				assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
				const state = async () => ({
					dark: await page.evaluate(() => document.documentElement.classList.contains('dark')),
					said: await control.getAttribute('aria-checked'),
					dim: (await seen(page)).every((name) => name.endsWith('-dark')),
				});
				const is = (dark: boolean) => ({ dark, said: String(dark), dim: dark });
				await page.waitForFunction(
					(dark) =>
						document.querySelector('.VPSwitchAppearance')?.getAttribute('aria-checked') === dark,
					String(colorScheme === 'dark'),
				);
				assert.deepEqual(await state(), is(colorScheme === 'dark'));
				for (let step = 0; step < 30; step++) {
					await page.keyboard.press('Tab');
					if (await control.evaluate((each) => each === document.activeElement)) break;
				}
				await page.keyboard.press('Space');
				await page.waitForFunction(
					(dark) => document.documentElement.classList.contains('dark') === dark,
					colorScheme === 'light',
				);
				await page.waitForFunction(
					(dark) =>
						document.querySelector('.VPSwitchAppearance')?.getAttribute('aria-checked') === dark,
					String(colorScheme === 'light'),
				);
				assert.deepEqual(await state(), is(colorScheme === 'light'));
				// It is the reader's choice from then on.
				await page.reload();
				await control.waitFor();
				assert.deepEqual((await state()).dark, colorScheme === 'light');
			});
		}
	},
);

test(
	'the tour moves, stands still where less motion is asked for, and has a button for both',
	inBrowser,
	async () => {
		for (const reducedMotion of ['no-preference', 'reduce'] as const)
			await visit('/', { reducedMotion, colorScheme: 'dark' }, async (page) => {
				const moves = async () => (await seen(page)).join() === 'tour-dark';
				const button = page.locator('.moving-picture button');
				const begins = reducedMotion === 'no-preference';
				await button.filter({ hasText: begins ? 'Pause' : 'Play' }).waitFor();
				assert.equal(await moves(), begins);
				await button.click();
				await button.filter({ hasText: begins ? 'Play' : 'Pause' }).waitFor();
				assert.equal(await moves(), !begins);
				assert.equal((await seen(page)).length, 1);
			});
	},
);

/** What newcomers ask, in their words, and the places of which one has the answer. */
const questions: readonly (readonly [string, ...string[]])[] = [
	['how do I install the VS Code extension', '/start/install#vs-code'],
	['is there a docker image', '/start/install#container-image-docker-podman'],
	['does it work without internet', '/help/faq#does-it-work-offline', '/guides/offline#'],
	['what model is good for translating to German', '/help/faq#which-model-should-i-take'],
	['how much RAM do I need', '/help/faq#how-much-memory', '/start/install#what-it-needs'],
	['where are downloaded models saved on disk', '/help/faq#where-are-models', '/data#what-is-kept'],
	['fill in missing translations in my json files', '/translation#many-files'],
	['keep product names untranslated', '/help/faq#how-do-i-keep-product-names', '/editor#glossary'],
	['self-signed certificate error', '/guides/proxies#'],
	['use it with Cline', '/connect/editors#cline'],
	['log in with Microsoft Entra', '/team/providers#microsoft-entra-id'],
	['is my graphics card used', '/help/faq#does-it-need-a-gpu', '/devices#'],
	['remove everything from my computer', '/operate/upgrade#remove'],
	['does it send my code to a server', '/help/faq#does-it-send', '/explain/privacy#'],
	['upgrade to a new version', '/operate/upgrade#upgrade'],
	['move models to another drive', '/operate/upgrade#move-models'],
	['stop the background server', '/help/faq#how-do-i-stop-it', '/operate/upgrade#end-the-server'],
	['limit how many tokens a user may use', '/help/faq#how-do-i-limit', '/api#keys-limits'],
	['sign a user out everywhere', '/team-server#end-the-sessions-of-a-person', '/team/tutorial#_8'],
	['translation is nonsense', '/help/faq#why-is-a-translation-bad'],
	[
		'add another LLM from Hugging Face',
		'/start/first-minutes#a-better-model',
		'/models#',
		'/help/faq#how-do-i-download',
	],
	['turn a podcast into text', '/transcription#', '/help/faq#how-do-i-turn'],
	['change the port number', '/help/faq#can-i-fix-or-change-the-port'],
	['start it automatically at boot', '/operate/run#as-a-service', '/help/faq#how-do-i-start-it'],
	[
		'nearglot is not recognized as a command',
		'/start/install#command-line',
		'/help/troubleshooting#',
	],
	[
		'running scripts is disabled on this system',
		'/start/install#command-line',
		'/help/troubleshooting#',
	],
	['what data is stored about me', '/data#', '/help/faq#what-data'],
	['may I use it commercially', '/help/faq#is-it-free'],
	['call it from python', '/connect/libraries#'],
	['which languages can it translate', '/help/faq#', '/start/built-in-models#', '/translation#'],
	['speaker names in a meeting transcript', '/transcription#who-speaks'],
	['who can see my prompts', '/explain/privacy#who-can-read', '/help/faq#who-can-see'],
	[
		'add our company vocabulary',
		'/editor#glossary',
		'/help/faq#how-do-i-keep',
		'/translation#custom-systems',
	],
	['autocomplete code while typing', '/editor#', '/connect/editors#continue', '/help/faq#'],
	['out of memory when a model is loaded', '/help/troubleshooting#', '/help/faq#how-much-memory'],
	[
		'answers are very slow',
		'/help/faq#why-is-the-first-answer-slow',
		'/help/faq#does-it-need-a-gpu',
		'/devices#',
		'/help/troubleshooting#',
	],
	['let coworkers use my server', '/help/faq#how-do-i-give', '/team/tutorial#'],
	['translate a Word document', '/translation#documents', '/help/faq#'],
	['ask about all files in my project', '/editor#questions-about-the-workspace', '/help/faq#'],
	['revoke an API key', '/api#keys-limits', '/help/faq#', '/team-server#'],
	['where are the logs', '/help/faq#where-are-the-logs', '/operate/run#logs'],
	['use behind a corporate proxy', '/help/faq#does-it-work-behind', '/guides/proxies#'],
	['run on a machine without internet', '/help/faq#does-it-work-offline', '/guides/offline#'],
	['delete everything', '/help/faq#how-do-i-uninstall-it', '/operate/upgrade#remove'],
	['which languages are supported', '/help/faq#which-languages-are-supported'],
	['translate only some files', '/help/faq#how-do-i-translate-only', '/translation#many-files'],
	['why is it slow', '/help/faq#why-are-all-answers-slow'],
	['make the model answer in German', '/help/faq#how-do-i-make-the-model-answer'],
	['use my own system prompt', '/help/faq#how-do-i-make-the-model-answer'],
	['use a different model for each task', '/help/faq#how-do-i-use-a-different-model'],
	['difference to Ollama', '/help/faq#what-is-the-difference', '/explain/comparison#'],
	['how do I turn off telemetry', '/help/faq#does-it-send', '/explain/privacy#'],
	['summarize a long document', '/help/faq#can-it-summarize'],
	['it does not start', '/help/faq#what-if-it-does-not-start', '/help/troubleshooting#'],
	['address already in use', '/help/troubleshooting#', '/help/faq#can-i-fix-or-change-the-port'],
	['which models are installed', '/help/faq#which-models-are-installed'],
	['delete a model', '/help/faq#which-models-are-installed'],
	['the download stopped halfway', '/help/faq#what-if-a-download-stops'],
	['verify checksum of download', '/help/faq#what-if-a-download-stops'],
	['use in GitHub Actions CI', '/help/faq#how-do-i-check-translations'],
	['keyboard shortcut', '/help/faq#how-do-i-set-a-keyboard-shortcut'],
	['language of the user interface', '/help/faq#which-languages-does-the-user-interface-have'],
	['embedding and semantic search', '/help/faq#how-do-i-search-by-meaning'],
	['back up my data', '/operate/upgrade#back-up'],
	[
		'limit who may use it',
		'/help/faq#how-do-i-limit',
		'/help/faq#how-do-i-give',
		'/team/tutorial#',
	],
	['dictate with microphone', '/transcription#'],
	['open the studio in a browser', '/start/first-minutes#in-a-browser', '/editor#in-a-browser'],
	['what license is it', '/help/faq#is-it-free'],
];

test('the search of the site has the answer to what newcomers ask among its first three hits', async () => {
	const search = await siteSearch(folder);
	const missed = questions.flatMap(([question, ...places]) => {
		const hits = search(question).slice(0, 3);
		return hits.some((hit) => places.some((place) => hit.startsWith(place)))
			? []
			: [`${question}: ${hits.join(', ')}`];
	});
	assert.deepEqual(missed, []);
});

test('the search box shows in a browser what that search finds', inBrowser, async () => {
	const search = await siteSearch(folder);
	await visit('/', { viewport: { width: 1280, height: 800 } }, async (page) => {
		await page.locator('.DocSearch-Button').first().click();
		const input = page.locator('#localsearch-input');
		for (const [question] of questions.slice(0, 2)) {
			await input.fill('');
			await page.locator('.VPLocalSearchBox .result').first().waitFor({ state: 'detached' });
			await input.fill(question);
			const hits = page.locator('.VPLocalSearchBox a.result');
			await hits.first().waitFor();
			const shown = await hits.evaluateAll((links) =>
				links
					.map((link) => new URL((link as HTMLAnchorElement).href))
					.map(({ pathname, hash }) => pathname.replace('.html', '') + hash),
			);
			assert.deepEqual(shown, search(question).slice(0, 16), question);
		}
	});
});
