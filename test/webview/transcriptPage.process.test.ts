/** The page of a recording: what a chat model says of it, and what the speech model was not sure of. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { TranscriptDocument, TranscriptState } from '../../server/protocol/index.ts';
import { violations } from '../e2e/axe.ts';
import { until } from '../support/until.ts';
import { inBrowser, launchBrowser, openPage } from './pageInBrowser.ts';

let browser: Browser;
before(async () => {
	if (inBrowser.skip === false) browser = await launchBrowser();
});
after(() => browser?.close());

const state: TranscriptState = {
	...{ name: 'talk.wav', job: null, models: [], languages: [], editor: true, noModel: false },
	choice: { model: '', language: '', english: false },
	...{ canUndo: false, canRedo: false, problem: null },
};

const surenesses = [0.95, 0.5, 0.2];
const talk: TranscriptDocument = {
	...{ language: 'en', duration: 300 },
	lines: Array.from({ length: 60 }, (_, id) => {
		const [start, end] = [5 * id, 5 * id + 4];
		const words = ['Some', 'words', `${id}.`].map((word, place) => ({
			...{ word, start: start + place, end: start + place + 0.9 },
		}));
		const sureness = surenesses[id];
		return {
			...{ id, start, end, text: `Some words ${id}.`, words },
			...(sureness === undefined ? {} : { sureness }),
		};
	}),
	outline: {
		summary: 'A talk about words. It has sixty lines, and each of them says the same.',
		chapters: [
			{ start: 0, title: 'The beginning' },
			{ start: 200, title: 'Much later' },
		],
		model: 'Some Model 4B',
	},
};

const sent = (page: Page): Promise<Record<string, unknown>[]> =>
	page.evaluate(() => (window as unknown as { sent: Record<string, unknown>[] }).sent);

const themes = [
	{ kind: 'vscode-light' },
	{
		kind: 'vscode-dark',
		css: ':root{--vscode-foreground:#ccc;--vscode-descriptionForeground:#a0a0a0;--vscode-editor-background:#1e1e1e;--vscode-textLink-foreground:#4daafc;--vscode-editorWarning-foreground:#cca700;--vscode-icon-foreground:#ccc;--vscode-button-background:#0078d4;--vscode-input-background:#313131;--vscode-input-foreground:#ccc}',
	},
];

test(
	'a summary and chapters stand above the transcript; a chapter leads to its line',
	inBrowser,
	async () => {
		for (const theme of themes) {
			const { page, tell } = await openPage(browser, 'transcript', theme);
			await page.setViewportSize({ width: 720, height: 640 });
			await tell({ type: 'state', state, strings: {} });
			await tell({ type: 'document', document: talk });
			const outline = page.locator('.outline');
			await outline.getByText('A talk about words.').waitFor();
			await outline.getByText('By Some Model 4B.').waitFor();
			await page.locator('.doubtful .word').first().waitFor();
			assert.deepEqual(await violations(page, '.recording'), []);
			const folder = process.env['TRANSCRIPT_PICTURES'];
			if (folder) await page.screenshot({ path: `${folder}/outline-${theme.kind}.png` });
			await outline.getByRole('button', { name: 'Much later' }).click();
			const line = page.locator('.line').nth(40);
			await until('its line is in view', () =>
				line.evaluate((one) => {
					const { top, bottom } = one.getBoundingClientRect();
					return top >= 0 && bottom <= innerHeight;
				}),
			);
			await outline.getByRole('button', { name: 'Take away' }).click();
			await page.getByRole('button', { name: 'Summary and chapters' }).click();
			const types = (await sent(page)).map(({ type }) => type);
			assert.deepEqual(types.slice(-2), ['clearOutline', 'outline']);
			await page.setViewportSize({ width: 320, height: 640 });
			assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
			await page.close();
		}
	},
);

test(
	'words that the model is not sure of are underlined, and said to those who do not see it',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'transcript');
		await tell({ type: 'state', state, strings: {} });
		await tell({ type: 'document', document: talk });
		const said = page.locator('.said');
		await said.nth(2).waitFor();
		const classes = await said.evaluateAll((all) => all.slice(0, 4).map((one) => one.className));
		assert.deepEqual(classes, ['said', 'said doubtful', 'said unlikely', 'said']);
		await page
			.locator('.line')
			.nth(1)
			.getByText('The model is 50 % sure of these words.')
			.waitFor();
		const style = (place: number) =>
			said
				.nth(place)
				.locator('.word')
				.first()
				.evaluate((one) => getComputedStyle(one).textDecorationStyle);
		await until(
			'its words are drawn',
			async () => (await said.nth(2).locator('.word').count()) > 0,
		);
		assert.deepEqual([await style(1), await style(2)], ['dotted', 'wavy']);
		await page.close();
	},
);

test(
	'where the model says it of each word, only the words it is not sure of are underlined',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'transcript');
		await tell({ type: 'state', state, strings: {} });
		const lines = talk.lines.slice(0, 3).map((line) => ({
			...line,
			words: line.words.map((word, at) => ({ ...word, probability: [0.9, 0.5, 0.1][at] })),
		}));
		await tell({ type: 'document', document: { ...talk, lines } });
		const words = page.locator('.line').nth(2).locator('.word');
		await words.nth(2).waitFor();
		assert.equal(await page.locator('.said.unlikely').count(), 0);
		assert.deepEqual(
			await words.evaluateAll((all) =>
				all.map((one) => {
					const { textDecorationLine: line, textDecorationStyle: style } = getComputedStyle(one);
					return [one.getAttribute('title'), line, style];
				}),
			),
			[
				[null, 'none', 'solid'],
				['The model is 50 % sure of this word.', 'underline', 'dotted'],
				['The model is 10 % sure of this word.', 'underline', 'wavy'],
			],
		);
		await page
			.locator('.line')
			.nth(2)
			.getByText('The model is not sure of: words, 2.')
			.waitFor({ state: 'attached' });
		await page.close();
	},
);

test(
	'everything fits columns of 182 to 390 pixels: the empty page, a transcript with its translation, and every menu',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'transcript');
		const outside = () =>
			page.evaluate(() =>
				[...document.querySelectorAll('.recording *')]
					.filter((element) => !element.matches('.visually-hidden, .visually-hidden *, option'))
					.filter((element) => {
						const { left, right, width } = element.getBoundingClientRect();
						return width > 0 && (left < -0.5 || right > innerWidth + 0.5);
					})
					.map((element) => `${element.tagName} ${element.className}`),
			);
		const translation = { to: 'de', lines: { 0: { source: 'Some words 0.', text: 'Wörter' } } };
		const cuts = [{ start: 1, end: 2 }];
		await tell({ type: 'state', state: { ...state, canUndo: true }, strings: {} });
		for (const document of [null, { ...talk, cuts }, { ...talk, cuts, translation }]) {
			await tell({ type: 'document', document });
			await page
				.locator(document ? '.line' : '.empty form')
				.first()
				.waitFor();
			for (const width of [182, 220, 320, 390]) {
				await page.setViewportSize({ width, height: 640 });
				assert.deepEqual(await outside(), [], `at ${width}`);
				for (const menu of await page.locator('.menu > .tool-button').all()) {
					await menu.click();
					await page.locator('.menu-form').waitFor();
					assert.deepEqual(await outside(), [], `${await menu.textContent()} at ${width}`);
					await page.keyboard.press('Escape');
				}
			}
		}
		await page.close();
	},
);
