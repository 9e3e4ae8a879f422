/** A large file is cut into shards by a process that has hardly any heap: what was seen lies outside of it. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const manifest = new URL('../../server/jobs/batchManifest.ts', import.meta.url).href;
const count = 300_000;
/** Megabytes; modules take half of it, and a `Set` of as many numbers needs more than all. */
const heapMb = 24;

const program = `
import { Readable } from 'node:stream';
import { makeManifest } from ${JSON.stringify(manifest)};
function* parts() {
	for (let id = 0; id < ${count}; ) {
		let text = '';
		for (const end = id + 500; id < end; id++) text += '{"custom_id":"request-' + id + '","body":{}}\\n';
		yield Buffer.from(text);
	}
}
const limits = { lines: ${count}, bytes: Number.POSITIVE_INFINITY };
const { total } = await makeManifest(Readable.from(parts()), '/v1/embeddings', limits, 0);
console.log(total);
`;

test(`a file of ${count} lines is cut with a heap of ${heapMb} MB`, async () => {
	const args = [`--max-old-space-size=${heapMb}`, '--input-type=module', '--eval', program];
	const { stdout } = await promisify(execFile)(process.execPath, args);
	assert.equal(stdout.trim(), String(count));
});
