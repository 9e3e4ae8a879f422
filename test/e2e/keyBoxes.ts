/** The list of keys and its boxes, as people use them. */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { command } from './window.ts';

/** The row of a key in the list of keys. */
export const row = (page: Page, title: string) =>
	page.locator('.quick-input-list .monaco-list-row').filter({ hasText: title });

/** Shows the list of keys. */
export async function openKeys(page: Page): Promise<void> {
	await command(page, 'Nearglot: Manage Keys');
	await page.locator('.quick-input-title', { hasText: /^Keys$/ }).waitFor();
}

/** Whether the list says of a key that it is set. */
export async function isSet(page: Page, title: string): Promise<boolean> {
	await openKeys(page);
	const words = (await row(page, title).textContent()) ?? '';
	await page.keyboard.press('Escape');
	await page.locator('.quick-input-title', { hasText: /^Keys$/ }).waitFor({ state: 'hidden' });
	return words.replace(title, '').includes('set');
}

/** Types a value into the box that is open. */
export async function typeKey(
	page: Page,
	title: string,
	value: string,
	hidden: boolean,
): Promise<void> {
	const input = page.locator('.quick-input-widget input.input');
	await page.locator('.quick-input-title', { hasText: title }).waitFor();
	await page.locator('.quick-input-message', { hasText: 'secret storage' }).waitFor();
	assert.equal(await input.getAttribute('type'), hidden ? 'password' : 'text');
	await input.fill(value);
	await page.keyboard.press('Enter');
	// The extension is asked whether it likes the value; whatever takes the box away before cancels it.
	await page.locator('.quick-input-title', { hasText: title }).waitFor({ state: 'hidden' });
	await until(`'${title}' is set`, () => isSet(page, title));
}

/** Sets a key that is not set yet. */
export async function setKey(
	page: Page,
	title: string,
	value: string,
	hidden: boolean,
): Promise<void> {
	await openKeys(page);
	await row(page, title).click();
	await typeKey(page, title, value, hidden);
}

/** Chooses what to do with a key that is set. */
export async function changeKey(
	page: Page,
	title: string,
	what: 'Replace' | 'Forget',
): Promise<void> {
	await openKeys(page);
	await row(page, title).click();
	await page.locator('.quick-input-title', { hasText: title }).waitFor();
	await row(page, what).click();
}
