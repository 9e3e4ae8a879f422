/** Whoever waits for a hub hears for what, and for how long, and every wait ends. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { downloadFile } from '../../server/hub/downloadFile.ts';
import { createHubHttp } from '../../server/hub/http.ts';
import { readRepository } from '../../server/hub/repository.ts';
import { type HubFaults, startHub, testCommit } from '../support/hubServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const content = { 'model.onnx': Buffer.alloc(200_000, 7) };

/** What is said until the first word; the wait is left then, as a person does with Ctrl+C. */
async function firstWord(faults: HubFaults): Promise<string> {
	await using hub = await startHub(content, faults);
	const stop = new AbortController();
	const said = Promise.withResolvers<string>();
	const http = createHubHttp({ endpoint: hub.url, wordMs: 100, onWait: said.resolve });
	const folder = temporaryFolder('patience');
	try {
		const work = (async () => {
			const { files } = await readRepository(http, 'acme/tiny', 'main', stop.signal);
			const target = join(folder, 'model.onnx');
			const wanted = { repository: 'acme/tiny', commit: testCommit, file: files[0]!, target };
			await downloadFile(http, wanted, stop.signal);
		})();
		const failed = work.then(
			() => assert.fail('nothing was waited for'),
			(error: unknown) => error,
		);
		const word = await Promise.race([said.promise, failed.then(String)]);
		stop.abort();
		assert.equal(((await failed) as { code?: string }).code, 'cancelled');
		return word.replaceAll(hub.url, 'HUB');
	} finally {
		http.close();
	}
}

const waits: Record<string, readonly [HubFaults, RegExp]> = {
	'a hub that never answers': [
		{ onList: () => true },
		/^Waiting for an answer of HUB, for up to 30 s\.$/,
	],
	'a hub that asks for a pause': [
		{
			onList: (_request, response) => {
				response.writeHead(503, { 'retry-after': '60' }).end('{}');
				return true;
			},
		},
		/^The list of acme\/tiny: .+ answered 503\. Trying again in 60 s\.$/,
	],
	'a hub that asks for a pause before a file': [
		{
			onFile: (_request, response) => {
				response.writeHead(503, { 'retry-after': '60' }).end('{}');
				return true;
			},
		},
		/^model\.onnx: .+ answered 503\. Trying again in 60 s\.$/,
	],
	'a list that comes byte by byte': [
		{
			onList: (_request, response) => {
				response.write('{');
				const timer = setInterval(() => response.write(' '), 20);
				response.on('close', () => clearInterval(timer));
				return true;
			},
		},
		/^Waiting for a list of HUB, which comes slowly, for up to 120 s\.$/,
	],
	'a file that stops in its middle': [
		{
			onFile: (_request, response) => {
				response.writeHead(200, { 'content-length': '200000' }).write(Buffer.alloc(70_000, 7));
				return true;
			},
		},
		/^Waiting for the next bytes of HUB: .+ asked again after 30 s\.$/,
	],
};
for (const [what, [faults, words]] of Object.entries(waits))
	test(`${what} is waited for with a word`, async () => {
		assert.match(await firstWord(faults), words);
	});

test('a list that comes too slowly ends, with the address and a way out', async () => {
	await using hub = await startHub(content, waits['a list that comes byte by byte']![0]);
	const http = createHubHttp({ endpoint: hub.url });
	const never = new AbortController().signal;
	try {
		await assert.rejects(readRepository(http, 'acme/tiny', 'main', never, { listMs: 200 }), {
			code: 'download_failed',
			message: new RegExp(`^A list of ${hub.url} has not come within 0\\.2 s\\. .*HF_ENDPOINT`),
		});
	} finally {
		http.close();
	}
});

const pages: Record<string, string> = {
	'a page to sign in': '<html>Welcome to the hotel</html>',
	'an answer without a commit': '{}',
};
for (const [what, text] of Object.entries(pages))
	test(`${what} in place of a hub is told with its address and a way out`, async () => {
		await using hub = await startHub(content, {
			onList: (_request, response) => {
				response.end(text);
				return true;
			},
		});
		const http = createHubHttp({ endpoint: hub.url });
		try {
			await assert.rejects(
				readRepository(http, 'acme/tiny', 'main', new AbortController().signal),
				({ message }: Error) => {
					assert.ok(message.includes(`${hub.url}/api/models/acme/tiny`), message);
					assert.match(message, /HF_ENDPOINT.*browser/);
					return true;
				},
			);
		} finally {
			http.close();
		}
	});

test('a proxy that is none is told, and one that does not answer is named without its password', async () => {
	const ask = async (proxy: string): Promise<string> => {
		const http = createHubHttp({ endpoint: 'http://hub.invalid', proxy });
		try {
			const failed = http.get(http.endpoint, {}, new AbortController().signal);
			return await failed.then(
				() => assert.fail('there is no such hub'),
				({ message }: Error) => message,
			);
		} finally {
			http.close();
		}
	};
	for (const proxy of ['gar bage', 'http://', 'ftp://proxy.example'])
		assert.match(
			await ask(proxy),
			/^The proxy .*HTTPS_PROXY.* is no address of one: write it like/,
		);
	const silent = await ask('http://me:p4ss@127.0.0.1:9');
	assert.match(silent, /^http:\/\/hub\.invalid\/ \(through the proxy 127\.0\.0\.1:9\): /);
	assert.doesNotMatch(silent, /p4ss/);
});
