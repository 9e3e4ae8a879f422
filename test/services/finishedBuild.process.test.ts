/** A model that was built to the end and could not be put in its place: the next pull has only that left to do. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildFolder } from '../../server/engine/build/buildFolder.ts';
import { createHubHttp } from '../../server/hub/http.ts';
import { readManifest } from '../../server/hub/manifest.ts';
import { readRepository } from '../../server/hub/repository.ts';
import { selectWeights } from '../../server/hub/weightFiles.ts';
import { defined } from '../../server/protocol/defined.ts';
import type { BuildFlags } from '../../server/services/buildWork.ts';
import { buildFromHub } from '../../server/services/builtModels.ts';
import type { BuildFacts, ModelBuilder } from '../../server/services/modelBuilder.ts';
import { smallGguf } from '../engine/build/smallGguf.ts';
import { startHub } from '../support/hubServer.ts';
import { noBuilding } from '../support/noBuilding.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const never = new AbortController().signal;

/** Builds in this process. */
const builder: ModelBuilder = {
	build: async (request, listener) => {
		let facts: BuildFacts | undefined;
		const notWanted = new Error('only the plan');
		try {
			const loss = await buildFolder(request, {
				onPlan: async (found) => {
					facts = found;
					if (!(await listener.onPlan(found))) throw notWanted;
				},
				onProgress: (progress) => listener.onProgress(progress),
				usableBytes: async () => 2 ** 40,
			});
			return facts && { ...facts, ...defined({ loss }) };
		} catch (error) {
			if (error === notWanted) return undefined;
			throw error;
		}
	},
};

test('what was finished and not moved is moved by the next pull, and read no more', async () => {
	const models = join(temporaryFolder('finished'), 'models');
	await using hub = await startHub({ 'm-F32.gguf': Buffer.from(smallGguf()) });
	const http = createHubHttp({ endpoint: hub.url });
	try {
		const repository = await readRepository(http, 'acme/tiny', 'main', never);
		const weights = selectWeights(repository.files);
		assert.ok(weights);
		const identity = { id: 'tiny:1', name: 'tiny', version: '1', alias: 'tiny', displayName: '' };
		const pull = (flags: BuildFlags, release = async () => {}) =>
			buildFromHub(
				http,
				{ ...noBuilding, builder },
				{ modelsFolder: models, folderName: 'x', repository, weights, identity, flags, release },
				() => {},
				never,
			);
		const held = () => Promise.reject(new Error('held by another program'));
		await assert.rejects(pull({}, held), /held by another/);
		const read = () => hub.requests.filter(({ range }) => range !== undefined).length;
		const first = read();
		const partial = join(models, '.downloads', 'x', 'model');
		assert.equal(await pull({ plan: true }), undefined);
		assert.ok(existsSync(partial), 'a plan leaves it alone');
		const planned = read() - first;
		const folder = await pull({});
		assert.equal(read() - first, 2 * planned, 'only its header was read');
		assert.equal(folder, join(models, 'x'));
		assert.deepEqual(readdirSync(join(models, '.downloads'), { recursive: true }), []);
		const files = (await readManifest(folder))?.files.map(({ path }) => path) ?? [];
		const there = readdirSync(folder, { recursive: true, withFileTypes: true });
		const names = there.filter((entry) => entry.isFile()).map(({ name }) => name);
		assert.equal(files.length, names.length - 1, 'all but the manifest itself');
		assert.ok(!files.includes('nearglot.json'));

		await assert.rejects(pull({ keep: true }, held), /held by another/);
		const kept = await pull({ keep: true });
		assert.ok(kept !== undefined && existsSync(join(kept, 'onnx', 'model.onnx')));
		// Another form of it is built in its place.
		await assert.rejects(pull({ quality: true }, held), /held by another/);
		await pull({});
		assert.ok(existsSync(join(folder, 'onnx', 'model_int8.onnx')));
		assert.ok(!existsSync(join(folder, 'onnx', 'model.onnx')));
	} finally {
		http.close();
	}
});
