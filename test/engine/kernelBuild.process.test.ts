/** The libraries are what their sources give, and their instructions for other processors are right: where zig and qemu are installed. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
	compile,
	findZig,
	kernelFile,
	kernelFolder,
	kernelPlatforms,
	sha256,
	zigVersion,
	// @ts-expect-error: the scripts are plain JavaScript
} from '../../scripts/kernel.mjs';
// @ts-expect-error: the scripts are plain JavaScript
import { nativePlatforms } from '../../scripts/nativeFiles.mjs';
import { libraryHashes } from '../../server/engine/kernel/libraryHashes.ts';
import * as library from '../../server/engine/runtime/kernelLibrary.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();
const zig: string | undefined = findZig();
const program = fileURLToPath(new URL('./kernelProgram.c', import.meta.url));

test('the libraries in the repository are those whose hashes the engine knows', () => {
	const kept = Object.fromEntries(
		kernelPlatforms.map((platform: string) => [
			platform,
			sha256(join(kernelFolder, kernelFile(platform))),
		]),
	);
	assert.deepEqual(kept, libraryHashes);
	for (const platform of kernelPlatforms as string[]) {
		const [os = '', arch = ''] = platform.split('-');
		assert.equal(library.kernelFile(os, arch), kernelFile(platform));
	}
	// Every platform that is packed has one.
	for (const platform of nativePlatforms) assert.ok(kernelPlatforms.includes(platform), platform);
});

for (const platform of kernelPlatforms as string[]) {
	test(`the library for ${platform} is what its sources give`, (t) => {
		if (zig === undefined) return t.skip(`no zig ${zigVersion} (NEARGLOT_ZIG)`);
		const file = join(folder, kernelFile(platform));
		compile(zig, platform, file);
		assert.equal(sha256(file), libraryHashes[platform]);
	});
}

const emulated = [
	{ platform: 'linux-x64', emulator: 'qemu-x86_64', cpu: 'Haswell', paths: ['plain', 'avx2'] },
	{
		platform: 'linux-arm64',
		emulator: 'qemu-aarch64',
		cpu: 'max',
		paths: ['neon-dot', 'neon-i8mm'],
	},
];

for (const { platform, emulator, cpu, paths } of emulated) {
	test(`${paths.join(' and ')} give right products on an emulated processor`, (t) => {
		if (zig === undefined) return t.skip(`no zig ${zigVersion} (NEARGLOT_ZIG)`);
		if (!isThere(t, emulator)) return;
		const file = join(folder, `program-${platform}`);
		compile(zig, platform, file, program);
		for (const path of paths) {
			// It warns of what else it lacks of that processor.
			const args = ['-cpu', cpu, file, path];
			const { status, stdout } = spawnSync(emulator, args, { encoding: 'utf8' });
			assert.equal(stdout.trim(), path);
			assert.equal(status, 0);
		}
	});
}

function isThere(t: TestContext, command: string): boolean {
	if (spawnSync(command, ['--version']).status === 0) return true;
	t.skip(`no ${command} (Debian: qemu-user)`);
	return false;
}
