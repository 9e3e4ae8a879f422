/** A daemon without models for tests of its clients: answers by rule and counts what it was asked. */

import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { proofOf } from '../../server/daemon/daemonProof.ts';

export interface FakeDaemon {
	readonly url: string;
	readonly key: string;
	/** Paths with their queries, in the order they were asked for; `/health` is left out. */
	readonly asked: string[];
	/** Bodies of chat requests. */
	readonly chats: Record<string, unknown>[];
	/** What chat requests say they are turns of. */
	readonly conversations: (string | undefined)[];
	/** Chat requests whose client left before the end. */
	readonly left: () => number;
	/**
	 * Words of the next answers; `hang` stops after the first word until the client leaves, `cut` after
	 * the last one without an end: by closing the stream, or by breaking the connection.
	 */
	answer: {
		words: readonly string[];
		hang?: boolean;
		errorAfter?: number;
		cut?: 'closed' | 'broken';
	};
	/** Milliseconds a translation takes. */
	delayMs: number;
	close(): Promise<void>;
}

/** Starts it and writes `endpoint.json` into `home`, when given. */
export async function startFakeDaemon(home?: string): Promise<FakeDaemon> {
	const key = 'test-key';
	const secret = 'test-secret';
	const asked: string[] = [];
	const chats: Record<string, unknown>[] = [];
	const conversations: (string | undefined)[] = [];
	let left = 0;
	const fake: Pick<FakeDaemon, 'answer' | 'delayMs'> = {
		answer: { words: ['Use ', '`tar`', ' **now**.'] },
		delayMs: 0,
	};

	const server = createServer((request, response) => {
		void handle(request, response).catch((error: Error) => {
			response.statusCode = 500;
			response.end(JSON.stringify({ error: { message: error.message, code: 'internal' } }));
		});
	});

	async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? '/', 'http://fake');
		const json = (body: unknown, status = 200) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(body));
		};
		if (url.pathname === '/nearglot/proof')
			return json({ proof: proofOf(secret, 'server', url.searchParams.get('challenge') ?? '') });
		if (request.headers.authorization !== `Bearer ${key}`) {
			return json({ error: { message: 'wrong key', code: 'invalid_api_key', param: null } }, 401);
		}
		if (url.pathname === '/health') {
			return json({
				status: 'ok',
				pid: process.pid,
				version: '9.9.9',
				idle: false,
				persistent: true,
			});
		}
		asked.push(url.pathname + url.search);
		const body = await readJson(request);
		switch (url.pathname) {
			case '/nearglot/translator/translate': {
				const to = url.searchParams.get('to') ?? '';
				if (to === 'xx') {
					return json(
						{ error: { code: 400036, message: 'The target language is not valid.' } },
						400,
					);
				}
				const items = body as { Text: string }[];
				if (fake.delayMs > 0)
					await new Promise<void>((resolve) => {
						const timer = setTimeout(resolve, fake.delayMs);
						response.once('close', () => {
							clearTimeout(timer);
							resolve();
						});
					});
				return json(
					items.map(({ Text }) => ({
						detectedLanguage: { language: 'en', score: 0.9 },
						translations: [{ text: `[${to}] ${Text}`, to }],
					})),
				);
			}
			case '/nearglot/translator/detect':
				return json([{ language: 'en', score: 0.9 }]);
			case '/nearglot/translator/languages':
				return json({
					translation: {
						de: { name: 'German', nativeName: 'Deutsch', dir: 'ltr' },
						fr: { name: 'French', nativeName: 'Français', dir: 'ltr' },
					},
				});
			case '/nearglot/upstreams':
				return json({ upstreams: [], models: [] });
			case '/nearglot/models/list':
				return json({
					models: ['old', 'fake'].map((id) => ({
						id,
						name: id,
						alias: id,
						displayName: id,
						task: 'chat-completion',
						state: id === 'fake' ? 'loaded' : 'cached',
						origin: 'built-in',
					})),
				});
			case '/v1/models':
				return json({
					data: [
						{ id: 'fake', alias: 'fake', task: 'chat-completion', state: 'loaded', owned_by: '' },
					],
				});
			case '/nearglot/models/download':
				response.writeHead(200, { 'content-type': 'text/event-stream' });
				response.end('data: {"start":{"repository":"a/b","totalBytes":2}}\n\n');
				return;
			case '/v1/completions':
				chats.push(body as Record<string, unknown>);
				return json({ choices: [{ index: 0, text: 'a + b', finish_reason: 'stop' }] });
			case '/nearglot/studio':
				return json({ url: 'http://127.0.0.1:1/#ticket=once' });
			case '/v1/chat/completions/tokenizer/encode/count':
				return json({ tokenCount: JSON.stringify(body).length });
			case '/v1/chat/completions':
				chats.push(body as Record<string, unknown>);
				conversations.push(request.headers['x-conversation'] as string | undefined);
				return answer(request, response, body as { model?: string });
			default:
				json({ error: { message: `no ${url.pathname}`, code: 'not_found', param: null } }, 404);
		}
	}

	async function answer(
		request: IncomingMessage,
		response: ServerResponse,
		body: { model?: string },
	): Promise<void> {
		if (body.model === 'unknown') {
			const message = "There is no model 'unknown'. Known: fake.";
			response.writeHead(404, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ error: { message, code: 'model_not_found', param: 'model' } }));
			return;
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`);
		const chunk = (delta: object, finish: string | null) =>
			send({ model: 'fake', choices: [{ index: 0, delta, finish_reason: finish }] });
		const { words, hang, errorAfter, cut } = fake.answer;
		for (const [index, content] of words.entries()) {
			if (errorAfter === index) {
				send({
					error: { message: 'The process running the model ended.', code: 'runner_crashed' },
				});
				response.end('data: [DONE]\n\n');
				return;
			}
			chunk({ content }, null);
			if (hang) {
				await new Promise<void>((resolve) => response.once('close', resolve));
				left++;
				return;
			}
		}
		if (cut === 'closed') return void response.end();
		if (cut === 'broken') return void setImmediate(() => response.destroy());
		chunk({}, 'stop');
		response.end('data: [DONE]\n\n');
		request.resume();
	}

	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	if (home !== undefined) {
		await mkdir(home, { recursive: true });
		const endpoint = { pid: process.pid, url, key, secret, version: '9.9.9', startedAt: '' };
		await writeFile(join(home, 'endpoint.json'), JSON.stringify(endpoint));
	}
	return Object.assign(fake, {
		url,
		key,
		asked,
		chats,
		conversations,
		left: () => left,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	});
}

async function readJson(request: IncomingMessage): Promise<unknown> {
	let text = '';
	for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
	return text === '' ? undefined : JSON.parse(text);
}
