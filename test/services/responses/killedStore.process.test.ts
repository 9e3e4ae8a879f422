/** A process that is killed while it keeps responses loses none that it had been told are kept. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { answerLimits } from '../../../server/services/responses/answerLimits.ts';
import { createAnswerStore } from '../../../server/services/responses/answerThread.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const program = fileURLToPath(new URL('./keepAnswers.ts', import.meta.url));

test('kept responses outlast kill -9 at any moment, whole', async () => {
	const path = join(temporaryFolder('killed'), 'responses.db');
	const kept: string[] = [];
	for (let round = 0; round < 3; round++) {
		const child = spawn(
			process.execPath,
			['--disable-warning=ExperimentalWarning', program, path, String(round)],
			{ stdio: ['ignore', 'pipe', 'inherit'] },
		);
		const ended = once(child, 'exit');
		const enough = kept.length + 3 + round * 5;
		for await (const id of createInterface({ input: child.stdout })) {
			kept.push(id);
			if (kept.length >= enough) child.kill('SIGKILL');
		}
		assert.deepEqual(await ended, [null, 'SIGKILL']);
	}
	const store = createAnswerStore({ path, limits: answerLimits({}) });
	for (const id of kept) {
		assert.deepEqual(JSON.parse(await store.answer('a', id)), { text: id.repeat(2000) }, id);
		assert.equal((await store.context('a', id)).length, 2);
	}
	await store.close();
});
