/** The chat page as people see it: what is in view, what fits, how answers look. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Conversation, PageState, Turn } from '../../server/protocol/index.ts';
import { violations } from '../e2e/axe.ts';
import { until } from '../support/until.ts';
import { inBrowser, launchBrowser, openPage } from './pageInBrowser.ts';

let browser: Browser;
before(async () => {
	if (inBrowser.skip === false) browser = await launchBrowser();
});
after(() => browser?.close());

const turn = (id: string, role: Turn['role'], parent: string | null, text: string): Turn => ({
	...{ id, role, parent, text, createdAt: '2026-01-01T00:00:00Z' },
	...(role === 'assistant' ? { finishReason: 'stop' as const } : {}),
});

/** A chat of questions with long answers; the last answer is being written when `answering`. */
function chat(questions: number, answering: boolean): PageState {
	const turns: Turn[] = [];
	for (let index = 0; index < questions; index++) {
		const parent = turns.at(-1)?.id ?? null;
		turns.push(turn(`q${index}`, 'user', parent, `question ${index}`));
		const open = answering && index === questions - 1;
		const words = open ? '' : 'A paragraph of an answer.\n\n'.repeat(12);
		const { finishReason, ...answer } = turn(`a${index}`, 'assistant', `q${index}`, words);
		turns.push(open ? answer : { ...answer, finishReason: finishReason! });
	}
	const conversation: Conversation = {
		...{ id: 'c', title: 'c', system: '', createdAt: '', updatedAt: '' },
		...{ turns, leaf: turns.at(-1)?.id ?? null },
	};
	return {
		conversation,
		answering: answering ? `a${questions - 1}` : null,
		progress: null,
		models: [
			{ id: 'small', displayName: 'A Small Model With a Long Name', task: 'chat-completion' },
		] as never,
		model: 'small',
		attachments: [],
		tools: [],
		capabilities: { editor: true },
	};
}

const show = (state: PageState) => ({ type: 'state', state, strings: {} });

const below = (page: Page): Promise<number> =>
	page.evaluate(() => {
		const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.log')!;
		return Math.round(scrollHeight - scrollTop - clientHeight);
	});

/** Writes an answer with code in it, piece by piece. */
async function stream(tell: (message: unknown) => Promise<void>, id: string): Promise<void> {
	for (let piece = 0; piece < 12; piece++) {
		const text =
			piece % 6 === 3 ? '\n\n```sh\nls -la\ndu -sh .\n```\n\n' : 'Some words and more. '.repeat(8);
		await tell({ type: 'delta', id, text, reasoning: '' });
	}
}

test(
	'an answer stays in view while it is written, whatever grows or shrinks in a slow browser',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		await page.setViewportSize({ width: 300, height: 420 });
		const session = await page.context().newCDPSession(page);
		await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
		await tell(show(chat(4, true)));
		await stream(tell, 'a3');
		// A layout that shrinks and grows again between two frames: its scroll event is not the reader's.
		await page.evaluate(async () => {
			const log = document.querySelector<HTMLElement>('.log')!;
			const last = log.querySelector<HTMLElement>('.turns:last-of-type')!;
			last.style.height = '200px';
			log.getBoundingClientRect();
			last.style.height = '2400px';
			await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
			last.style.height = '';
		});
		await stream(tell, 'a3');
		await until('the end of the answer is in view', async () => (await below(page)) < 48);
		await page.close();
	},
);

test(
	'who scrolls up stays there, has a button to the newest words, and is brought to the next question',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		await page.setViewportSize({ width: 300, height: 420 });
		await tell(show(chat(3, true)));
		await stream(tell, 'a2');
		await until('the end is in view', async () => (await below(page)) < 48);
		await page.mouse.move(150, 150);
		await page.mouse.wheel(0, -30);
		await until('the page has moved', async () => (await below(page)) > 10);
		await stream(tell, 'a2');
		await until('more has come than is shown', async () => (await below(page)) > 100);
		await page.getByRole('button', { name: 'Newest' }).click();
		await until('the button leads to the end', async () => (await below(page)) < 48);
		assert.equal(await page.getByRole('button', { name: 'Newest' }).count(), 0);
		await page.locator('.log').press('Home');
		await until('the reader is at the beginning', async () => (await below(page)) > 500);
		await tell(show(chat(4, true)));
		await until('the next question is in view', async () => (await below(page)) < 48);
		await page.close();
	},
);

