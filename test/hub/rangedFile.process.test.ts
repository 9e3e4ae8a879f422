/** Files of a hub that are read in pieces: exact bytes, one copy, tries again, refusals in words. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createHubHttp } from '../../server/hub/http.ts';
import { type RangedFileOptions, rangedFile } from '../../server/hub/rangedFile.ts';
import { type HubFaults, serve, startHub, type TestHub, testCommit } from '../support/hubServer.ts';

const content = randomBytes(200_000);

async function withFile(
	faults: HubFaults,
	work: (file: ReturnType<typeof rangedFile>, hub: TestHub) => Promise<void>,
	more: Partial<RangedFileOptions> = {},
): Promise<void> {
	await using hub = await startHub({ 'a/model.gguf': content }, faults);
	const http = createHubHttp({ endpoint: hub.url });
	try {
		await using file = rangedFile(http, {
			repository: 'acme/tiny',
			commit: testCommit,
			file: { path: 'a/model.gguf', sizeBytes: content.length },
			backoffMs: 2,
			...more,
		});
		await work(file, hub);
	} finally {
		http.close();
	}
}

describe('files that are read by ranged requests', () => {
	it('any piece is exactly that piece, and nothing else is fetched', async () => {
		let told = 0;
		await withFile(
			{},
			async (file, hub) => {
				assert.equal(file.name, 'model.gguf');
				assert.equal(file.size, 200_000);
				for (const [offset, length] of [
					[0, 4],
					[199_999, 1],
					[70_001, 65_537],
				] as const)
					assert.deepEqual(
						Buffer.from(await file.read(offset, length)),
						content.subarray(offset, offset + length),
					);
				assert.equal((await file.read(200_000, 0)).length, 0);
				assert.deepEqual(
					hub.requests.map(({ range }) => range),
					['bytes=0-3', 'bytes=199999-199999', 'bytes=70001-135537'],
				);
			},
			{ onBytes: (bytes) => (told += bytes) },
		);
		assert.equal(told, 4 + 1 + 65_537);
	});

	it('pieces beyond the end are refused before anything is asked', async () => {
		await withFile({}, async (file, hub) => {
			await assert.rejects(file.read(199_999, 2), RangeError);
			await assert.rejects(file.read(-1, 2), RangeError);
			await assert.rejects(file.read(Number.NaN, 2), RangeError);
			assert.deepEqual(hub.requests, []);
		});
	});

	it('a connection that breaks goes on behind what has come', async () => {
		let cut = 0;
		const faults: HubFaults = {
			onFile: (_request, response) => {
				if (cut++ > 0) return false;
				response.writeHead(206, {
					'content-length': 1000,
					'content-range': 'bytes 100-1099/200000',
					etag: '"one"',
				});
				response.write(content.subarray(100, 400), () => response.destroy());
				return true;
			},
			etag: () => '"one"',
		};
		await withFile(faults, async (file, hub) => {
			assert.deepEqual(Buffer.from(await file.read(100, 1000)), content.subarray(100, 1100));
			const [first, second] = hub.requests.map(({ range }) => range);
			assert.equal(first, 'bytes=100-1099');
			assert.match(second ?? '', /^bytes=([1-4]\d\d)-1099$/);
		});
	});

	it('another copy, other pieces and servers without ranges are refused', async () => {
		let version = 0;
		await withFile({ etag: () => `"${version}"` }, async (file) => {
			await file.read(0, 10);
			version++;
			await assert.rejects(file.read(10, 10), /another copy of it now/);
		});
		// A cache that does not know If-Range sends a piece all the same.
		const unasked: HubFaults = {
			onFile: (request, response) => {
				const [, from = '0', to = '0'] = /(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
				response.writeHead(206, {
					etag: `"${from}"`,
					'content-range': `bytes ${from}-${to}/${content.length}`,
				});
				response.end(content.subarray(Number(from), Number(to) + 1));
				return true;
			},
		};
		await withFile(unasked, async (file) => {
			await file.read(0, 10);
			await file.read(0, 20);
			await assert.rejects(file.read(10, 10), /another copy of it now/);
		});
		await withFile({ ranges: false }, async (file) => {
			await assert.rejects(file.read(0, 10), /whole files only/);
		});
		const shifted: HubFaults = {
			onFile: (_request, response) => {
				response.writeHead(206, { 'content-range': 'bytes 0-9/200000' }).end('0123456789');
				return true;
			},
		};
		await withFile(shifted, async (file) => {
			await assert.rejects(file.read(5, 10), /other pieces/);
		});
	});

	it('the hub asks to slow down and is asked again; it has no file and is not', async () => {
		let asked = 0;
		const busy: HubFaults = {
			onFile: (_request, response) => {
				if (asked++ > 1) return false;
				response.writeHead(503).end();
				return true;
			},
		};
		await withFile(busy, async (file) => {
			assert.deepEqual(Buffer.from(await file.read(0, 10)), content.subarray(0, 10));
		});
		assert.equal(asked, 3);
		await withFile(
			{},
			async (file, hub) => {
				await assert.rejects(file.read(0, 10), { code: 'model_not_found' });
				assert.equal(hub.requests.length, 1);
			},
			{ file: { path: 'b', sizeBytes: 20 } },
		);
	});

	it('a reader who leaves ends the request', async () => {
		const stop = new AbortController();
		const faults: HubFaults = {
			onFile: (request, response, path) => {
				stop.abort();
				serve(request, response, hubOf(), content, path);
				return true;
			},
		};
		let hubOf: () => TestHub = () => assert.fail();
		await withFile(faults, async (file, hub) => {
			hubOf = () => hub;
			await assert.rejects(file.read(0, 10, stop.signal), { code: 'cancelled' });
		});
	});
});
