/** Mermaid diagrams of answers: drawn under the rules of the editor's pages, in its colours; what cannot be drawn stays code. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { PageState } from '../../server/protocol/index.ts';
import { violations } from '../e2e/axe.ts';
import { until } from '../support/until.ts';
import { inBrowser, launchBrowser, openPage } from './pageInBrowser.ts';

let browser: Browser;
before(async () => {
	if (inBrowser.skip === false) browser = await launchBrowser();
});
after(() => browser?.close());

const diagrams = [
	'---\ntitle: Ours\n---\n%% a remark\nflowchart LR\n  A[Ask <b>&amp; answer</b>] -->|yes| B{Ready?}\n  B -- no --> C((Wait))\n  subgraph Here\n    C --> A\n  end',
	'sequenceDiagram\n  participant E as Editor\n  E->>Server: question\n  Server-->>E: answer',
	'stateDiagram-v2\n  [*] --> Idle\n  Idle --> Busy: ask\n  Busy --> [*]',
	'classDiagram\n  class Chat {\n    +string title\n    +send(text)\n  }\n  Chat <|-- TeamChat',
	'erDiagram\n  CHAT ||--o{ TURN : has\n  TURN {\n    string id PK\n  }',
];

/** A chat whose one answer has these blocks. */
function chat(blocks: readonly string[]): PageState {
	const text = blocks.map((block) => `\`\`\`mermaid\n${block}\n\`\`\`\n`).join('\n');
	const createdAt = '2026-01-01T00:00:00Z';
	return {
		conversation: {
			...{ id: 'c', title: 'c', system: '', createdAt, updatedAt: createdAt, leaf: 'a' },
			turns: [
				{ id: 'q', role: 'user', parent: null, text: 'draw', createdAt },
				{ id: 'a', role: 'assistant', parent: 'q', text, createdAt, finishReason: 'stop' },
			],
		},
		...{ answering: null, progress: null, models: [], model: '', attachments: [], tools: [] },
		capabilities: { editor: true },
	};
}

const dark =
	':root{--vscode-foreground:#ccc;--vscode-sideBar-background:#181818;--vscode-textCodeBlock-background:#2a2a2a;--vscode-textLink-foreground:#4daafc;--vscode-descriptionForeground:#a0a0a0;--vscode-icon-foreground:#ccc;--vscode-input-background:#313131;--vscode-input-foreground:#ccc}';

const pictures = (page: Page) => page.locator('.diagram img');

/** Whether the browser could read all pictures that are there. */
const areRead = (page: Page): Promise<boolean> =>
	pictures(page).evaluateAll((all) =>
		all.every((one) => {
			const { complete, naturalWidth } = one as HTMLImageElement;
			return complete && naturalWidth > 40;
		}),
	);

test(
	'diagrams are drawn in the colours of the page, follow its theme, and show their source',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat', {
			...{ kind: 'vscode-dark', css: dark, isStrict: true },
		});
		const refused: string[] = [];
		page.on('console', (message) => {
			if (/Content Security Policy/.test(message.text())) refused.push(message.text());
		});
		await page.setViewportSize({ width: 420, height: 3600 });
		await tell({ type: 'state', state: chat(diagrams), strings: {} });
		await until('all are drawn', async () => (await pictures(page).count()) === diagrams.length);
		await until('the browser has read them', () => areRead(page));
		const addresses = await pictures(page).evaluateAll((all) =>
			all.map((one) => decodeURIComponent((one as HTMLImageElement).src)),
		);
		for (const address of addresses) {
			assert.match(address, /^data:image\/svg\+xml,<svg/);
			assert.match(address, /#ccc/, "the colour of the page's text");
			assert.doesNotMatch(address, /@import|https?:\/\/(?!www\.w3\.org)|<script/);
		}
		assert.deepEqual(refused, []);
		assert.deepEqual(await violations(page, '.log'), []);
		const folder = process.env['DIAGRAM_PICTURES'];
		if (folder) await page.screenshot({ path: `${folder}/diagrams-dark.png` });
		await page.evaluate(() => {
			document.documentElement.style.setProperty('--vscode-foreground', '#102030');
			document.documentElement.style.setProperty('--vscode-textCodeBlock-background', '#fafafa');
			document.body.className = 'vscode-light';
		});
		await until('they have the other theme', async () =>
			/%23102030/.test((await pictures(page).first().getAttribute('src')) ?? ''),
		);
		if (folder) await page.screenshot({ path: `${folder}/diagrams-light.png` });
		const first = page.locator('figure.code').first();
		assert.equal(await first.locator('pre').isVisible(), false);
		await first.getByRole('button', { name: 'Source' }).click();
		await first.locator('pre').getByText('flowchart LR').waitFor();
		assert.equal(await first.locator('.diagram').count(), 0);
		await page.setViewportSize({ width: 182, height: 800 });
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		await page.close();
	},
);

test(
	'a label may speak of styles, and what the browser cannot show is code',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat', {
			kind: 'vscode-light',
			isStrict: true,
		});
		await page.setViewportSize({ width: 420, height: 1500 });
		const label = 'flowchart TD\n  A[write @import here] --> B';
		await tell({ type: 'state', state: chat([label]), strings: {} });
		await pictures(page).waitFor();
		await until('the browser has read it', () => areRead(page));
		assert.match(
			decodeURIComponent((await pictures(page).getAttribute('src')) ?? ''),
			/write @import here/,
		);
		await pictures(page).dispatchEvent('error');
		await page.locator('figure.code pre').getByText('flowchart TD').waitFor();
		assert.equal(await pictures(page).count(), 0);
		await page.close();
	},
);

test('what is no such diagram, is too long or half written stays code', inBrowser, async () => {
	const { page, tell } = await openPage(browser, 'chat', { kind: 'vscode-light', isStrict: true });
	await page.setViewportSize({ width: 420, height: 3000 });
	const long = `flowchart TD\n${Array.from({ length: 300 }, (_, index) => `  a${index} --> b${index}`).join('\n')}`;
	const names = (letter: string) => Array.from({ length: 40 }, (_, index) => letter + index);
	// One line of 1,600 links.
	const product = `flowchart TD\n  ${names('a').join(' & ')} --> ${names('b').join(' & ')}`;
	const others = ['pie\n  "a": 1', 'no diagram at all', long, product];
	const state = chat([...others, 'flowchart TD\n  A --> B']);
	await tell({ type: 'state', state, strings: {} });
	await pictures(page).waitFor();
	assert.equal(await pictures(page).count(), 1, 'the last one alone');
	assert.equal(await page.locator('figure.code pre:visible').count(), 4);
	await page.close();
});
