/** Hubs as they are: lists that fail for a moment, addresses that expire, answers that lie. Each ends, in words. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { downloadFile } from '../../server/hub/downloadFile.ts';
import { createHubHttp, type HubHttp } from '../../server/hub/http.ts';
import { readRepository } from '../../server/hub/repository.ts';
import { retryAfterMs } from '../../server/hub/retry.ts';
import { type HubFaults, startHub, type TestHub, testCommit } from '../support/hubServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const content = { 'model.onnx': randomBytes(200_000) };
const never = new AbortController().signal;
const quick = { backoffMs: 5, stallTimeoutMs: 300 };
const folder = temporaryFolder('faulty-hub');

let count = 0;
async function fetchModel(
	hub: TestHub,
	through: (http: HubHttp) => HubHttp = (http) => http,
): Promise<Buffer> {
	const http = through(createHubHttp({ endpoint: hub.url, headTimeoutMs: 2000 }));
	try {
		const { files } = await readRepository(http, 'acme/tiny', 'main', never, quick);
		const [file] = files;
		assert.ok(file);
		const target = join(folder, String(count++), 'model.onnx');
		const wanted = { repository: 'acme/tiny', commit: testCommit, file, target, ...quick };
		await downloadFile(http, wanted, never);
		return await readFile(target);
	} finally {
		http.close();
	}
}

/** A fault for the first requests of its kind only. */
function times(most: number, fault: (response: ServerResponse) => void) {
	let seen = 0;
	return (_request: unknown, response: ServerResponse): boolean => {
		if (seen++ >= most) return false;
		fault(response);
		return true;
	};
}

const status = (code: number, headers: Record<string, string> = {}) => {
	return (response: ServerResponse) => void response.writeHead(code, headers).end('{}');
};
const soon = () => new Date(Date.now() + 1500).toUTCString();

describe('what passes is borne', { concurrency: true }, () => {
	const faults: Record<string, HubFaults> = {
		'a list that answers 503': { onList: times(2, status(503)) },
		'a list that answers 429 with a date': {
			onList: times(1, (response) => status(429, { 'retry-after': soon() })(response)),
		},
		'a list whose connection is reset': { onList: times(1, (response) => response.destroy()) },
		'a list that stops in its middle': {
			onList: times(1, (response) => void response.writeHead(200).write('{"sha":')),
		},
		'a file that answers 429 with a date': {
			onFile: times(1, (response) => status(429, { 'retry-after': soon() })(response)),
		},
	};
	for (const [what, fault] of Object.entries(faults))
		test(what, async () => {
			await using hub = await startHub(content, fault);
			assert.ok((await fetchModel(hub)).equals(content['model.onnx']));
		});

	test('an address of the store that has expired is asked anew', async () => {
		let asked = 0;
		const expired = (_request: unknown, response: ServerResponse): boolean => {
			if (asked++ >= 2) return false;
			status(403)(response);
			return true;
		};
		await using hub = await startHub(content, { onFile: expired });
		// Only https leads to another machine, so the store is this hub under another name.
		const asStore = async (response: ReturnType<HubHttp['get']>) =>
			Object.defineProperty(await response, 'url', { value: 'https://store.example/signed' });
		const store = (http: HubHttp): HubHttp => ({
			...http,
			get: (url, ...rest) =>
				String(url).includes('/resolve/')
					? asStore(http.get(url, ...rest))
					: http.get(url, ...rest),
		});
		assert.ok((await fetchModel(hub, store)).equals(content['model.onnx']));
		assert.equal(asked, 3);
	});
});

describe('what does not pass ends in words', { concurrency: true }, () => {
	const range = (text: string) => (response: ServerResponse) =>
		void response.writeHead(206, { 'content-range': text, 'content-length': '1' }).end('x');
	const faults: [string, HubFaults, string, RegExp][] = [
		[
			'lists always 503',
			{ onList: times(99, status(503)) },
			'download_failed',
			/The list of acme\/tiny: .* answered 503\. Given up after 3 tries/,
		],
		['lists that say nothing', { onList: () => true }, 'download_failed', /no answer in time/],
		[
			'a pause of an hour',
			{ onList: times(9, status(429, { 'retry-after': '3600' })) },
			'rate_limited',
			/wait 60 minutes.*resumes/,
		],
		[
			'ranges that lie',
			{ onFile: times(99, range('bytes 7-7/200000')) },
			'download_failed',
			/other pieces than were asked for.*another hub/,
		],
		[
			'no content range',
			{ onFile: times(99, (response) => void response.writeHead(206).end('x')) },
			'download_failed',
			/other pieces/,
		],
		['416', { onFile: times(99, status(416)) }, 'download_failed', /refuses the piece/],
		[
			'a redirect to nowhere',
			{ onFile: times(9, status(302, { location: 'http://' })) },
			'download_failed',
			/"http:\/\/", which is no address/,
		],
		[
			'a redirect to a file',
			{ onFile: times(9, status(302, { location: 'file:///etc/passwd' })) },
			'forbidden',
			/file:\/\/\/etc\/passwd is refused: downloads use https/,
		],
	];
	for (const [what, fault, code, message] of faults) {
		test(what, async () => {
			await using hub = await startHub(content, fault);
			await assert.rejects(fetchModel(hub), (error: Error & { code?: string }) => {
				assert.equal(error.code, code, error.message);
				assert.match(error.message, message);
				return true;
			});
		});
	}
});

test('the time a server asks to wait is understood as seconds and as a date', () => {
	const now = Date.parse('2026-01-01T00:00:00Z');
	assert.equal(retryAfterMs('7', now), 7000);
	assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:30 GMT', now), 30_000);
	assert.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:30 GMT', now), undefined);
	for (const none of [null, '', '0', '-1', 'soon'])
		assert.equal(retryAfterMs(none, now), undefined);
});
