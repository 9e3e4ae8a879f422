/** An engine elsewhere that a request has ended: that it is away afterwards does not hide that it had the request. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createProxiedFetch } from '../../server/daemon/proxiedFetch.ts';
import type { AppError } from '../../server/protocol/index.ts';
import { createUpstream } from '../../server/remote/upstreams/openaiUpstream.ts';

test('a request that has ended its engine is not taken for one that never reached it', async () => {
	const server = createServer((request) => {
		server.close();
		request.socket.destroy();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const engine = createUpstream(
		{ name: 'lab', url: `http://127.0.0.1:${port}/v1`, models: [], timeoutS: 60 },
		{
			fetch: createProxiedFetch({}),
			now: () => performance.now(),
			readKey: async () => undefined,
			handedKey: () => undefined,
			after: (ms, action) => {
				const timer = setTimeout(action, ms);
				return () => clearTimeout(timer);
			},
		},
	);
	const failure = () =>
		engine.whole('/embeddings', { model: 'e' }).then(
			() => undefined,
			({ code, data, message }: AppError) => [
				code,
				data?.['unsent'] ?? false,
				/ECONNREFUSED/.test(message),
			],
		);
	assert.deepEqual(await failure(), ['upstream_failed', false, false]);
	assert.deepEqual(await failure(), ['upstream_failed', true, true]);
});
