/** The official SDK's client against both doors of the Model Context Protocol server. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { requestShutdown } from '../../server/daemon/daemonConnection.ts';
import { readEndpoint } from '../../server/daemon/endpointFile.ts';
import { programArgs, programFile } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
const home = temporaryFolder('mcp');
before(async () => {
	server = await startTestServer({});
});
after(async () => {
	await server.close();
});

const textOf = (result: unknown) => {
	const { content, isError } = result as { content: { text: string }[]; isError?: boolean };
	return { text: content[0]?.text ?? '', isError: isError === true };
};

/** A pipe that nobody writes to. */
async function pipe(): Promise<string> {
	const path = join(home, `pipe-${randomUUID()}.wav`);
	await promisify(execFile)('mkfifo', [path]);
	return path;
}

async function checkTools(client: Client): Promise<void> {
	const { tools } = await client.listTools();
	const silent = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
	// Clients run such a tool without asking: none that opens files of the user.
	assert.deepEqual(
		silent.map(({ name }) => name),
		['nearglot_translate'],
	);
	assert.deepEqual(tools.map((tool) => tool.name).sort(), [
		'nearglot_transcribe',
		'nearglot_translate',
	]);
	const call = async (name: string, input: Record<string, unknown>) =>
		textOf(await client.callTool({ name, arguments: input }));
	const one = await call('nearglot_translate', {
		text: 'The file could not be opened.',
		to: 'de',
		from: 'en',
	});
	assert.equal(one.isError, false);
	assert.match(one.text, /Datei/);
	const two = await call('nearglot_translate', {
		text: 'Open the file.',
		to: 'de, fr',
		from: 'en',
	});
	assert.match(two.text, /^de: .+\nfr: .+$/);
	const wrong = await call('nearglot_translate', { text: 'x', to: 'qq' });
	assert.equal(wrong.isError, true);
	assert.notEqual(wrong.text, '');
	const relative = await call('nearglot_transcribe', { path: 'recording.wav' });
	assert.deepEqual(relative, {
		text: "'path' must be absolute, not recording.wav.",
		isError: true,
	});
	const absent = await call('nearglot_transcribe', { path: join(home, 'absent.wav') });
	assert.match(absent.text, /There is no file/);
	for (const [path, words] of [
		[home, /is a folder, not a recording/],
		...(process.platform === 'win32'
			? []
			: ([
					['/dev/zero', /is no plain file/],
					[await pipe(), /is no plain file/],
				] as const)),
		['//server/share/a.wav', /is on another computer or a device/],
		['\\\\server\\share\\a.wav', /is on another computer|must be absolute/],
	] as const) {
		const refused = await call('nearglot_transcribe', { path });
		assert.equal(refused.isError, true, path);
		assert.match(refused.text, words);
	}
	const noise = join(home, 'noise.wav');
	await writeFile(noise, 'not audio');
	assert.equal((await call('nearglot_transcribe', { path: noise })).isError, true);
	assert.equal((await call('nearglot_translate', { text: 'x', to: 'de', more: 1 })).isError, true);
	await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /There is no tool/);
}

test('streamable HTTP on the daemon, whichever header shows the key', async () => {
	for (const headers of [
		{ authorization: `Bearer ${server.key}` },
		{ 'x-api-key': server.key },
		{ 'api-key': server.key },
	] as Record<string, string>[]) {
		const client = new Client({ name: 'test', version: '1' });
		const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
			requestInit: { headers },
		});
		await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
		try {
			await checkTools(client);
		} finally {
			await client.close();
		}
	}
});

test('without the key there is no access to tools that read files', async () => {
	const response = await server.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
	assert.equal(response.status, 401);
	// Nor is it told whether a file is there.
	const asks = (path: string, headers: Readonly<Record<string, string>>) =>
		server.post(
			'/mcp',
			{
				jsonrpc: '2.0',
				id: 1,
				method: 'tools/call',
				params: { name: 'nearglot_transcribe', arguments: { path } },
			},
			{ headers: { accept: 'application/json, text/event-stream', ...headers } },
		);
	for (const headers of [{}, server.member(), { 'x-nearglot-role': 'member', ...server.keyed }]) {
		const [here, absent] = await Promise.all(
			[programFile, join(home, 'absent.wav')].map(async (path) =>
				(await asks(path, headers)).text(),
			),
		);
		assert.equal(here, absent);
		assert.doesNotMatch(here ?? '', /There is no file|result/);
	}
});

test('standard input and output of `nearglot mcp`', async () => {
	const client = new Client({ name: 'test', version: '1' });
	const transport = new StdioClientTransport({
		command: process.execPath,
		args: programArgs('mcp'),
		env: { ...process.env, NEARGLOT_HOME: home } as Record<string, string>,
	});
	await client.connect(transport);
	try {
		await checkTools(client);
	} finally {
		await client.close();
		const endpoint = await readEndpoint(join(home, 'endpoint.json'));
		if (endpoint !== undefined) await requestShutdown(endpoint, false);
	}
});