test(
	'everything fits side bars of 182 to 390 pixels, a question that is too long included',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		await tell(show(chat(1, false)));
		await page.fill('.composer textarea', 'a long question');
		await page.waitForFunction(() =>
			(window as unknown as { sent: { type: string }[] }).sent.some(({ type }) => type === 'count'),
		);
		for (const width of [182, 200, 290, 320, 390]) {
			await page.setViewportSize({ width, height: 700 });
			for (const tokens of [31, 537]) {
				await tell({ type: 'tokens', tokens, limit: 512 });
				await page.locator('.composer .tokens').waitFor();
				const found = await page.evaluate(() => {
					const edge = document.querySelector('.composer')!.getBoundingClientRect();
					return {
						outside: [...document.querySelectorAll('.composer *')]
							.filter((element) => !element.matches('option, .visually-hidden'))
							.filter((element) => element.getBoundingClientRect().right > edge.right + 0.5)
							.map(({ tagName, className }) => `${tagName} ${String(className)}`),
						wide: document.documentElement.scrollWidth > innerWidth,
						composer: Math.round(edge.height),
						model: Math.round(
							document.querySelector('select.model')!.getBoundingClientRect().width,
						),
					};
				});
				assert.deepEqual([found.outside, found.wide], [[], false], `${tokens} tokens at ${width}`);
				assert.ok(found.composer < 290, `the input is ${found.composer} high at ${width}`);
				assert.ok(found.model >= 50, `the model is ${found.model} wide at ${width}`);
			}
		}
		await page.close();
	},
);

const markdown = `- [x] done **well**
- [ ] open
- plain

| Option | number | what it does for you |
| - | -: | - |
| \`--verbose\` | 10000 | prints a lot of words about everything |

\`\`\`diff
- old line
+ new line
@@ 1 @@
\`\`\`

Of $x^2 \\le y$ and \\(z\\), not $5 or $6:

$$\\frac{a}{b}$$

A claim[^1], see \`src/a.ts:12\`.

[^1]: The source.

<details><summary>More</summary>

hidden

</details>
`;

test('tasks, tables, differences and footnotes look like what they are', inBrowser, async () => {
	const { page, tell } = await openPage(browser, 'chat', {
		kind: 'vscode-dark',
		css: ':root{--vscode-foreground:#ccc;--vscode-sideBar-background:#1e1e1e;--vscode-textCodeBlock-background:#2a2a2a}',
	});
	await page.setViewportSize({ width: 240, height: 600 });
	const state = chat(1, false);
	const turns = state.conversation.turns.map((one) =>
		one.role === 'assistant' ? { ...one, text: markdown } : one,
	);
	await tell(show({ ...state, conversation: { ...state.conversation, turns } }));
	const box = page.locator('.markdown');
	await box.locator('li').first().waitFor();
	assert.deepEqual(
		await box.locator('li').evaluateAll((items) => items.map((item) => item.textContent)),
		['done well', 'open', 'plain'],
	);
	assert.equal(await box.locator('li input[type=checkbox]').count(), 2);
	assert.ok(
		(await box.locator('li').first().boundingBox())!.height < 30,
		'box and words on one line',
	);
	const pieces = await box
		.locator('td code, th')
		.evaluateAll((cells) => cells.map((cell) => cell.getClientRects().length));
	assert.deepEqual(pieces, [1, 1, 1, 1], 'a word of a table is in one piece');
	assert.ok(
		await box
			.locator('th')
			.nth(1)
			.evaluate((element) => element.clientWidth >= 55),
	);
	assert.equal(
		await box
			.locator('pre code')
			.first()
			.evaluate((code) => getComputedStyle(code).backgroundColor),
		'rgba(0, 0, 0, 0)',
		'no second band behind code',
	);
	await until('differences have colours', async () => {
		const lines = await box.locator('pre .inserted, pre .deleted').allTextContents();
		return lines.map((line) => line.trim()).join() === '- old line,+ new line';
	});
	await until('formulas are drawn', async () => (await box.locator('math').count()) === 3);
	assert.equal(await box.locator('.maths.block mfrac').count(), 1);
	assert.match((await box.textContent()) ?? '', /not \$5 or \$6/);
	assert.equal(await box.locator('p > sup').textContent(), '1');
	assert.match((await box.locator('.footnotes').textContent()) ?? '', /The source\./);
	assert.ok(!(await box.textContent())!.includes('[^1]'));
	await page.close();
});

