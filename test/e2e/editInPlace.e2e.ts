/** *Edit in Place* and completions with a model of an engine on another machine. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { engineOf, withLab } from './labEngine.ts';
import { command, desk, editorText, openFile, patientMs, photograph } from './window.ts';

const original =
	'import os\n\n\ndef mean(values):\n    """The mean."""\n    total = sum(values)\n    return total / len(values)\n\n\nprint(mean([1]))\n';
const changed =
	'def mean(values):\n    """The mean; 0 without values."""\n    total = sum(values)\n    if not values:\n        return 0\n    return total / len(values)\n';

/** What was asked last, and lets the answer go on. */
const asked: string[] = [];
let goOn = () => {};
const engine = engineOf(async (body, send, response) => {
	asked.push(body);
	const pieces = `\`\`\`python\n${changed}\`\`\``.match(/[\s\S]{1,9}/g) ?? [];
	const middle = Math.floor(pieces.length * 0.75);
	for (const content of pieces.slice(0, middle)) send({ content }, null);
	await new Promise<void>((resolve) => {
		goOn = resolve;
		response.once('close', resolve);
	});
	for (const content of pieces.slice(middle)) send({ content }, null);
	send({}, 'stop');
});

const lenses = (page: Page, title: string) =>
	page.locator('.editor-group-container.active .codelens-decoration a', { hasText: title });

/** Selects the function and asks for the change; resolves when half of it is there. */
async function ask(page: Page, wish: string): Promise<void> {
	await editorText(page).click();
	await page.keyboard.press('Control+Home');
	for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown');
	for (let step = 0; step < 4; step++) await page.keyboard.press('Shift+ArrowDown');
	const questions = asked.length;
	await page.keyboard.press('Control+I');
	await page.locator('.quick-input-title', { hasText: 'mean.py:4-7' }).waitFor();
	await page.locator('.quick-input-widget input.input').fill(wish);
	const row = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: wish });
	await row.waitFor();
	await page.keyboard.press('Enter');
	const toasts = page.locator('.notification-toast .notification-list-item-message');
	const toast = toasts.filter({ hasNotText: 'Writing the change' }).first();
	const half = editorText(page).filter({ hasText: 'if not values' });
	await half.or(toast).first().waitFor();
	assert.equal(await toast.count(), 0, (await toast.allTextContents()).join());
	assert.equal(asked.length, questions + 1);
}

/** The text of the active editor, its lines as they stand; in the page they come in any order. */
const text = (page: Page) =>
	page.evaluate(() => {
		const lines = [
			...document.querySelectorAll<HTMLElement>(
				'.editor-group-container.active .editor-instance .view-line',
			),
		];
		const top = (line: HTMLElement) => Number.parseFloat(line.style.top);
		const ordered = lines.sort((one, other) => top(one) - top(other));
		return ordered.map((line) => line.textContent?.replaceAll('\u00a0', ' ')).join('\n');
	});

