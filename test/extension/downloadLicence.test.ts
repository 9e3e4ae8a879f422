/** Licences with conditions are asked for before a download begins, wherever the model was found. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { desk, resetDesk } from './vscodeDouble.ts';

const { downloadChosenModel } = await import('../../extension/models/modelActions.ts');

beforeEach(() => {
	resetDesk();
});

/** What somebody sees who types the id of a repository, and whether it is downloaded. */
async function typed(
	found: { readonly license?: string } | Error | undefined,
	answer: string | undefined,
) {
	const downloads: string[] = [];
	const shown: string[] = [];
	desk.quickPick = async (items) => (items as { id: string }[]).find(({ id }) => id === '');
	desk.input = async () => 'acme/llama:Q4_0';
	desk.message = async (message) => {
		shown.push(String(message));
		return answer;
	};
	const languageServer = {
		request: async (method: string, params: { readonly model: string }) => {
			if (method === 'nearglot/models') return { models: [] };
			if (method === 'nearglot/models/download') {
				downloads.push(params.model);
				return {};
			}
			if (found instanceof Error) throw found;
			return { models: found === undefined ? [] : [{ repository: 'acme/llama', ...found }] };
		},
	};
	const models = { progress: () => {}, refresh: () => {} };
	type Deps = Parameters<typeof downloadChosenModel>[0];
	await downloadChosenModel({ languageServer, models } as unknown as Deps, undefined);
	return { shown, downloads };
}

const all = ['acme/llama:Q4_0'];

test('one with conditions is shown, and nothing is downloaded before it is accepted', async () => {
	const { shown, downloads } = await typed({ license: 'llama3.2' }, undefined);
	assert.match(shown[0] ?? '', /acme\/llama comes under the licence “llama3.2”/);
	assert.deepEqual(downloads, []);
	assert.deepEqual((await typed({ license: 'llama3.2' }, 'Accept and Download')).downloads, all);
});

test('a page that names none says so', async () => {
	const { shown, downloads } = await typed({}, undefined);
	assert.deepEqual(shown, ['The page of acme/llama names no licence.']);
	assert.deepEqual(downloads, []);
});

test('an open one, and a hub that cannot be searched, ask nothing', async () => {
	for (const found of [{ license: 'apache-2.0' }, undefined, new Error('No search here.')]) {
		const { shown, downloads } = await typed(found, undefined);
		assert.deepEqual([shown, downloads], [[], all]);
	}
});