/** What the page has told its host of one type. */
const told = (page: Page, type: string): Promise<Record<string, unknown>[]> =>
	page.evaluate(
		(wanted) =>
			(window as unknown as { sent: { type: string }[] }).sent.filter(
				(message) => message.type === wanted,
			),
		type,
	);

test(
	'a slash, @ and # offer what there is; keys choose, and the draft holds what was chosen',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		await page.setViewportSize({ width: 240, height: 500 });
		await tell(show(chat(1, false)));
		const input = page.locator('.composer textarea');
		await input.pressSequentially('/e');
		await until('the host is asked', async () =>
			(await told(page, 'mentions')).some(({ query }) => query === '/e'),
		);
		const items = [
			{ id: 'explain', label: '/explain', detail: 'Explains the code', insert: '/explain ' },
			{ id: 'edit', label: '/edit', detail: '', insert: '/edit ' },
		];
		await tell({ type: 'mentions', query: '/x', items });
		assert.equal(
			await page.locator('.mentions [role=option]').count(),
			0,
			'an answer to other words is not shown',
		);
		await tell({ type: 'mentions', query: '/e', items });
		await page.locator('.mentions [role=option]').nth(1).waitFor();
		assert.deepEqual(await violations(page, '.composer'), []);
		await input.press('ArrowDown');
		await input.press('Enter');
		await until('the command is in the draft', async () => (await input.inputValue()) === '/edit ');
		assert.deepEqual(await told(page, 'ask'), [], 'Enter chose and did not send');
		await input.fill('');
		await input.pressSequentially('see @a');
		await until('the host is asked again', async () =>
			(await told(page, 'mentions')).some(({ query }) => query === '@a'),
		);
		await tell({
			type: 'mentions',
			query: '@a',
			items: [{ id: 'file:1', label: 'a.ts', detail: 'src/a.ts' }],
		});
		await page.getByRole('option', { name: 'a.ts' }).click();
		await until('the words are gone', async () => (await input.inputValue()) === 'see ');
		assert.deepEqual(await told(page, 'mention'), [{ type: 'mention', id: 'file:1' }]);
		await page.close();
	},
);

test(
	'no words are cut off in narrow side bars: hints of the input, languages of code',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		const state = chat(1, false);
		const { conversation } = state;
		const answer = { ...conversation.turns[1]!, text: '```sh\ntar xf a.tar.gz\n```' };
		const turns = [conversation.turns[0]!, answer];
		await tell(show({ ...state, conversation: { ...conversation, turns } }));
		await page.locator('.code figcaption').waitFor();
		for (const width of [182, 200, 240, 390]) {
			await page.setViewportSize({ width, height: 700 });
			const cut = await page.evaluate(() =>
				[...document.querySelectorAll('.composer textarea, .code figcaption > span, .main-action')]
					.filter(
						(box) =>
							box.scrollHeight > box.clientHeight + 1 ||
							box.scrollWidth > box.clientWidth ||
							(!box.matches('textarea') && box.clientHeight > 30),
					)
					.map(
						(box) =>
							`${box.tagName} ${box.textContent} ${box.clientHeight} of ${box.scrollHeight}, ${box.clientWidth} of ${box.scrollWidth}`,
					),
			);
			assert.deepEqual(cut, [], `at ${width}`);
		}
		await page.close();
	},
);

