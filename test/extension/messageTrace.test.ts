/** The trace of the language client: names of messages, never what is in them. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import {
	createMessageConnection,
	StreamMessageReader,
	StreamMessageWriter,
	Trace,
	TraceFormat,
} from 'vscode-jsonrpc/node';
import { traceNamesOnly } from '../../extension/messageTrace.ts';

const secret = 'a-key-nobody-may-read';

/** A log channel as VS Code makes them: frozen, its level behind a getter. */
function channel() {
	const lines: string[] = [];
	let level = 1;
	const log = Object.freeze({
		name: 'Nearglot',
		get logLevel() {
			return level;
		},
		trace: (line: string) => lines.push(line),
		info: (line: string) => lines.push(line),
	});
	return {
		log: log as unknown as Parameters<typeof traceNamesOnly>[0],
		lines,
		setLevel: (to: number) => {
			level = to;
		},
	};
}

for (const [name, format] of [
	['text', TraceFormat.Text],
	['json', TraceFormat.JSON],
] as const) {
	test(`a trace in its longest ${name} form holds no parameter, result or error of a message`, async () => {
		const { log, lines } = channel();
		const quiet = traceNamesOnly(log);
		const [up, down] = [new PassThrough(), new PassThrough()];
		const server = createMessageConnection(
			new StreamMessageReader(up),
			new StreamMessageWriter(down),
		);
		server.onRequest('nearglot/team/renew', () => ({ token: secret }));
		server.onNotification('told', () => {});
		server.listen();
		const client = createMessageConnection(
			new StreamMessageReader(down),
			new StreamMessageWriter(up),
		);
		client.listen();
		// The way the language client writes its trace.
		const tracer = {
			log: (first: string | object, data?: string) =>
				typeof first === 'string'
					? quiet.trace(`[Trace] ${first}${data ? `\n${data}` : ''}`)
					: quiet.trace(JSON.stringify(first)),
		};
		await client.trace(Trace.Verbose, tracer as Parameters<typeof client.trace>[1], {
			sendNotification: false,
			traceFormat: format,
		});
		const answer = await client.sendRequest('nearglot/team/renew', { secrets: { key: secret } });
		assert.deepEqual(answer, { token: secret });
		await client.sendNotification('told', { secret });
		await assert.rejects(client.sendRequest('nobody/knows', { secret }));
		assert.ok(!lines.join('\n').includes(secret), lines.join('\n'));
		assert.equal(
			lines.some((line) => line.includes("'nearglot/team/renew")),
			format === TraceFormat.Text,
		);
		client.dispose();
		server.dispose();
	});
}

test('all else of the log is as it was', () => {
	const { log, lines, setLevel } = channel();
	const quiet = traceNamesOnly(log);
	quiet.info('first\nsecond');
	assert.deepEqual(lines, ['first\nsecond']);
	setLevel(4);
	assert.equal(quiet.logLevel, 4);
});
