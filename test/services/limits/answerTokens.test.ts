import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerAmounts, grantedAnswer } from '../../../server/services/limits/answerTokens.ts';

test('an answer with a length is reserved whole; one without may be made as short as the limit leaves', () => {
	const plan = { prompts: [100], n: 2, maxTokens: 50, contextLength: 4096 };
	assert.deepEqual(answerAmounts({ ...plan, isFixed: true }), { amounts: { tokens: 200 } });
	assert.deepEqual(answerAmounts({ ...plan, isFixed: false }), {
		amounts: { tokens: 200 },
		min: { tokens: 132 },
	});
	assert.equal(grantedAnswer({ tokens: 151 }, 100, 2), 25);
	assert.equal(grantedAnswer({ tokens: 100 }, 100, 2), 0);
});

test('no more is reserved than the context leaves', () => {
	const plan = { prompts: [90, 10], n: 1, maxTokens: 1e9, isFixed: true, contextLength: 100 };
	assert.deepEqual(answerAmounts(plan), { amounts: { tokens: 90 + 10 + 10 + 90 } });
	assert.deepEqual(answerAmounts({ ...plan, prompts: [500] }), { amounts: { tokens: 500 } });
});
