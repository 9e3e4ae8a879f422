/** Accessibility faults of a page inside VS Code, found by axe-core. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, FrameLocator, Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Checker {
	run(
		where: Document,
		options: object,
	): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

/** The frame in which something is; throws when it is in none. */
export async function frameWith(page: Page, selector: string): Promise<Frame> {
	for (const frame of page.frames()) {
		const count = await frame
			.locator(selector)
			.count()
			.catch(() => 0);
		if (count > 0) return frame;
	}
	throw new Error(`${selector} is not on the screen.`);
}

/** Rule and place of every fault in the frame that holds the selector. */
export async function violations(page: Page, selector: string): Promise<string[]> {
	const frame = await frameWith(page, selector);
	await frame.evaluate(source);
	return frame.evaluate(async () => {
		const { axe } = globalThis as unknown as { axe: Checker };
		const result = await axe.run(document, { resultTypes: ['violations'] });
		return result.violations.map(
			({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
		);
	});
}

/** Asserts that there are none in any theme; `prepare` runs before each is looked at. */
export async function assertNoFaults(
	page: Page,
	frame: FrameLocator,
	selector: string,
	picture: (theme: string) => string,
	prepare: () => Promise<void> = async () => undefined,
): Promise<void> {
	for (const [theme, media] of [
		['vscode-dark', { colorScheme: 'dark' }],
		['vscode-high-contrast', { colorScheme: 'dark', forcedColors: 'active' }],
		['vscode-light', { colorScheme: 'light', forcedColors: 'none' }],
	] as const) {
		await page.emulateMedia(media);
		await frame.locator(`body.${theme}`).waitFor({ state: 'attached' });
		await prepare();
		await page.screenshot({ path: picture(theme) });
		assert.deepEqual(await violations(page, selector), [], theme);
	}
}
