/** Splitting an answer into reasoning and content. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
	promptOpensReasoning,
	ReasoningSplitter,
	reasoningTagsOf,
} from '../../server/engine/template/reasoning.ts';

const tags = reasoningTagsOf(undefined);

function split(text: string, startsInside = false, pieces = [...text]) {
	const splitter = new ReasoningSplitter(tags, startsInside);
	const outputs = [...pieces.map((piece) => splitter.push(piece)), splitter.end()];
	return {
		reasoning: outputs.map((output) => output.reasoning).join(''),
		content: outputs.map((output) => output.content).join(''),
	};
}

describe('reasoning in an answer', () => {
	const cases: readonly [string, string, boolean, string, string][] = [
		[
			'a block at the start',
			'<think>\nHm, 2 < 3.\n</think>\n\nThree.',
			false,
			'Hm, 2 < 3.',
			'Three.',
		],
		['an empty block', '<think>\n\n</think>\n\nThree.', false, '', 'Three.'],
		[
			'no block',
			'The tag <think> is text </think>.',
			false,
			'',
			'The tag <think> is text </think>.',
		],
		['a block the prompt opened', 'Hm.\n</think>\nThree.', true, 'Hm.', 'Three.'],
		['a block that is cut off', '<think>Hm, so </th', false, 'Hm, so </th', ''],
		['text that begins like a tag', '<thin air', false, '', '<thin air'],
	];
	for (const [title, text, inside, reasoning, content] of cases) {
		it(`${title}, whole and by the character`, () => {
			assert.deepEqual(split(text, inside), { reasoning, content });
			assert.deepEqual(split(text, inside, [text]), { reasoning, content });
		});
	}

	it('channels: analysis is reasoning, the markup of the final channel is left out', () => {
		const channels = reasoningTagsOf('… <|channel|> …');
		const answers: [string, string, string][] = [
			[
				'<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Three <b>.',
				'Hm.',
				'Three <b>.',
			],
			['<|channel|>final<|message|>Three.', '', 'Three.'],
			[
				'<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}',
				'Hm.',
				'<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}',
			],
		];
		for (const [text, reasoning, content] of answers) {
			for (const pieces of [[text], [...text]]) {
				const splitter = new ReasoningSplitter(channels);
				const outputs = [...pieces.map((piece) => splitter.push(piece)), splitter.end()];
				assert.equal(outputs.map((output) => output.reasoning).join(''), reasoning);
				assert.equal(outputs.map((output) => output.content).join(''), content);
			}
		}
	});

	it('knows when the prompt already opened the block, and the tags of a template', () => {
		assert.equal(promptOpensReasoning('<｜Assistant｜><think>\n', tags), true);
		assert.equal(promptOpensReasoning('<|im_start|>assistant\n', tags), false);
		assert.equal(reasoningTagsOf('… [THINK] … [/THINK]').close, '[/THINK]');
	});
});
