/** What people see while they work with a team: notices, dialogs, the one list of models. */

import type { FrameLocator, Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { command } from './window.ts';

export const toast = (window: Page, text: string | RegExp) =>
	window.locator('.notifications-toasts .notification-list-item').filter({ hasText: text });

export const dialogButton = (window: Page, name: string) =>
	window.locator('.monaco-dialog-box').getByRole('button', { name, exact: true });

/** Chooses who answers in the one list of models; `picture` takes one of the list. */
export async function chooseModel(window: Page, text: string, picture?: string): Promise<void> {
	await command(window, 'Nearglot: Choose Model');
	await window.locator('.quick-input-list').getByText('Best model of this computer').waitFor();
	if (picture !== undefined) await window.screenshot({ path: picture });
	await window.locator('.quick-input-widget input.input').fill(text);
	const rows = window.locator('.quick-input-list .monaco-list-row');
	await rows.filter({ hasNotText: 'Best model' }).filter({ hasText: text }).first().waitFor();
	await window.keyboard.press('Enter');
}

/** Waits until nobody is signed in: the list of models, which shows what holds when it opens, offers to. */
export async function signedOut(window: Page): Promise<void> {
	const list = window.locator('.quick-input-list');
	await until('the list of models offers to sign in', async () => {
		await command(window, 'Nearglot: Choose Model');
		await list.getByText('Best model of this computer').waitFor();
		const offers = await list.getByText(/Sign in to \[::1\]/).isVisible();
		await window.keyboard.press('Escape');
		return offers;
	});
}

/** Waits until a chat lists models of the team. */
export const teamModels = (frame: FrameLocator) =>
	frame.locator('select.model optgroup[label^="Team"]').waitFor({ state: 'attached' });

/** The model the chat shows as chosen: one of the team, or one of this computer. */
export const chosen = (frame: FrameLocator, ofTeam: boolean) =>
	frame
		.locator(
			`select.model option:checked${ofTeam ? '' : ':not'}${ofTeam ? '[value^="team:"]' : '([value^="team:"])'}`,
		)
		.waitFor({ state: 'attached' });
