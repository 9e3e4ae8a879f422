/** A text's translation does not depend on the texts that share its batch: same words, same bits. */

import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EngineModel } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { paddedWidth } from '../../server/engine/runtime/paddedWidth.ts';
import type { EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { writeLexicon } from '../../server/engine/seq2seq/lexicon.ts';
import {
	batchKey,
	chooseBatch,
	type TranslationJob,
} from '../../server/engine/seq2seq/translationBatch.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const starter = fileURLToPath(new URL('../../starter/models/starter-translate', import.meta.url));
let builtIn: EngineModel;

before(async () => {
	builtIn = await loadEngine({ folder: starter, threads: 1 });
});
after(() => builtIn.close());

const item = (text: string, targetLanguage = 'de') => ({
	text,
	sourceLanguage: 'en',
	targetLanguage,
});

async function translate(
	engine: EngineModel,
	items: readonly ReturnType<typeof item>[],
	beams: number,
): Promise<string[]> {
	const { outputs } = await engine.seq2seq({ items, beams, priority: 'batch' });
	return outputs.map(({ tokenIds, score }) => `${tokenIds.join()} ${score}`);
}

/** The head of a shortlist is a product of its own, whose last bits differ between one row and several. */
async function words(...call: Parameters<typeof translate>): Promise<string[]> {
	return (await translate(...call)).map((output) => output.split(' ')[0] ?? '');
}

/** Lengths of all remainders, so that alone each of them ends elsewhere within a block. */
const texts = [
	'Stop.',
	'Save the file.',
	'The server is not running (945234).',
	// Two next words are almost equally likely here: the last bits of a sum tell which is taken.
	'Press the button to continue (883545).',
	'This function returns the number of open connections (81688).',
	'Copy a directory and all that is in it to another location, and print each name.',
	'The value must be a number between 1 and 65535; see the documentation of the setting for what it means.',
	'Could not open it.',
	'Show the number of lines in each file of the folder.',
];

for (const beams of [1, 3]) {
	test(`a text alone and among others comes out the same, to the last bit of its score (beams ${beams})`, async () => {
		const items = texts.flatMap((text) => ['de', 'fr', 'es'].map((to) => item(text, to)));
		const alone: string[] = [];
		for (const one of items) alone.push(...(await translate(builtIn, [one], beams)));
		assert.deepEqual(await translate(builtIn, items, beams), alone);
		for (const [index, one] of items.entries()) {
			const longer = items[(index * 7 + 5) % items.length] as (typeof items)[number];
			const [found] = await translate(builtIn, [one, longer], beams);
			assert.equal(found, alone[index], `${one.text} beside ${longer.text}`);
		}
	});
}

test('with a table of words, a text says its own words only, whoever is beside it', async () => {
	const model = join(temporaryFolder(), 'company');
	cpSync(starter, model, { recursive: true });
	const text = await loadTextModel(model);
	const [one, other] = [item('The file could not be saved.'), item('Open the settings.')];
	const unknown = item('Close the window.');
	const sources = [one, other].map((it) => text.encode(it.text));
	const { outputs } = await builtIn.seq2seq({ items: [one, other], beams: 1, priority: 'batch' });
	const said = outputs.map(({ tokenIds }) => tokenIds);
	const rare = said[0]?.find((id) => said[1]?.includes(id) === false) ?? 0;
	const giver = sources[1]?.find((id) => sources[0]?.includes(id) === false) ?? 0;
	const lost = text.encode(unknown.text).find((id) => !sources.flat().includes(id)) ?? 0;
	assert.ok(rare > 0 && giver > 0 && lost > 0);
	// What the first text would say is known to a word of the second one alone.
	await writeLexicon(model, {
		vocabulary: 6000,
		frequent: [...new Set([...said.flat(), 11, 12])].filter((id) => id !== rare),
		targets: new Map(
			Array.from({ length: 6000 }, (_, id) => [id, id === giver ? [rare] : []] as const).filter(
				([id]) => id !== lost,
			),
		),
		changed: 0,
		texts: 9,
	});
	const engine = await loadEngine({ folder: model, threads: 1 });
	try {
		for (const beams of [1, 3]) {
			const alone: string[] = [];
			for (const it of [one, other, unknown]) alone.push(...(await words(engine, [it], beams)));
			assert.ok(alone[0]?.split(',').includes(String(rare)) === false);
			assert.deepEqual(await words(engine, [one, other], beams), alone.slice(0, 2));
			// A text with a word that is not in the table takes all words, and only that text.
			assert.deepEqual(await words(engine, [one, other, unknown], beams), alone);
			assert.deepEqual(
				await words(engine, [unknown], beams),
				await words(builtIn, [unknown], beams),
			);
		}
	} finally {
		await engine.close();
	}
});

test('a batch takes no more words than a shortlist may have; the other texts wait for the next one', () => {
	const head = { vocabulary: 100, hasBias: false, width: 1, columns: () => assert.fail() };
	const lexicon = { vocabulary: 100, frequent: [], targets: new Map(), changed: 0, texts: 1 };
	const model = {
		batchInvariant: true,
		// Of a quarter of the vocabulary, 20 words are left for the texts.
		shortlist: { lexicon, head, frequent: new Set([0, 1, 2, 3, 4]) },
	} as unknown as EncoderDecoder;
	const work = (tokens: number[] | undefined) =>
		({
			encoded: { source: [1, 2, 3], start: [9], offsets: [] },
			search: { beams: 1 },
			wantsAttention: false,
			priority: 'batch',
			ownTokens: tokens && new Set(tokens),
		}) as unknown as TranslationJob;
	const ten = (from: number) => Array.from({ length: 10 }, (_, k) => from + k);
	const waiting = [work(ten(10)), work(undefined), work(ten(20)), work(ten(30)), work(ten(10))];
	const chosen = ([first, ...others]: (TranslationJob | undefined)[]) => {
		assert.ok(first);
		const alike = others.filter((one) => one !== undefined && batchKey(one) === batchKey(first));
		const batch = chooseBatch(first, alike as TranslationJob[], { model, contextLength: 64 });
		return batch.map((one) => waiting.indexOf(one));
	};
	assert.deepEqual(chosen(waiting), [0, 2]);
	assert.deepEqual(chosen([waiting[0], waiting[4], waiting[3]]), [0, 4, 3]);
	assert.deepEqual(chosen(waiting.slice(1)), [1]);
});

test('batches are as wide as whole blocks, but never wider than the encoder', () => {
	assert.deepEqual(
		[1, 8, 9, 17, 60, 61].map((longest) => paddedWidth(longest, 62)),
		[8, 8, 16, 24, 62, 62],
	);
	assert.equal(paddedWidth(70, 62), 70);
});
