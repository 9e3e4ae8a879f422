/** The bundle of the chat page in a browser of its own, with a test in the place of VS Code. */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
// @ts-expect-error: the scripts are plain JavaScript
import { chromiumOptions } from '../../scripts/vscode-host/server.mjs';
import type { HostMessage, PageState, Turn } from '../../server/protocol/index.ts';

const bundles = join(import.meta.dirname, '..', '..', 'dist', 'webview');
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' };

const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Chat</title>
<link rel="stylesheet" href="/chat.css"></head>
<body class="vscode-light"><div id="root"></div><script type="module" src="/chat.js"></script></body></html>`;

export interface FakeHost extends AsyncDisposable {
	readonly page: Page;
	post(message: HostMessage): Promise<void>;
	/** Messages of a type the page has sent. */
	sent(type: string): Promise<Record<string, unknown>[]>;
}

/** Opens the page and waits until it is ready. */
export async function openChatPage(
	viewport = { width: 420, height: 800 },
): Promise<FakeHost & { readonly browser: Browser }> {
	const server = createServer((request, response) => {
		const name = request.url ?? '/';
		if (name === '/') {
			response.setHeader('content-type', 'text/html');
			response.setHeader(
				'content-security-policy',
				"default-src 'none'; script-src 'self'; style-src 'self'; img-src data:",
			);
			response.end(html);
			return;
		}
		readFile(join(bundles, name)).then(
			(bytes) => {
				response.setHeader('content-type', types[extname(name)] ?? 'application/octet-stream');
				response.end(bytes);
			},
			() => {
				response.statusCode = 404;
				response.end();
			},
		);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const browser = await chromium.launch(chromiumOptions);
	const page = await browser.newPage({ viewport });
	await page.addInitScript(() => {
		const sent: unknown[] = [];
		Object.assign(globalThis, {
			sentMessages: sent,
			acquireVsCodeApi: () => ({
				postMessage: (message: unknown) => sent.push(message),
				getState: () => '',
				setState: () => {},
			}),
		});
	});
	await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
	const host = {
		page,
		browser,
		post: (message: HostMessage) => page.evaluate((value) => window.postMessage(value), message),
		sent: (type: string) =>
			page.evaluate(
				(wanted) =>
					(
						globalThis as unknown as { sentMessages: Record<string, unknown>[] }
					).sentMessages.filter((message) => message['type'] === wanted),
				type,
			),
		[Symbol.asyncDispose]: async () => {
			await browser.close();
			server.close();
		},
	};
	await page.waitForFunction(
		() => (globalThis as unknown as { sentMessages: unknown[] }).sentMessages.length > 0,
	);
	return host;
}

/** A chat of `turns`, the last of which may be one that is being written. */
export function pageState(turns: readonly Turn[], more: Partial<PageState> = {}): PageState {
	const at = '2026-01-01T00:00:00.000Z';
	return {
		conversation: {
			id: 'c',
			title: 'Chat',
			system: '',
			createdAt: at,
			updatedAt: at,
			turns,
			leaf: turns.at(-1)?.id ?? null,
		},
		answering: null,
		progress: null,
		models: [],
		model: '',
		attachments: [],
		tools: [],
		capabilities: { editor: true },
		...more,
	};
}

/** Questions and answers in turn, each answer with headings, lists, a table and code. */
export function longChat(count: number): Turn[] {
	return Array.from({ length: count }, (_, index): Turn => {
		const common = {
			id: `t${index}`,
			parent: index === 0 ? null : `t${index - 1}`,
			createdAt: '2026-01-01T00:00:00.000Z',
		};
		if (index % 2 === 0) {
			return { ...common, role: 'user', text: `Question ${index}: how does this part work?` };
		}
		return { ...common, role: 'assistant', model: 'model', text: sampleAnswer(index) };
	});
}

export function sampleAnswer(seed: number): string {
	return `Part ${seed} works in **three** steps, see \`step${seed}()\`.

## What happens

1. The file is read line by line.
2. Every line is split at the comma.
3. The rows are written to *another* file.

\`\`\`ts
export function step${seed}(line: string): string[] {
	const parts = line.split(',');
	return parts.map((part) => part.trim());
}
\`\`\`

| column | meaning |
| --- | --- |
| a | the name of the row ${seed} |
| b | how often it was seen |

Each step can be repeated. Nothing is kept between two runs, so an error in one of them costs only that run.
`;
}