test('a part is changed in place while the model writes; hunks are kept or taken back, and one undo takes back all', () =>
	withLab(engine, async () => {
		const { open, workspace, pictures } = await desk();
		const file = join(workspace, 'mean.py');
		writeFileSync(file, original);
		const page = await open();
		await openFile(page, 'mean.py', 'The mean');
		await ask(page, 'handle an empty list');
		const question = JSON.parse(asked.at(-1) ?? '{}');
		assert.equal(question.model, 'coder');
		const { content } = question.messages.at(-1);
		assert.match(content, /Wanted: handle an empty list$/);
		assert.match(content, /After the part:\n```python\n\n\nprint\(mean/);
		assert.match(await text(page), /import os.*return total \/ len.*print/s, 'the rest is there');
		await page.screenshot({ path: join(pictures, 'edit-in-place-writing.png') });
		goOn();
		await lenses(page, 'Keep all 2').waitFor();
		await photograph(page, pictures, 'edit-in-place');
		assert.equal(
			await page.locator('.codelens-decoration a', { hasText: /^.?\s*Undo$/ }).count(),
			2,
		);
		// One undo step, however many steps it was written in.
		await editorText(page).click();
		await page.keyboard.press('Control+Z');
		await editorText(page).filter({ hasNotText: 'if not values' }).waitFor();
		assert.match(await text(page), /"""The mean\."""/);
		await lenses(page, 'Keep').first().waitFor({ state: 'detached' });

		await ask(page, 'handle an empty list');
		goOn();
		await lenses(page, 'Keep all 2').waitFor();
		// The first hunk goes back, the second stays.
		await lenses(page, 'Undo').first().click();
		await editorText(page).filter({ hasText: '"""The mean."""' }).waitFor();
		assert.match(await text(page), /if not values/);
		// What stands above the first hunk is gone before the second one's is clicked.
		await lenses(page, 'Undo').nth(1).waitFor({ state: 'detached' });
		await lenses(page, 'Keep').first().click();
		await lenses(page, 'Keep').first().waitFor({ state: 'detached' });
		await command(page, 'File: Save');
		await until('it is saved', () => ![original, ''].includes(readFileSync(file, 'utf8')));
		const saved = readFileSync(file, 'utf8');
		assert.equal(
			saved,
			original.replace(
				'    return total',
				'    if not values:\n        return 0\n    return total',
			),
		);
		await page.close();
	}));

test('a change that is stopped leaves a whole text and can be taken back; a whole one is taken back or kept as a whole', () =>
	withLab(engine, async () => {
		const { open, workspace } = await desk();
		const file = join(workspace, 'mean.py');
		writeFileSync(file, original);
		const page = await open();
		await openFile(page, 'mean.py', 'The mean');
		await ask(page, 'handle an empty list');
		await editorText(page).click();
		await page.keyboard.press('Escape');
		await lenses(page, 'Undo').first().waitFor({ timeout: patientMs });
		assert.match(await text(page), /import os.*if not values.*return total \/ len.*print/s);
		await command(page, 'Nearglot: Undo Changes');
		await editorText(page).filter({ hasText: '"""The mean."""' }).waitFor();
		assert.match(await text(page), /"""The mean\.""".*total = sum/s);

		await ask(page, 'handle an empty list');
		goOn();
		await lenses(page, 'Undo all 2').click();
		await editorText(page).filter({ hasText: '"""The mean."""' }).waitFor();
		await lenses(page, 'Undo').first().waitFor({ state: 'detached' });
		await ask(page, 'handle an empty list');
		goOn();
		await lenses(page, 'Keep all 2').waitFor();
		await editorText(page).click();
		await page.keyboard.press('Control+Enter');
		await lenses(page, 'Keep').first().waitFor({ state: 'detached' });
		await command(page, 'File: Save');
		await until('it is saved', () => ![original, ''].includes(readFileSync(file, 'utf8')));
		assert.equal(
			readFileSync(file, 'utf8'),
			`import os\n\n\n${changed}\n\nprint(mean([1]))\n`,
			'nothing but the change, the key itself wrote nothing',
		);
		await page.close();
	}));

/** The text of the active editor without what is only suggested. */
const typed = (page: Page) =>
	page.evaluate((suggested) => {
		const lines = document.querySelectorAll('.editor-group-container.active .view-line');
		const own = [...lines].map((line) => {
			const copy = line.cloneNode(true) as HTMLElement;
			for (const part of copy.querySelectorAll(suggested)) part.remove();
			return copy.textContent?.replaceAll('\u00a0', ' ');
		});
		return own.join('\n');
	}, ghostText);

/** Parts of a line that are only suggested. */
const ghostText = '[class*="ghost-text"]';

interface Completion {
	readonly prompt: string;
	readonly suffix?: string;
}

test('completions are turned on; a suggestion is taken over word by word or whole, a key ends one that is asked for, and they are turned off', () => {
	const requests: Completion[] = [];
	let given = 0;
	let ended = 0;
	const coder = engineOf(async (body, send, response) => {
		const request = JSON.parse(body) as Completion;
		requests.push(request);
		if (/return sum\(a$/.test(request.prompt)) {
			// Nobody answers this one: it waits for the next key.
			await new Promise((resolve) => response.once('close', resolve));
			ended++;
			return;
		}
		given++;
		if (request.prompt.endsWith('    return ')) send('sum(values) / len(values)', null);
		send('', 'stop');
	}, 'qwen2.5-coder-0.5b');
	return withLab(coder, async () => {
		const { open, workspace, pictures, configure } = await desk();
		writeFileSync(join(workspace, 'average.py'), 'def average(values):\n\n\nprint(average([1]))\n');
		const page = await open();
		const quick = page.locator('.quick-input-list .monaco-list-row');
		const choose = async (words: string) => {
			await command(page, 'Nearglot: Turn On Completions');
			await quick.filter({ hasText: words }).first().click();
		};
		const ghost = page.locator(`.editor-instance ${ghostText}`);
		try {
			await openFile(page, 'average.py', 'average');
			await choose('qwen2.5-coder-0.5b');
			await page
				.locator('.notification-toast', { hasText: 'completes code now' })
				.waitFor({ timeout: patientMs });
			await editorText(page).click();
			await page.keyboard.press('Control+Home');
			await page.keyboard.press('ArrowDown');
			// Behind a space no list of words stands in the way.
			await page.keyboard.type('    return ');
			await ghost.filter({ hasText: 'sum' }).first().waitFor({ timeout: patientMs });
			const asked = requests.find(({ prompt }) =>
				prompt.endsWith('def average(values):\n    return '),
			);
			assert.match(asked?.suffix ?? '', /^\n\nprint\(average/);
			await photograph(page, pictures, 'completion');
			await page.keyboard.press('Control+ArrowRight');
			await until('one word is there', async () => /return sum(?!.*len)/.test(await typed(page)));
			await page.keyboard.press('Tab');
			await until('all of it is there', async () =>
				(await typed(page)).includes('    return sum(values) / len(values)'),
			);

			await page.keyboard.press('Control+A');
			await page.keyboard.type('def total(a):\n    return sum(a');
			await until('it is asked for', () => requests.at(-1)?.prompt.endsWith('sum(a') === true);
			await page.keyboard.type(', 0)');
			await until('what nobody waits for is ended', () => ended > 0);

			await choose('Turn completions off');
			await editorText(page).click();
			await page.keyboard.press('Control+A');
			const before = given;
			await page.keyboard.type('def average(values):\n    return ');
			await command(page, 'File: Save');
			assert.equal(await ghost.count(), 0);
			assert.equal(given, before);
		} finally {
			configure({ 'nearglot.inline.model': undefined });
		}
		await page.close();
	});
});
