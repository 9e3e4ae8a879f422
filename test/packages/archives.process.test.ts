/**
 * All packages as they were packed, in the folder that NEARGLOT_PACKED names: each is there, and what its binaries need
 * lies beside them or in every system. Their content before packing is the matter of test/scripts/nativeFiles.
 */

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { nativePlatforms } from '../../scripts/nativeFiles.mjs';
// @ts-expect-error: the scripts are plain JavaScript
import { root } from '../../scripts/node.mjs';
import { visualCLibraries } from '../../server/engine/runtime/visualC.ts';
import { unpack } from '../../server/hub/archive.ts';
import { openImports, processorOf } from '../scripts/nativeImports.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { filesOf } from './workshop.ts';

const made = process.env['NEARGLOT_PACKED'];
const skip = made === undefined && 'NEARGLOT_PACKED names no folder of packages';
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = temporaryFolder('archives');

for (const platform of nativePlatforms as string[])
	for (const archive of [
		`nearglot-${platform}.vsix`,
		`nearglot-runtime-${platform}-${version}.tgz`,
	])
		test(`${archive} is closed under what its binaries need`, { skip }, async () => {
			const to = join(folder, archive);
			const copy = `${to}${archive.endsWith('.vsix') ? '.zip' : '.tgz'}`;
			copyFileSync(join(made ?? '', archive), copy);
			await unpack(copy, to, AbortSignal.timeout(120_000));
			rmSync(copy);
			const files = filesOf(to);
			const binaries = files.filter((file) => /\.(node|dll|dylib)$|\.so(\.|$)/.test(file));
			assert.ok(binaries.length >= 4, binaries.join());
			for (const file of binaries) {
				assert.deepEqual(openImports(join(to, file), platform), [], file);
				const processor = processorOf(readFileSync(join(to, file)));
				assert.equal(`${platform.split('-')[0]}-${processor}`, platform, file);
			}
			if (!platform.startsWith('win32') || process.env['CI'] !== 'true') return;
			const runtime = visualCLibraries.filter(
				(name) => platform !== 'win32-arm64' || name !== 'vcruntime140_1.dll',
			);
			for (const name of runtime)
				assert.ok(
					files.some((file) => file.endsWith(`/${name}`)),
					name,
				);
		});

test('the package without native code and the command line are there', { skip }, () => {
	const names = readdirSync(made ?? '.');
	for (const name of ['nearglot-universal.vsix', `nearglot-${version}.tgz`])
		assert.ok(names.includes(name), name);
});
