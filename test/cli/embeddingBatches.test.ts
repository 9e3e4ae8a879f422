/** Batches of texts are found again by their mark, but for those that hold a part of them only. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmbeddingBatches } from '../../server/cli/embeddingBatches.ts';
import type { DaemonConnection } from '../../server/daemon/daemonConnection.ts';
import {
	createBatch,
	fileContent,
	listBatches,
	uploadFile,
} from '../../server/protocol/routeAddresses.ts';

const batch = (id: string, mark: string, more: Readonly<Record<string, string>> = {}) => ({
	...{ id, status: 'completed', output_file_id: `file-${id}` },
	request_counts: { total: 2, completed: 2, failed: 0 },
	metadata: { texts: mark, ...more },
});

test('a batch that tries again what had failed of another is not taken for the whole', async () => {
	let kept: ReturnType<typeof batch>[] = [];
	let made: string | undefined;
	const daemon = {
		call: async (route: unknown, { body }: { body: { metadata?: { texts: string } } }) => {
			if (route === listBatches) return { data: kept, last_id: null, has_more: false };
			if (route === uploadFile) return { id: 'file-in' };
			assert.equal(route, createBatch);
			made = body.metadata?.texts;
			return { id: 'made' };
		},
		open: async (route: unknown) => {
			assert.equal(route, fileContent);
			return new Response('');
		},
	} as unknown as DaemonConnection;
	const begin = () =>
		new EmbeddingBatches({
			...{ daemon, signal: new AbortController().signal, name: 'corpus', body: { model: 'm' } },
		}).begin({ ids: [1], texts: ['a'], mark: 'texts' });
	assert.equal(await begin(), 'made');
	const mark = made ?? '';
	kept = [batch('retry', mark, { retry_of: 'first' })];
	assert.equal(await begin(), 'made');
	kept = [...kept, batch('whole', mark)];
	assert.equal(await begin(), 'whole');
});
