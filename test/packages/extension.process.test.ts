/** The extension's packages, unpacked: what is in them, and whether the server in that of this platform runs as it should. */

import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { unpack } from '../../server/hub/archive.ts';
import { filesOf, options, platform, Workshop } from './workshop.ts';

let workshop: Workshop;
before(async () => {
	workshop = await Workshop.open();
});
after(() => workshop.close());

/** Packs the extension for a target and unpacks it; answers the folder and its files. */
async function unpackExtension(target: string): Promise<{ folder: string; files: string[] }> {
	const { bundles, folder: out } = workshop;
	await workshop.script('scripts/package.mjs', '--bundles', bundles, '--out', out, target);
	const to = join(out, target);
	renameSync(join(out, `nearglot-${target}.vsix`), `${to}.zip`);
	await unpack(`${to}.zip`, to, AbortSignal.timeout(120_000));
	const folder = join(to, 'extension');
	return { folder, files: filesOf(folder) };
}

/** Bundles and the data beside them that a package lacks. The readings of Japanese words are fetched when asked for. */
function missingBundles(files: readonly string[]): string[] {
	return filesOf(workshop.bundles)
		.map((file) => (file === 'ThirdPartyNotices.txt' ? file : `dist/${file}`))
		.filter((file) => !files.includes(file) && !file.includes('/kuromoji/'));
}

test(
	'the extension has all its bundles, and each of its models runs as it should',
	options,
	async () => {
		const { folder, files } = await unpackExtension(platform);
		assert.deepEqual(missingBundles(files), []);
		await workshop.tryServer('the extension', join(folder, 'dist/server.cjs'), folder);
	},
);

test('the extension without native code has the same bundles, no binary and no model', async () => {
	const { folder, files } = await unpackExtension('universal');
	assert.deepEqual(missingBundles(files), []);
	// Of the pictures it has those that its page shows, of which none moves.
	const page = readFileSync(join(folder, 'readme.md'), 'utf8');
	const shown = [...page.matchAll(/<img src="([^":]+)"/g)].map(([, path]) => path);
	assert.deepEqual(
		files.filter((file) => file.startsWith('docs/screenshots/')),
		shown,
	);
	assert.deepEqual(
		shown.filter((path) => !path?.endsWith('.png')),
		[],
	);
	const foreign = files.filter((file) => /\.(node|dll|dylib|onnx)$|\.so(\.|$)/.test(file));
	assert.deepEqual(foreign, []);
});
