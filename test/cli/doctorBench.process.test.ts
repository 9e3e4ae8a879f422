/** `doctor --bench` measures on this machine, and says why where it cannot. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { type Home, newHome } from '../support/home.ts';

let home: Home;
beforeEach(async () => {
	home = await newHome();
});
afterEach(() => home.close());

test('doctor --bench tells rates of the processor, and why there are none of others', async () => {
	const done = await home.run(['doctor', '--bench', '--json']);
	assert.equal(done.code, 0, done.stderr);
	const rows: Record<string, string> = JSON.parse(done.stdout);
	assert.equal(rows['bench'], 'measured');
	assert.match(rows['bench model'] ?? '', /^starter-chat/);
	const rates =
		/^prompt ([\d.]+), one answer ([\d.]+), 8 answers together ([\d.]+) tokens\/s$/.exec(
			rows['bench cpu'] ?? '',
		);
	for (const rate of rates?.slice(1) ?? ['0']) assert.ok(Number(rate) > 0, rows['bench cpu']);
	for (const [what, result] of Object.entries(rows))
		if (/^bench (webgpu|cuda|dml|coreml|qnn)$/.test(what))
			assert.match(result, /^(prompt \d|not measured: \S)/);
	const unknown = await home.run(['doctor', '--bench', '--model', 'nobody', '--json']);
	assert.equal(unknown.code, 1);
	assert.match(JSON.parse(unknown.stdout)['bench'], /^FAILED: .*'nobody'; there are: starter-chat/);
	assert.equal((await home.run(['doctor', '--model', 'starter-chat'])).code, 2);
});
