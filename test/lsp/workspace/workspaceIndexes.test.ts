/** Questions about folders: words at once, meanings when a model is there, changes within a moment. */

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { WorkspaceIndexes } from '../../../server/lsp/workspace/workspaceIndexes.ts';
import { Client } from '../../../server/protocol/routeClient.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { until } from '../../support/until.ts';

/** A daemon that embeds by whether a text speaks of colours, and ranks by length. */
function daemon(models: Record<string, string>, broken: readonly string[] = []) {
	const asked: { path: string; body: Record<string, unknown> }[] = [];
	const client = new Client(async (path, init) => {
		const body = JSON.parse(String(init.body ?? '{}'));
		asked.push({ path, body });
		if (broken.includes(path)) throw new Error('broken');
		if (path.startsWith('/nearglot/models'))
			return Response.json({
				models: Object.entries(models).map(([id, task]) => ({ id, task, state: 'cached' })),
			});
		if (path === '/v1/embeddings')
			return Response.json({
				data: (body.input as string[]).map((text) => {
					const vector = /colou?r|crimson|red/.test(text) ? [1, 0] : [0, 1];
					return { embedding: Buffer.from(Float32Array.from(vector).buffer).toString('base64') };
				}),
			});
		const documents = body.documents as string[];
		const order = documents.map((_, index) => index);
		order.sort((a, b) => (documents[a]?.length ?? 0) - (documents[b]?.length ?? 0));
		return Response.json({ results: order.map((index) => ({ index, relevance_score: 1 })) });
	});
	return { client, asked };
}

function start(t: TestContext, client: Client) {
	const base = temporaryFolder();
	const folder = join(base, 'project');
	mkdirSync(folder);
	writeFileSync(join(folder, 'paint.ts'), 'export const crimson = "#dc143c";\n');
	writeFileSync(join(folder, 'sum.ts'), 'export const sum = (a: number, b: number) => a + b;\n');
	const warnings: string[] = [];
	const indexes = new WorkspaceIndexes({
		client,
		folder: join(base, 'data'),
		warn: (sentence) => warnings.push(sentence),
	});
	t.after(async () => {
		await indexes.close();
		rmSync(base, { recursive: true, force: true });
	});
	const { signal } = new AbortController();
	const folders = [pathToFileURL(folder).href];
	const search = (question: string, limit = 3) =>
		indexes.search({ folders, question, limit }, () => {}, signal);
	return { indexes, folder, folders, search, warnings };
}

test('without a model words are searched, and the answer says so', async (t) => {
	const { search } = start(t, daemon({}).client);
	const { pieces, files, embedder } = await search('the sum of numbers');
	assert.deepEqual([files, embedder], [2, undefined]);
	assert.equal(pieces[0]?.path, 'sum.ts');
	assert.equal(pieces[0]?.language, 'typescript');
	assert.deepEqual(pieces[0]?.by, ['words']);
});

test('a model finds what shares no word, a save is known at once, and the index can be deleted', async (t) => {
	const { client, asked } = daemon({ 'e5-small': 'embeddings' });
	const { search, indexes, folder, folders } = start(t, client);
	await search('which colours are there');
	await indexes.settled();
	const { pieces, embedder, embedded } = await search('which colours are there');
	assert.deepEqual([embedder, embedded, pieces[0]?.path], ['e5-small', 2, 'paint.ts']);
	const inputs = asked.flatMap(({ body }) => (body['input'] as string[] | undefined) ?? []);
	assert.ok(inputs.includes('query: which colours are there'));
	assert.ok(inputs.some((text) => text.startsWith('passage: sum.ts sum\n')));
	writeFileSync(join(folder, 'new.ts'), 'export const lightRed = "#f99";\n');
	indexes.changed([pathToFileURL(join(folder, 'new.ts')).href, 'untitled:a', 'file:///elsewhere']);
	await until('the new file is embedded', async () => {
		await indexes.settled();
		return (await search('colour')).embedded === 3;
	});
	await indexes.forget(folders);
	assert.equal((await search('colour')).embedded, 0);
});

test('a reranker has the last word, and its failure costs its order only', async (t) => {
	const models = { ranker: 'rerank' };
	const { search } = start(t, daemon(models).client);
	const ranked = await search('export const crimson');
	assert.equal(ranked.reranker, 'ranker');
	assert.equal(ranked.pieces[0]?.path, 'paint.ts');
	const failing = start(t, daemon(models, ['/v1/rerank']).client);
	const plain = await failing.search('export const');
	assert.equal(plain.reranker, undefined);
	assert.equal(plain.pieces.length, 2);
	assert.equal(failing.warnings.length, 1);
});

test('folders that are not on this computer are refused, and so is none', async (t) => {
	const { indexes } = start(t, daemon({}).client);
	const { signal } = new AbortController();
	const search = (folders: string[]) =>
		indexes.search({ folders, question: 'a' }, () => {}, signal);
	await assert.rejects(search(['vscode-vfs://github/a']), { code: 'invalid_request' });
	await assert.rejects(search([]), { code: 'invalid_request' });
});