test('the context is visible and can be left out; dropped files go along', inBrowser, async () => {
	const { page, tell } = await openPage(browser, 'chat');
	await page.setViewportSize({ width: 200, height: 500 });
	await tell(show(chat(1, false)));
	await tell({
		type: 'context',
		context: [
			{ kind: 'editor', label: 'a-file-with-a-long-name.test.ts:3-9', on: false },
			{ kind: 'instructions', label: 'AGENTS.md', on: true },
		],
	});
	const chip = page.getByRole('button', { name: 'AGENTS.md', pressed: true });
	await chip.click();
	assert.deepEqual(await told(page, 'context'), [{ type: 'context', kind: 'instructions' }]);
	assert.ok(
		await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
		'nothing sticks out',
	);
	await page.locator('.composer').evaluate((composer) => {
		const dataTransfer = new DataTransfer();
		dataTransfer.setData('text/uri-list', 'file:///w/a.ts\r\nfile:///w/b.ts');
		composer.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
		const files = new DataTransfer();
		files.items.add(new File(['words'], 'notes.txt'));
		composer.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true }));
	});
	await until('both are told', async () => (await told(page, 'dropText')).length === 1);
	assert.equal((await told(page, 'dropFiles'))[0]?.['text'], 'file:///w/a.ts\r\nfile:///w/b.ts');
	assert.deepEqual(await told(page, 'dropText'), [
		{ type: 'dropText', name: 'notes.txt', text: 'words' },
	]);
	await page.close();
});

test(
	'commands go to the terminal first, code to its file; names of files open them',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		await page.setViewportSize({ width: 220, height: 600 });
		const words =
			'```sh\nls\n```\n\n```ts\nlet a;\n```\n\nSee `src/a.ts:12`, [b](./src/b.ts#L3) and `c.ts`.';
		const state = chat(1, false);
		const turns = state.conversation.turns.map((one) =>
			one.role === 'assistant' ? { ...one, text: words } : one,
		);
		await tell(show({ ...state, conversation: { ...state.conversation, turns } }));
		await page.getByRole('button', { name: 'Terminal' }).click();
		await page.getByRole('button', { name: 'Compare with the file' }).click();
		await page.getByRole('button', { name: 'More actions' }).first().click();
		await page.getByRole('button', { name: 'Insert at cursor' }).click();
		await page.getByRole('button', { name: 'src/a.ts:12' }).click();
		await page.getByRole('button', { name: 'b', exact: true }).click();
		assert.equal(await page.locator('.file-reference').count(), 2);
		const sent = (type: string) => told(page, type).then(([message]) => message);
		assert.deepEqual(await sent('terminal'), { type: 'terminal', text: 'ls' });
		assert.deepEqual(await sent('apply'), { type: 'apply', id: 'a0', text: 'let a;' });
		assert.deepEqual(await sent('insert'), { type: 'insert', text: 'ls' });
		const paths = (await told(page, 'openFile')).map(({ path }) => path);
		assert.deepEqual(paths, ['src/a.ts:12', 'src/b.ts:3']);
		assert.ok(
			await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
			'nothing sticks out',
		);
		await page.close();
	},
);

test(
	'an empty chat says what its model can do, and nothing before that is known',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		await page.setViewportSize({ width: 220, height: 600 });
		const empty = chat(0, false);
		await tell(show({ ...empty, models: [], model: '' }));
		await page.getByText('Ask anything').waitFor();
		assert.equal(await page.locator('.example').count(), 0);
		await tell(show(empty));
		await page.getByRole('button', { name: '/explain' }).click();
		assert.equal(await page.locator('.composer textarea').inputValue(), '/explain ');
		const [model] = empty.models;
		await tell(show({ ...empty, models: [{ ...model!, origin: 'built-in' }] }));
		await page.getByRole('button', { name: 'Show the free disk space' }).click();
		await page.getByRole('button', { name: 'For code and everything else: get a model' }).click();
		assert.deepEqual(await told(page, 'ask'), [{ type: 'ask', text: 'Show the free disk space' }]);
		assert.equal((await told(page, 'betterModel')).length, 1);
		assert.deepEqual(await violations(page, '.empty'), []);
		await page.close();
	},
);

