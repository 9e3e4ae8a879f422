/** A downloaded model takes the place of one that is in use: what is waited for, what is said, what is loaded then. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Downloads } from '../../server/hub/downloads.ts';
import { AppError, type ModelInfo } from '../../server/protocol/index.ts';
import { createModelService, type ModelServiceDeps } from '../../server/services/modelService.ts';
import { whenIdle } from '../../server/services/whenIdle.ts';

const never = new AbortController().signal;
const busy = () => Promise.reject(new AppError('conflict', "'x:1' is answering a request."));

test('an answer that takes too long is said with what is left to do', async () => {
	await assert.rejects(whenIdle('x:1', busy, never, 0), {
		code: 'conflict',
		message: /^x:1 is complete and waits .* nothing is downloaded or built twice\.$/,
	});
	await assert.rejects(whenIdle('x:1', busy, AbortSignal.abort(), 0), { code: 'cancelled' });
	const other = () => Promise.reject(new AppError('internal', 'no'));
	await assert.rejects(whenIdle('x:1', other, never, 0), { message: 'no' });
});

for (const replacesOpenFiles of [true, false])
	test(`a download ${replacesOpenFiles ? 'unloads nothing, which goes by what is in memory' : 'unloads what Windows could not replace'}, and tells of its folder`, async () => {
		const here = {
			id: 'x:1',
			name: 'x',
			version: '1',
			alias: 'acme/x',
			folder: '/models/x@1',
			state: 'loaded',
			source: { hub: 'https://hub.example/', repository: 'acme/x', path: '', commit: 'c' },
		} as unknown as ModelInfo;
		const unloaded: string[] = [];
		const events: string[] = [];
		const service = createModelService({
			catalogue: { models: [] },
			devices: async () => ({ devices: new Set(['CPU']), cuda: false }),
			downloads: new Downloads(),
			hubOf: () => 'https://hub.example/',
			settings: { value: { pinned: [], registered: [] } },
			replacesOpenFiles,
			folders: { registered: () => undefined },
			host: {
				list: async () => [here],
				loaded: () => [],
				changed: () => events.push('changed'),
				unload: async (name: string) => {
					unloaded.push(name);
					events.push('unload');
					return true;
				},
			},
			fetcher: {
				place: async () => ({ modelsFolder: '/models', folderName: 'x@1' }),
				fetch: async function* (
					_target: unknown,
					{ keep }: { keep?: boolean },
					_signal: unknown,
					release: () => Promise<void>,
				) {
					if (keep === true) await release();
					yield { type: 'notice', notice: 'There.' };
					return '/models/x@1';
				},
			},
		} as unknown as ModelServiceDeps);
		const download = async (options: object) => {
			events.length = 0;
			for await (const event of service.download('x', options, never))
				assert.match(event.type, /done|notice/);
			return events.join();
		};
		assert.equal(await download({ keep: true }), replacesOpenFiles ? 'changed' : 'unload,changed');
		assert.equal(await download({}), 'changed', 'one that is only looked at stays as it is');
	});
