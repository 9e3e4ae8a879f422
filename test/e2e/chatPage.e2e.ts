/** What the chat page shows and says, with a test in the place of VS Code. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Turn } from '../../server/protocol/index.ts';
import { violations } from './axe.ts';
import { longChat, openChatPage, pageState, sampleAnswer } from './fakeHost.ts';

const at = '2026-01-01T00:00:00.000Z';
const question: Turn = {
	id: 'q',
	parent: null,
	role: 'user',
	text: 'What time is it?',
	createdAt: at,
};
const answer: Turn = { id: 'a', parent: 'q', role: 'assistant', text: '', createdAt: at };

test('the page tells the place in the queue, the load and how far the prompt is read', async () => {
	await using host = await openChatPage();
	const { page } = host;
	const state = pageState([question, answer], { answering: 'a' });
	await host.post({ type: 'state', state, strings: {} });
	const line = page.locator('.progress');
	for (const [progress, words] of [
		[{ phase: 'queued', place: 3 }, /place 3 in the queue/],
		[{ phase: 'loading', expectedMs: 60_000 }, /Loading the model/],
		[{ phase: 'prompt', fraction: 0.42 }, /Reading the question.*42 %/],
	] as const) {
		await host.post({ type: 'progress', progress });
		await line.filter({ hasText: words }).waitFor();
	}
	assert.equal(await line.locator('progress').getAttribute('value'), '0.42');
	await host.post({ type: 'progress', progress: { phase: 'loading', expectedMs: 60_000 } });
	await page.waitForFunction(() => (document.querySelector('progress')?.value ?? 0) > 0);
	await line.filter({ hasText: /\d+ s/ }).waitFor();
});

test('tool calls are folded lines with what went in and what came out', async () => {
	await using host = await openChatPage();
	const { page } = host;
	const use = { id: 'c', name: 'clock', arguments: '{"zone":"UTC"}' };
	const running = { ...answer, steps: [{ text: 'Let me look.', uses: [use] }] };
	await host.post({
		type: 'state',
		state: pageState([question, running], { answering: 'a', tools: ['clock'] }),
		strings: {},
	});
	await page.locator('.tool-use summary').filter({ hasText: 'clock is running' }).waitFor();
	const uses = [
		{ ...use, result: '12:00' },
		{ ...use, id: 'd', result: 'no such zone', failed: true },
	];
	const done = { ...running, text: 'Noon.', steps: [{ text: 'Let me look.', uses }] };
	await host.post({ type: 'turn', turn: done, answering: null });
	await page.locator('.tool-use.failed').waitFor();
	const first = page.locator('.tool-use').first();
	assert.equal(await first.locator('pre').first().isVisible(), false, 'folded at first');
	await first.locator('summary').click();
	assert.match((await first.textContent()) ?? '', /"zone": "UTC".*12:00/s);
	await page.getByRole('button', { name: 'Tools: 1' }).click();
	assert.equal((await host.sent('tools')).length, 1);
});

test('a question that is too long alone says so and what to do, and sending it still tells', async () => {
	await using host = await openChatPage();
	const { page } = host;
	await host.post({ type: 'state', state: pageState([]), strings: {} });
	const input = page.locator('.composer textarea');
	const send = page.locator('.composer .send');
	await input.fill('word '.repeat(50));
	await page.waitForFunction(() =>
		(globalThis as unknown as { sentMessages: { type: string }[] }).sentMessages.some(
			({ type }) => type === 'count',
		),
	);
	await host.post({ type: 'tokens', tokens: 530, limit: 512 });
	await page.getByText('Too long by 19 tokens for this model (530 of 512). Shorten').waitFor();
	assert.equal(await send.isDisabled(), false);
	await host.post({ type: 'tokens', tokens: 512, limit: 512 });
	await page.getByText('Too long by 1 tokens for this model').waitFor();
	await host.post({ type: 'tokens', tokens: 511, limit: 512 });
	await page.getByText('511 tokens', { exact: true }).waitFor();
	await host.post({ type: 'tokens', tokens: 530, limit: 512 });
	await input.press('Enter');
	assert.equal((await host.sent('ask')).length, 1);
});

test('a line stands above the oldest question that the newest answer has read', async () => {
	await using host = await openChatPage();
	const { page } = host;
	const turns = longChat(24);
	const state = pageState(
		turns.map((turn, at) => (at < 23 ? turn : { ...turn, omittedTurns: 10 })),
	);
	await host.post({ type: 'state', state, strings: {} });
	const mark = page.getByText('The model does not read what is above');
	await mark.waitFor();
	assert.equal(
		await page.locator('.cut + .question').textContent(),
		await page.locator('.question').nth(10).textContent(),
	);
	assert.deepEqual(await violations(page, '.cut'), []);
	const all = pageState(turns);
	await host.post({ type: 'state', state: all, strings: {} });
	await mark.waitFor({ state: 'detached' });
});

test('proposed code is compared with its file from its own button', async () => {
	await using host = await openChatPage();
	const { page } = host;
	const state = pageState([question, { ...answer, text: '```ts\nconst a = 1;\n```' }]);
	await host.post({ type: 'state', state, strings: {} });
	await page.getByRole('button', { name: 'Compare with the file' }).click();
	assert.deepEqual(await host.sent('apply'), [{ type: 'apply', id: 'a', text: 'const a = 1;' }]);
});

test('a page with everything on it has no accessibility faults in any theme', async () => {
	await using host = await openChatPage();
	const { page } = host;
	const uses = [{ id: 'c', name: 'clock', arguments: '{}', result: '12:00' }];
	const whole: Turn = {
		...answer,
		text: sampleAnswer(1),
		reasoning: 'Think.',
		steps: [{ text: 'Let me look.', uses }],
	};
	const asked: Turn = {
		...question,
		attachments: [{ label: 'a.ts:1-2', language: 'ts', text: 'let a;' }],
	};
	const state = pageState([asked, whole], { tools: ['clock'] });
	await host.post({ type: 'state', state, strings: {} });
	await page.locator('.composer textarea').fill('text');
	await host.post({ type: 'tokens', tokens: 530, limit: 512 });
	for (const details of await page.locator('details summary').all()) await details.click();
	// Without VS Code's variables the page has its own, light colours; accessibility.e2e.ts has the themes.
	for (const theme of ['vscode-light', 'vscode-high-contrast-light']) {
		await page.evaluate((name) => {
			document.body.className = name;
		}, theme);
		assert.deepEqual(await violations(page, '.composer'), [], theme);
	}
});

test('words of a model are words: only web links are links, and no markup of theirs is drawn', async () => {
	await using host = await openChatPage();
	const { page } = host;
	const text = `[web](https://example.org/a) [run](command:workbench.action.quit) [script](javascript:alert(1))
[file](file:///etc/passwd) ![picture](https://example.org/p.png) <b onclick="alert(2)">bold</b> <https://example.org/c>

<script>document.title = 'broken'</script>

<img src="x" onerror="document.title = 'broken'">`;
	await host.post({
		type: 'state',
		state: pageState([question, { ...answer, text }]),
		strings: {},
	});
	await page.locator('.answer').filter({ hasText: 'onerror' }).waitFor();
	const links = await page
		.locator('.answer .markdown a')
		.evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).href));
	assert.deepEqual(links, [
		'https://example.org/a',
		'https://example.org/p.png',
		'https://example.org/c',
	]);
	const drawn = '.answer .markdown :is(b, img, script, [onclick], [onerror])';
	assert.equal(await page.locator(drawn).count(), 0);
	assert.equal(await page.title(), 'Chat');
	await page.locator('.answer a').first().click();
	assert.deepEqual(await host.sent('link'), [{ type: 'link', href: 'https://example.org/a' }]);
});

test('an answer that grows keeps its blocks, and code gets its colours when it is complete', async () => {
	await using host = await openChatPage();
	const { page } = host;
	await host.post({
		type: 'state',
		state: pageState([question, answer], { answering: 'a' }),
		strings: {},
	});
	const whole = sampleAnswer(1);
	for (let at = 0; at < whole.length; at += 7) {
		const text = whole.slice(at, at + 7);
		await host.post({ type: 'delta', id: 'a', text, reasoning: '' });
		if (at === 70)
			await page
				.locator('.answer p')
				.first()
				.evaluate((first) => {
					first.setAttribute('data-seen', 'yes');
				});
	}
	const blocks = () =>
		page.locator('.answer .markdown > *').evaluateAll((all) => all.map(({ tagName }) => tagName));
	await page.getByText('costs only that run.').waitFor();
	const grown = await blocks();
	assert.deepEqual(grown, ['P', 'H3', 'OL', 'FIGURE', 'DIV', 'P']);
	assert.equal(await page.locator('.answer p[data-seen]').count(), 1, 'the first one is the same');
	const coloured = page.locator('.code code span[style]');
	await coloured
		.filter({ hasText: /^\s*return\s*$/ })
		.first()
		.waitFor();
	const shown = await page.locator('.code code').textContent();
	assert.equal(shown, /```ts\n(.*?)\n```/s.exec(whole)?.[1]);
	const text = { ...answer, text: whole };
	await host.post({ type: 'turn', turn: text, answering: null });
	await page.locator('.answer[aria-busy="false"]').waitFor();
	assert.deepEqual(await blocks(), grown);
});

const minutes = Number(process.env['CHAT_SOAK_MINUTES'] ?? '0.25');

test('a long session leaves neither nodes nor memory behind', async () => {
	await using host = await openChatPage();
	const { page } = host;
	const session = await page.context().newCDPSession(page);
	await session.send('Performance.enable');
	const measure = async () => {
		await host.post({ type: 'state', state: pageState([]), strings: {} });
		await page.locator('.empty').waitFor();
		await session.send('HeapProfiler.collectGarbage');
		await session.send('HeapProfiler.collectGarbage');
		const { metrics } = await session.send('Performance.getMetrics');
		const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
		return {
			nodes: of('Nodes'),
			listeners: of('JSEventListeners'),
			heapMb: of('JSHeapUsedSize') / 1e6,
		};
	};
	/** Opens a chat, streams an answer into it, shows another branch and lets all of it go. */
	const round = async (seed: number) => {
		const turns = longChat(20 + (seed % 5) * 10);
		const open = { ...answer, id: `open${seed}`, parent: turns.at(-1)?.id ?? null };
		await host.post({ type: 'state', state: pageState(turns), strings: {} });
		await host.post({
			type: 'state',
			state: pageState([...turns, open], { answering: open.id }),
			strings: {},
		});
		const text = sampleAnswer(seed);
		for (const word of text.match(/\s*\S+/g) ?? []) {
			await host.post({ type: 'delta', id: open.id, text: word, reasoning: '' });
		}
		await host.post({ type: 'turn', turn: { ...open, text }, answering: null });
		// Set, not typed: the browser keeps a node for each step that typing can undo.
		await page.locator('.composer textarea').evaluate((box, text) => {
			(box as HTMLTextAreaElement).value = text;
			box.dispatchEvent(new InputEvent('input', { bubbles: true }));
		}, `question ${seed}`);
		await page.locator('.log').evaluate((log) => {
			log.scrollTop = 0;
		});
	};
	// Chunks for highlighting are loaded and caches are filled in the first rounds.
	for (let seed = 0; seed < 5; seed++) await round(seed);
	const before = await measure();
	const until = performance.now() + minutes * 60_000;
	let rounds = 0;
	while (performance.now() < until) await round(5 + rounds++);
	const after = await measure();
	console.error(
		`${rounds} chats in ${minutes} min: nodes ${before.nodes} -> ${after.nodes}, listeners ` +
			`${before.listeners} -> ${after.listeners}, heap ${before.heapMb.toFixed(1)} -> ${after.heapMb.toFixed(1)} MB`,
	);
	assert.ok(rounds > 0);
	assert.ok(after.nodes <= before.nodes * 1.2 + 50, `${before.nodes} -> ${after.nodes} nodes`);
	assert.ok(after.listeners <= before.listeners * 1.2 + 20, 'event listeners');
	assert.ok(after.heapMb <= before.heapMb + 6, `${before.heapMb} -> ${after.heapMb} MB`);
});