test(
	'an image that is pasted goes to the host for a model that sees, and is refused by name for another',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		const paste = (type: string, width: number) =>
			page.evaluate(
				async ([kind, side]) => {
					const canvas = document.createElement('canvas');
					canvas.width = side;
					canvas.height = 10;
					canvas.getContext('2d')!.fillRect(0, 0, 5, 5);
					const blob = await new Promise<Blob>((done) => canvas.toBlob((made) => done(made!)));
					const clipboardData = new DataTransfer();
					// A browser draws what no model reads (here: PNG bytes under another name) as a file that is read.
					clipboardData.items.add(new File([blob], 'shot', { type: kind }));
					const area = document.querySelector('textarea')!;
					area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
				},
				[type, width] as const,
			);
		const sent = () =>
			page.evaluate(() =>
				(window as unknown as { sent: { type: string; base64: string }[] }).sent
					.filter(({ type }) => type === 'dropImage')
					.map(({ base64 }) => base64),
			);
		await tell(show(chat(1, false)));
		await page.locator('textarea').waitFor();
		await paste('image/png', 20);
		await page.getByText('A Small Model With a Long Name does not see images.').waitFor();
		assert.deepEqual(await sent(), []);
		const seeing = chat(1, false);
		const models = [{ ...seeing.models[0]!, id: 'sees', supportsImageInput: true as const }];
		await tell(show({ ...seeing, models, model: 'sees' }));
		await until('the refusal is gone', async () => !(await page.getByText('see images').count()));
		await paste('image/png', 20);
		await until('the image is with the host', async () => (await sent()).length === 1);
		await paste('image/bmp', 4000);
		await until('another is drawn anew', async () => (await sent()).length === 2);
		const [png = '', jpeg = ''] = await sent();
		assert.ok(png.startsWith('iVBOR') && jpeg.startsWith('/9j/'));
		const image = png;
		const attachments = [{ label: 'shot.png', language: '', text: '', image }];
		await tell(show({ ...seeing, models, model: 'sees', attachments }));
		const width = () =>
			page.evaluate(
				() => document.querySelector<HTMLImageElement>('.chips img')?.naturalWidth ?? 0,
			);
		await until('the chip shows it', async () => (await width()) === 20);
		await page.close();
	},
);

test(
	'a chat is not called empty before the host has told which one is shown',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		await page.locator('.composer textarea').waitFor();
		assert.equal(await page.locator('.empty').count(), 0);
		await tell(show(chat(0, false)));
		await page.locator('.empty').waitFor();
		await page.close();
	},
);

test(
	'answers of two models stand side by side, another model is asked, and the chat goes on with either',
	inBrowser,
	async () => {
		const { page, tell } = await openPage(browser, 'chat');
		await page.setViewportSize({ width: 700, height: 500 });
		const state = chat(1, false);
		const models = ['small', 'large', 'third'].map((id) => ({
			...{ id, displayName: `Model ${id}`, task: 'chat-completion' },
		})) as never;
		const [question, first] = state.conversation.turns;
		assert.ok(question && first);
		const turns = [question, { ...first, model: 'small' }];
		const conversation = { ...state.conversation, turns };
		await tell(show({ ...state, conversation, models }));
		await page.getByRole('button', { name: 'Answers side by side' }).click();
		await page.getByRole('combobox', { name: 'Ask another model' }).selectOption('large');
		assert.deepEqual(await told(page, 'regenerate'), [
			{ type: 'regenerate', id: 'a0', model: 'large' },
		]);
		const second: Turn = { ...turn('a1', 'assistant', 'q0', ''), model: 'large' };
		const { finishReason: _, ...open } = second;
		const both = { ...conversation, turns: [...turns, open], leaf: 'a1' };
		await tell(show({ ...state, conversation: both, models, answering: 'a1' }));
		await tell({ type: 'delta', id: 'a1', text: 'Words of the large one', reasoning: '' });
		const columns = page.locator('.columns > li');
		await columns.nth(1).getByText('Words of the large one').waitFor();
		assert.equal(await columns.nth(1).getAttribute('aria-busy'), 'true');
		const ended = { ...second, text: 'Words of the large one' };
		const whole = { ...both, turns: [...turns, ended] };
		await tell(show({ ...state, conversation: whole, models }));
		const tops = await columns.evaluateAll((all) =>
			all.map((one) => one.getBoundingClientRect().top),
		);
		assert.equal(tops[0], tops[1], 'beside each other');
		assert.deepEqual(await violations(page, '.log'), []);
		await columns.first().getByRole('button', { name: 'Continue with this answer' }).click();
		assert.deepEqual(await told(page, 'show'), [{ type: 'show', id: 'a0' }]);
		await page.setViewportSize({ width: 182, height: 500 });
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		await page.getByRole('button', { name: 'Show one answer' }).click();
		await columns.first().waitFor({ state: 'detached' });
		await page.close();
	},
);
