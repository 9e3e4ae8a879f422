/** An engine on another machine for one story, and a workspace whose chat asks its model `lab/coder`. */

import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { desk } from './window.ts';

/** Puts a piece of an answer on the way: what is added to a message, or the text of a plain completion. */
export type Send = (delta: object | string, finish: string | null) => void;

/**
 * An engine whose one model answers as `answer` does.
 * @param answer gets the body of the request; what it sends is a stream of events
 * @param id of the model
 */
export const engineOf = (
	answer: (body: string, send: Send, response: ServerResponse) => Promise<void> | void,
	id = 'coder',
) =>
	createServer(async (request: IncomingMessage, response) => {
		const body = Buffer.concat(await request.toArray()).toString();
		if (request.url === '/v1/models') {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ data: [{ id, max_model_len: 8192 }] }));
			return;
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send: Send = (delta, finish) => {
			const added = typeof delta === 'string' ? { text: delta } : { delta };
			const choices = [{ index: 0, ...added, finish_reason: finish }];
			response.write(`data: ${JSON.stringify({ choices })}\n\n`);
		};
		await answer(body, send, response);
		response.end('data: [DONE]\n\n');
	});

/** Lets the editor have the engine, and a workspace that asks its model: for one story, as others share the editor. */
export async function withLab(
	engine: ReturnType<typeof engineOf>,
	story: () => Promise<void>,
): Promise<void> {
	const { configure, workspace } = await desk();
	engine.listen(0, '127.0.0.1');
	await once(engine, 'listening');
	const { port } = engine.address() as AddressInfo;
	configure({ 'nearglot.engines': [{ name: 'lab', url: `http://127.0.0.1:${port}/v1` }] });
	// Which model is asked belongs to a computer, or to a workspace.
	const settings = join(workspace, '.vscode');
	mkdirSync(settings);
	writeFileSync(
		join(settings, 'settings.json'),
		JSON.stringify({ 'nearglot.chat.model': 'lab/coder' }),
	);
	try {
		await story();
	} finally {
		configure({ 'nearglot.engines': undefined });
		rmSync(settings, { recursive: true });
		await new Promise((resolve) => {
			engine.close(resolve);
			engine.closeAllConnections();
		});
	}
}
