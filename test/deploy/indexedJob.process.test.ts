/** The Indexed Job of deploy/ as its pods run it: the same arguments, each in a home of its own. */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const file = fileURLToPath(new URL('../../deploy/batch-job.yaml', import.meta.url));

test('the pods of the Indexed Job run each request once, and the last one writes the rows', async () => {
	const { apiVersion, kind, spec } = parse(readFileSync(file, 'utf8'));
	assert.deepEqual([apiVersion, kind, spec.completionMode], ['batch/v1', 'Job', 'Indexed']);
	const [{ args }] = spec.template.spec.containers as [{ args: string[] }];
	const pods: number = spec.completions;
	const shard = args.find((each) => each.startsWith('--shard='));
	assert.equal(shard, `--shard=$(JOB_COMPLETION_INDEX)/${pods}`, 'as many parts as pods');

	const folder = temporaryFolder('batch');
	mkdirSync(join(folder, 'results'));
	const ids = Array.from({ length: 130 }, (_, id) => `${id}`);
	const lines = ids.map((id) =>
		JSON.stringify({
			...{ custom_id: id, method: 'POST', url: '/v1/chat/completions' },
			body: {
				...{ model: 'starter-chat', max_tokens: 2, temperature: 0 },
				messages: [{ role: 'user', content: `list files of ${id}` }],
			},
		}),
	);
	writeFileSync(join(folder, 'requests.jsonl'), lines.join('\n'));
	// Two machines here; a pod that comes again finds its part done.
	const homes = await Promise.all([newHome(), newHome()]);
	try {
		const runs = homes.map(async (home, machine) => {
			for (let index = machine; index < pods; index += homes.length) {
				const own = args.map((each) =>
					each.replace('/batch/', `${folder}/`).replace('$(JOB_COMPLETION_INDEX)', `${index}`),
				);
				const { code, stderr } = await home.run(own);
				assert.equal(code, 0, stderr);
			}
		});
		await Promise.all(runs);
		const rows = readFileSync(join(folder, 'results/output.jsonl'), 'utf8').trim().split('\n');
		assert.deepEqual(
			rows.map((row) => JSON.parse(row).custom_id),
			ids,
		);
	} finally {
		await Promise.all(homes.map((home) => home.close()));
	}
});
