/**
 * What every package in the bundles does when it is imported: it opens no socket, asks for no name, writes no
 * file, starts no thread and leaves no work. What it does when it is used is seen by the tests beside it.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { whyNoTrace } from '../support/syscallTrace.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { watch } from '../support/watched.ts';

const folder = temporaryFolder('quiet');
const skip = process.platform === 'linux' ? (whyNoTrace() ?? false) : 'there is no strace here';
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Packages that have no entry for this: what is imported of them instead, or who else looks at them. */
const entries: Readonly<Record<string, string | undefined>> = {
	'@modelcontextprotocol/sdk': '@modelcontextprotocol/sdk/server/mcp.js',
	// A script for `require` under a name for `import`; the bundler takes it, and test/engine/grammar loads it.
	'@mlc-ai/web-xgrammar': undefined,
	// Its parts are imported by the files of the S3 client, which is looked at.
	'@aws-sdk/nested-clients': undefined,
	// They need an editor: test/extension/nothingLeaves.
	'vscode-languageclient': undefined,
	// ONNX Runtime has one door: test/daemon/nothingLeaves.
	'onnxruntime-node': undefined,
};

test('no package that is shipped does anything when it is imported', { skip }, async () => {
	const notices = readFileSync(here('../../dist/ThirdPartyNotices.txt'), 'utf8');
	const shipped = [...notices.matchAll(/^(@?[a-z][\w./-]*) \d+\.\d+\.\d+\S* \(/gm)].map(
		([, name = '']) => name,
	);
	assert.ok(shipped.length > 80 && shipped.includes('pino'), `${shipped.length} packages`);
	for (const name of Object.keys(entries)) assert.ok(shipped.includes(name), name);
	const names = shipped
		.map((name) => (name in entries ? entries[name] : name))
		.filter((name) => name !== undefined);
	const seen = await watch([here('importEach.mjs'), ...names], join(folder, 'imports'));
	const found = Object.entries<object>(JSON.parse(seen.stdout));
	assert.equal(found.length, names.length);
	for (const [name, did] of found) assert.deepEqual(did, { threads: 0, work: 0 }, name);
	const { reached, changed, left, loopback } = seen;
	assert.deepEqual(
		{ reached, changed, left, loopback },
		{ reached: [], changed: [], left: [], loopback: 0 },
	);
});

test('a module that does any of this is caught', { skip }, async () => {
	const seen = await watch([here('importEach.mjs'), here('busyModule.mjs')], join(folder, 'busy'));
	const [did] = Object.values<{ threads: number; work: number }>(JSON.parse(seen.stdout));
	assert.ok(did && did.threads > 0 && did.work > 0, JSON.stringify(did));
	assert.notDeepEqual(seen.reached, []);
	assert.equal(seen.left.length, 1);
});
