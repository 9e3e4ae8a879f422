/** What failed in an item of a batch is known through interfaces with codes of their own. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noRoom } from '../../../server/daemon/modelErrors.ts';
import { documentFailure } from '../../../server/http/translate/documentErrors.ts';
import { translatorError } from '../../../server/http/translate/translateErrors.ts';
import { translatorFailure } from '../../../server/http/translate/translateReply.ts';
import { codeOf, failureKind } from '../../../server/jobs/itemFailures.ts';
import { failureHeaders, type ItemAnswer } from '../../../server/jobs/itemRow.ts';
import { AppError } from '../../../server/protocol/index.ts';

const interfaces = {
	'translate 3.0': (error: AppError) => translatorFailure(error, 'id'),
	'translate 2026': (error: AppError) => translatorFailure(error, 'id', true),
	documents: (error: AppError) => documentFailure(error, 'id', undefined),
};

async function answerOf(response: Response): Promise<ItemAnswer> {
	const { status, headers } = response;
	return { status, requestId: '', body: await response.json(), ...failureHeaders(headers) };
}

for (const [name, failure] of Object.entries(interfaces))
	test(`a failure of ${name} is of the kind of what failed`, async () => {
		const mib = 2 ** 20;
		for (const [error, kind] of [
			[new AppError('store_unavailable'), 'outage'],
			[new AppError('daemon_unavailable', undefined, { retryAfterS: 2 }), 'outage'],
			[new AppError('overloaded'), 'turn'],
			[new AppError('overloaded', undefined, { retryAfterS: 5 }), 'turn'],
			[new AppError('model_loading', undefined, { retryAfterS: 5 }), 'turn'],
			[new AppError('rate_limited', undefined, { retryAfterS: 5 }), 'turn'],
			[translatorError(429001, undefined, { retryAfterS: 5 }), 'turn'],
			[new AppError('out_of_memory'), 'memory'],
			[noRoom('m', 5 * mib, mib, [], 9 * mib), 'outage'],
			[noRoom('m', 50 * mib, mib, [], 9 * mib), 'memory'],
			[new AppError('upstream_failed'), 'attempt'],
			[new AppError('timeout'), 'attempt'],
			[new AppError('internal'), 'attempt'],
			[new AppError('invalid_request'), 'own'],
			[translatorError(400036), 'own'],
		] as const) {
			const answer = await answerOf(failure(error));
			assert.equal(failureKind(answer), kind, `${error.code}: ${JSON.stringify(answer)}`);
		}
		const crashed = await answerOf(failure(new AppError('runner_crashed')));
		assert.equal(codeOf(crashed), 'runner_crashed', 'it is tried alone');
	});
