/** Models whose settings are large are read in a thread, with the same result. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { folderJobs } from '../../server/daemon/folderJobs.ts';
import { foldersInWorker } from '../../server/daemon/folderThread.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const dir = temporaryFolder('folders');

const shape = {
	layers: 1,
	hidden: 64,
	heads: 4,
	kvHeads: 2,
	inner: 64,
	vocabulary: 320,
	context: 2048,
};

/** A model with some files of its own. */
function model(name: string, files: Readonly<Record<string, unknown>>): string {
	const folder = join(dir, name);
	writeDecoderModel(folder, { attention: 'gqa', shape });
	for (const [file, value] of Object.entries(files))
		writeFileSync(join(folder, file), JSON.stringify(value));
	return folder;
}

/** Length of the longest text that is parsed on this thread meanwhile. */
async function longestParsed(work: () => Promise<unknown>): Promise<number> {
	const parse = mock.method(JSON, 'parse');
	try {
		await work();
		return Math.max(0, ...parse.mock.calls.map(({ arguments: [text] }) => String(text).length));
	} finally {
		parse.mock.restore();
	}
}

const manyTokens = {
	eos_token: '<last>',
	added_tokens_decoder: Object.fromEntries(
		Array.from({ length: 50_000 }, (_, id) => [
			id,
			{ content: id === 49_999 ? '<last>' : `<t${id}>`, special: true },
		]),
	),
};

test('settings of megabytes are not parsed where others wait, and say the same', async () => {
	const folder = model('wide', { 'tokenizer_config.json': manyTokens });
	const onLoop = {
		description: await folderJobs.describe(folder),
		profile: await folderJobs.profile(folder, undefined),
		languages: await folderJobs.languages(folder, 'opus-mt-en-de'),
	};
	assert.ok(onLoop.description.eosTokenIds.includes(49_999));
	const longest = await longestParsed(async () => {
		const [description, profile, languages] = await Promise.all([
			foldersInWorker.describe(folder),
			foldersInWorker.profile(folder, undefined),
			foldersInWorker.languages(folder, 'opus-mt-en-de'),
		]);
		assert.deepEqual({ description, profile, languages }, onLoop);
	});
	assert.ok(longest < 300_000, `${longest} characters were parsed`);
});

test('faults of a folder keep their code and sentence', async () => {
	const wide = Array.from({ length: 40_000 }, (_, at) => at + 1_000_000);
	for (const [name, file, value, sentence] of [
		['ends', 'generation_config.json', { eos_token_id: wide }, /40000 end tokens; at most 1000/],
		[
			'ends here',
			'generation_config.json',
			{ eos_token_id: wide.slice(0, 2000) },
			/2000 end tokens; at most 1000/,
		],
		[
			'type',
			'config.json',
			{ model_type: 'x'.repeat(300_000) },
			/300000 characters in the name of its type/,
		],
		[
			'type here',
			'config.json',
			{ model_type: 'x'.repeat(300) },
			/300 characters in the name of its type/,
		],
	] as const) {
		const folder = model(name, { [file]: value });
		await assert.rejects(foldersInWorker.describe(folder), {
			code: 'unsupported_model',
			message: sentence,
		});
	}
});
