/** The page on which new messages are looked through, as people see and use it. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { ReviewRow, ReviewState } from '../../server/protocol/index.ts';
import { violations } from '../e2e/axe.ts';
import { until } from '../support/until.ts';
import { inBrowser, launchBrowser, openPage } from './pageInBrowser.ts';

let browser: Browser;
before(async () => {
	if (inBrowser.skip === false) browser = await launchBrowser();
});
after(() => browser?.close());

const state: ReviewState = {
	source: 'packages/app/locales/en.json',
	languages: [
		{ to: 'de', name: 'German' },
		{ to: 'fr', name: 'French' },
	],
	...{ progress: null, problem: null, note: null },
};

function row(key: string, to: string, text: string, more: Partial<ReviewRow> = {}): ReviewRow {
	const path = `locales/${to}.json`;
	return {
		...{ id: `${path}\n${key}`, key, path, to, source: `Source of ${key}`, text },
		...{ decision: 'open', isEdited: false },
		...more,
	};
}

const rows: readonly ReviewRow[] = [
	row('files.open', 'de', 'Datei öffnen', { quality: 0.91 }),
	row('files.gone', 'de', 'Die Datei ist weg', {
		source: 'The file {name} is gone',
		fault: '{name} is missing',
		quality: 0.42,
		terms: [
			{ source: 'file', target: 'Datei', isUsed: true },
			{ source: 'gone', target: 'verschwunden', isUsed: false },
		],
	}),
	row('a.key.with.a.very.long.name.that.no.column.is.wide.enough.for', 'fr', ''),
	row('menu.close', 'fr', 'Fermer', { decision: 'accepted', isEdited: true }),
	row('menu.quit', 'fr', 'Quitter', { decision: 'written' }),
	row('menu.other', 'fr', 'Autre', { decision: 'skipped' }),
];

const sent = (page: Page): Promise<Record<string, unknown>[]> =>
	page.evaluate(() => (window as unknown as { sent: Record<string, unknown>[] }).sent);

async function open(theme?: { kind: string; css?: string }) {
	const opened = await openPage(browser, 'review', theme);
	await opened.tell({ type: 'state', state, rows, strings: {} });
	await opened.page.locator('li').first().waitFor();
	return opened;
}

const themes = [
	{ kind: 'vscode-light' },
	{
		kind: 'vscode-dark',
		css: ':root{--vscode-foreground:#ccc;--vscode-descriptionForeground:#a0a0a0;--vscode-editor-background:#1e1e1e;--vscode-editorWarning-foreground:#cca700;--vscode-textLink-foreground:#4daafc;--vscode-input-background:#313131;--vscode-input-foreground:#ccc;--vscode-icon-foreground:#ccc;--vscode-button-secondaryBackground:#313131;--vscode-button-secondaryForeground:#ccc;--vscode-button-background:#0078d4}',
	},
	{
		kind: 'vscode-high-contrast',
		css: ':root{--vscode-foreground:#fff;--vscode-descriptionForeground:#fff;--vscode-editor-background:#000;--vscode-editorWarning-foreground:#ffd370;--vscode-textLink-foreground:#21a6ff;--vscode-input-background:#000;--vscode-input-foreground:#fff;--vscode-input-border:#6fc3df;--vscode-icon-foreground:#fff;--vscode-button-border:#6fc3df;--vscode-button-background:#000;--vscode-button-foreground:#fff;--vscode-button-secondaryBackground:#000;--vscode-button-secondaryForeground:#fff}',
	},
];

test(
	'it fits from 180 to 1,600 pixels in every theme, without a fault of accessibility',
	inBrowser,
	async () => {
		for (const theme of themes) {
			const { page } = await open(theme);
			for (const width of [180, 320, 760, 1600]) {
				await page.setViewportSize({ width, height: 700 });
				assert.ok(
					await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
					`${theme.kind}: nothing sticks out at ${width}`,
				);
			}
			const folder = process.env['REVIEW_PICTURES'];
			for (const width of folder === undefined ? [] : [320, 1200]) {
				await page.setViewportSize({ width, height: 700 });
				await page.screenshot({ path: `${folder}/review-${theme.kind}-${width}.png` });
			}
			assert.deepEqual(await violations(page, '.review'), [], theme.kind);
			await page.close();
		}
	},
);

test(
	'arrows move, Enter accepts, S skips, E writes; Escape writes nothing',
	inBrowser,
	async () => {
		const { page } = await open();
		const items = page.locator('.review > ul > li');
		await items.first().focus();
		await page.keyboard.press('Enter');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('s');
		await page.keyboard.press('e');
		const field = page.getByRole('textbox', { name: 'Text of files.gone in German' });
		await field.fill('Die Datei {name} ist weg');
		await field.press('Enter');
		await until('the row has the focus again', async () =>
			items.nth(1).evaluate((item) => item === document.activeElement),
		);
		await page.keyboard.press('e');
		await field.fill('something else');
		await field.press('Escape');
		await field.waitFor({ state: 'detached' });
		const [first, second, , accepted] = rows;
		// A text that is right as it stands is accepted by Enter; leaving it decides nothing.
		await page.keyboard.press('e');
		await field.press('Enter');
		await field.waitFor({ state: 'detached' });
		await items.first().focus();
		await page.keyboard.press('e');
		await page.getByRole('textbox', { name: 'Text of files.open' }).blur();
		await items.nth(3).focus();
		await page.keyboard.press('e');
		await page.getByRole('textbox', { name: 'Text of menu.close' }).press('Enter');
		await items.nth(2).focus();
		await page.keyboard.press('e');
		await page.getByRole('textbox', { name: 'Text of a.key.with' }).press('Enter');
		assert.equal(accepted?.decision, 'accepted', 'and stays so');
		assert.deepEqual(
			(await sent(page)).filter(({ type }) => type !== 'ready'),
			[
				{ type: 'decide', ids: [first?.id], decision: 'accepted' },
				{ type: 'decide', ids: [second?.id], decision: 'skipped' },
				{ type: 'edit', id: second?.id, text: 'Die Datei {name} ist weg' },
				{ type: 'decide', ids: [second?.id], decision: 'accepted' },
			],
		);
		await page.close();
	},
);

test(
	'all that is in order is accepted at once, what is doubtful is not, and a button says how many are written',
	inBrowser,
	async () => {
		const { page, tell } = await open();
		await page.getByRole('button', { name: 'Accept all shown (1)' }).click();
		assert.deepEqual((await sent(page)).at(-1), {
			...{ type: 'decide', ids: [rows[0]?.id], decision: 'accepted' },
		});
		await page.getByRole('button', { name: 'Put 1 into the files' }).click();
		assert.deepEqual((await sent(page)).at(-1), { type: 'write' });
		const written = rows.map((one) => ({ ...one, decision: 'written' as const }));
		await tell({
			...{ type: 'change', rows: written },
			state: { ...state, note: '6 messages in 2 files.' },
		});
		await page.getByText('6 messages in 2 files.').waitFor();
		assert.equal(
			await page.getByRole('button', { name: 'Put 0 into the files' }).isDisabled(),
			true,
		);
		assert.equal(await page.locator('li .actions button').count(), 0, 'nothing is left to decide');
		await page.close();
	},
);

test(
	'rows are found by language, state and words; work in progress, failures and emptiness say what is so',
	inBrowser,
	async () => {
		const { page, tell } = await open();
		const keys = () => page.locator('.review > ul > li .key').allTextContents();
		await page.getByRole('combobox', { name: 'Language' }).selectOption('fr');
		assert.equal((await keys()).length, 4);
		await page.getByRole('combobox', { name: 'Language' }).selectOption('');
		await page.getByRole('combobox', { name: 'State' }).selectOption('check');
		assert.deepEqual((await keys()).slice(0, 1), ['files.gone']);
		await page.getByRole('combobox', { name: 'State' }).selectOption('all');
		await page.getByRole('searchbox').fill('QUITTER');
		assert.deepEqual(await keys(), ['menu.quit']);
		await page.getByRole('searchbox').fill('nothing such');
		await page.getByText('No message matches.').waitFor();
		const progress = { language: 'French', done: 3, total: 12 };
		await tell({ type: 'change', state: { ...state, progress }, rows: [] });
		await page
			.getByRole('status')
			.filter({ hasText: 'Translating into French: 3 of 12' })
			.waitFor();
		await page.getByRole('button', { name: 'Stop' }).click();
		await tell({ type: 'change', state: { ...state, problem: 'No model.' }, rows: [] });
		await page.getByRole('alert').filter({ hasText: 'No model.' }).waitFor();
		await page.getByRole('button', { name: 'Try again' }).click();
		assert.deepEqual(
			(await sent(page)).map(({ type }) => type),
			['ready', 'stop', 'again'],
		);
		await tell({ type: 'state', state, rows: [], strings: {} });
		await page.getByRole('searchbox').fill('');
		await page.getByText('Nothing is missing.').waitFor();
		await page.close();
	},
);

test('thousands of messages are drawn in parts', inBrowser, async () => {
	const { page, tell } = await open();
	const many = Array.from({ length: 3000 }, (_, index) =>
		row(`key${index}`, 'de', `Text ${index}`),
	);
	await tell({ type: 'state', state, rows: many, strings: {} });
	await page.getByRole('button', { name: 'Show 100 more' }).click();
	await until(
		'the next ones are there',
		async () => (await page.locator('.review > ul > li').count()) === 200,
	);
	await page.getByRole('button', { name: 'Accept all shown (3000)' }).waitFor();
	await page.close();
});

test(
	'a message whose source has changed shows what its file says until now, and can be accepted',
	inBrowser,
	async () => {
		const { page, tell } = await open();
		const stale = row('menu.new', 'fr', 'Nouveau fichier', { before: 'Nouveau' });
		await tell({ type: 'change', state, rows: [stale] });
		const item = page.locator('li', { hasText: 'menu.new' });
		await item.getByText('Until now: Nouveau').waitFor();
		await item.getByText('Source changed').waitFor();
		assert.deepEqual(await violations(page, '.review'), []);
		await page.setViewportSize({ width: 320, height: 700 });
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		const folder = process.env['REVIEW_PICTURES'];
		if (folder !== undefined) await item.screenshot({ path: `${folder}/review-stale.png` });
		await item.getByRole('button', { name: 'Accept' }).click();
		assert.deepEqual((await sent(page)).at(-1), {
			...{ type: 'decide', ids: [stale.id], decision: 'accepted' },
		});
		await page.close();
	},
);
