/** Reranking against PyTorch: test/fixtures/rerankers.py says how the expected logits were made. */

import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PairWriter } from '../../server/engine/embed/pairWriter.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { readPairTemplate } from '../../server/engine/tokenizer/postProcessor.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

interface Expected {
	readonly logits: readonly number[];
	readonly tokens: readonly number[];
}

const made = fileURLToPath(new URL('../fixtures/rerankers', import.meta.url));
const reference: {
	readonly query: string;
	readonly documents: readonly string[];
	readonly bert: Expected;
	readonly 'xlm-roberta': Expected;
} = JSON.parse(readFileSync(join(made, 'reference.json'), 'utf8'));
const { query, documents } = reference;

describe('reranking', () => {
	const folder = temporaryFolder('rerankers');
	cpSync(made, folder, { recursive: true });

	for (const name of ['bert', 'xlm-roberta'] as const)
		it(`${name}: the logits are PyTorch's, together and alone, and what is cut is named`, async () => {
			const description = await describeModel(join(folder, name));
			assert.deepEqual([description.task, description.problems], ['rerank', []]);
			const engine = await loadEngine({ folder: join(folder, name), threads: 1 });
			try {
				const { logits, tokens } = reference[name];
				const together = await engine.rerank({ query, documents, truncate: true });
				for (const [index, logit] of together.logits.entries())
					assert.ok(Math.abs(logit - (logits[index] ?? 0)) < 1e-4, `${index}: ${logit}`);
				assert.equal(
					together.promptTokens,
					tokens.reduce((sum, count) => sum + count, 0),
				);
				assert.deepEqual(together.truncated, [3]);
				for (const [index, document] of documents.entries()) {
					const alone = await engine.rerank({ query, documents: [document], truncate: true });
					assert.ok(Math.abs((alone.logits[0] ?? 0) - (logits[index] ?? 0)) < 1e-4);
				}
				await assert.rejects(engine.rerank({ query, documents, truncate: false }), {
					code: 'context_length_exceeded',
					param: 'documents',
				});
				const long = 'list all files '.repeat(30);
				await assert.rejects(engine.rerank({ query: long, documents: ['x'], truncate: true }), {
					code: 'context_length_exceeded',
					param: 'query',
				});
				await assert.rejects(engine.embed({ inputs: ['x'] }), { code: 'unsupported_model' });
			} finally {
				await engine.close();
			}
		});

	it('puts two texts together as every kind of post-processor says', () => {
		const pair = (processor: unknown) => {
			const { ids, types } = new PairWriter(readPairTemplate(processor), [7], 0, true).write(
				[8],
				0,
			);
			return [ids, types];
		};
		const [cls, sep] = [
			['[CLS]', 1],
			['[SEP]', 2],
		];
		const bert = [
			[1, 7, 2, 8, 2],
			[0, 0, 0, 1, 1],
		];
		const roberta = [
			[1, 7, 2, 2, 8, 2],
			[0, 0, 0, 0, 0, 0],
		];
		assert.deepEqual(pair({ type: 'BertProcessing', cls, sep }), bert);
		assert.deepEqual(pair({ type: 'RobertaProcessing', cls, sep }), roberta);
		const special = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
		const text = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
		const template = {
			type: 'TemplateProcessing',
			single: [special('a', 0), text('A', 0), special('b', 0)],
			pair: [special('a', 0), text('A', 0), special('b', 0), text('B', 1), special('b', 1)],
			special_tokens: { a: { ids: [1] }, b: { ids: [2] } },
		};
		assert.deepEqual(pair(template), bert);
		const processors = [{ type: 'ByteLevel' }, template];
		assert.deepEqual(pair({ type: 'Sequence', processors }), bert);
		const { pair: _, ...single } = template;
		assert.deepEqual(pair(single)[0], [1, 7, 2, 8, 2]);
		assert.deepEqual(pair(null)[0], [7, 8]);
	});
});
