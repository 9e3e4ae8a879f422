/** What the engine keeps of a request serves its owner alone: counts tell nothing of others. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { EngineModel, GenerateResult } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { createConstraintCompiler } from '../../server/engine/grammar/compileConstraint.ts';
import { grammarInstance } from '../../server/engine/grammar/xgrammarModule.ts';
import { deduplicateSources } from '../../server/engine/seq2seq/deduplicateSources.ts';
import { toolFormats } from '../../server/engine/template/toolFormat.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { byteTextModel } from './byteTextModel.ts';
import { tokensRequest } from './support.ts';

const folder = temporaryFolder();
let model: EngineModel;

before(async () => {
	const made = writeDecoderModel(join(folder, 'gqa'), { attention: 'gqa' });
	model = await loadEngine({ folder: made, threads: 1 });
});
after(() => model.close());

const nothing = (): void => {};
const prompt = (seed: number, length: number): number[] =>
	Array.from({ length }, (_, k) => (seed * 71 + k * k * 13 + k * 7) % 256);

function ask(owner: string | undefined, tokens: readonly number[], n = 1): Promise<GenerateResult> {
	return model.generate(tokensRequest(tokens, { owner, n, maxTokens: 4 }), nothing);
}

/** Both places where an answer says how much of its prompt was known. */
const known = ({ cachedTokens, timings }: GenerateResult) => [cachedTokens, timings.cache_n];

test('a guess of what another person wrote finds nothing, right or wrong', async () => {
	const secret = prompt(1, 60);
	await ask('alice', secret);
	const wrong = [...secret.slice(0, 30), ...prompt(9, 30)];
	assert.deepEqual(known(await ask('bob', wrong)), [0, 0]);
	assert.deepEqual(known(await ask('carol', secret)), [0, 0]);
	assert.deepEqual(known(await ask(undefined, secret)), [0, 0]);
});

test('while the other answer is being made there is nothing to find either', async () => {
	const secret = prompt(2, 60);
	const guess = { found: undefined as Promise<GenerateResult> | undefined };
	await model.generate(tokensRequest(secret, { owner: 'alice', maxTokens: 12 }), (event) => {
		if (event.type === 'text') guess.found ??= ask('bob', secret);
	});
	assert.ok(guess.found);
	assert.deepEqual(known(await guess.found), [0, 0]);
});

test('each person finds as much of their own as if they were alone', async () => {
	const turns = [prompt(3, 40), prompt(3, 60), prompt(3, 90)];
	const alone: number[] = [];
	for (const turn of turns) alone.push((await ask('dora', turn)).cachedTokens);
	assert.deepEqual(alone, [0, 40, 60]);
	const first: number[] = [];
	const second: number[] = [];
	for (const turn of turns) {
		first.push((await ask('erin', turn)).cachedTokens);
		second.push((await ask('frank', turn)).cachedTokens);
	}
	assert.deepEqual([first, second], [alone, alone]);
});

test('the choices of a request share its prompt, also when it is of nobody who is known', async () => {
	const before = (await model.stats()).promptTokensTotal;
	const result = await ask(undefined, prompt(4, 50), 3);
	assert.equal(result.choices.length, 3);
	assert.equal((await model.stats()).promptTokensTotal - before, 50);
});

test('a grammar is compiled again for each person, and once for the same one', async () => {
	const { GrammarCompiler } = (await grammarInstance()).library;
	const original = GrammarCompiler.prototype.compileGrammar;
	let compiled = 0;
	GrammarCompiler.prototype.compileGrammar = function (grammar: unknown) {
		compiled++;
		return original.call(this, grammar as string);
	};
	try {
		const compile = createConstraintCompiler(byteTextModel(), toolFormats.hermes);
		const times = async (owner: string | undefined) => {
			compiled = 0;
			const schema = { type: 'object', properties: { code_name: { const: 'Falcon' } } };
			(await compile({ kind: 'json-schema', schema }, [257], '', owner))?.dispose();
			return compiled;
		};
		assert.deepEqual([await times('alice'), await times('alice')], [1, 0]);
		assert.deepEqual([await times('bob'), await times('bob')], [1, 0]);
		assert.deepEqual([await times(undefined), await times(undefined)], [1, 1]);
		assert.equal(await times('alice'), 0);
	} finally {
		GrammarCompiler.prototype.compileGrammar = original;
	}
});

test('equal sentences of two people are read apart, those of one person once', () => {
	const item = (owner: string) => ({ owner, source: [5, 6, 7], start: [1, 2] });
	assert.deepEqual(deduplicateSources([item('alice'), item('alice')]).sourceOf, [0, 0]);
	assert.deepEqual(deduplicateSources([item('alice'), item('bob')]).sourceOf, [0, 1]);
});
