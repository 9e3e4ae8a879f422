/**
 * Packs the command line for npm: `nearglot-<version>.tgz` and one package a platform with the native
 * code, of which npm installs the one that suits. None of them runs anything when it is installed.
 * `node scripts/packageNpm.mjs [--bundles FOLDER] [--out FOLDER] [platform …]` (default: all) writes them into a
 * folder (default: the project's), from the bundles in a folder (default: dist/).
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { copyKernel, copyNative, nativePlatforms } from './nativeFiles.mjs';
import { npm, root } from './node.mjs';

const { values, positionals } = parseArgs({
	options: {
		bundles: { type: 'string', default: join(root, 'dist') },
		out: { type: 'string', default: root },
	},
	allowPositionals: true,
});
const bundles = resolve(values.bundles);
const out = resolve(values.out);
const stages = join(out, '.nearglot-npm');

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { version, license, repository, homepage, bugs, keywords } = manifest;
const about = { version, license, repository, homepage, bugs, keywords };

/** As server/engine/runtime/nativePackages.ts looks for it. */
const platformPackage = (platform) => `@nearglot/runtime-${platform}`;

function packed(stage, content) {
	writeFileSync(join(stage, 'package.json'), JSON.stringify(content, null, '\t'));
	npm(['pack', '--pack-destination', out, '--loglevel=error'], { cwd: stage });
}

function emptyStage(name) {
	const stage = join(stages, name);
	mkdirSync(stage, { recursive: true });
	return stage;
}

function packPlatform(platform) {
	const stage = emptyStage(platform);
	const names = copyNative(platform, join(stage, 'node_modules'));
	copyKernel(platform, join(stage, 'kernel'));
	cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
	cpSync(join(bundles, 'ThirdPartyNotices.txt'), join(stage, 'ThirdPartyNotices.txt'));
	const [os, cpu] = platform.split('-');
	const versions = names.map((name) => [
		name,
		JSON.parse(readFileSync(join(stage, 'node_modules', name, 'package.json'), 'utf8')).version,
	]);
	packed(stage, {
		name: platformPackage(platform),
		description: `ONNX Runtime for the command line of Nearglot on ${platform}.`,
		...about,
		os: [os],
		cpu: [cpu],
		dependencies: Object.fromEntries(versions),
		bundleDependencies: names,
	});
}

function packCommandLine() {
	const stage = emptyStage('nearglot');
	const filter = (path) => !/\.map$|dist[/\\]node_modules/.test(path);
	for (const name of [
		'bin',
		'starter/models',
		'README.md',
		'LICENSE',
		'CHANGELOG.md',
		'SECURITY.md',
		'docs/threat-model.md',
	])
		cpSync(join(root, name), join(stage, name), { recursive: true, filter });
	cpSync(bundles, join(stage, 'dist'), { recursive: true, filter });
	packed(stage, {
		name: manifest.name,
		description: manifest.description,
		...about,
		type: manifest.type,
		engines: { node: '^22.19 || >=24' },
		bin: manifest.bin,
		optionalDependencies: Object.fromEntries(
			nativePlatforms.map((platform) => [platformPackage(platform), version]),
		),
	});
}

if (!existsSync(join(bundles, 'server.cjs')))
	throw new Error(`${join(bundles, 'server.cjs')} is missing. Run npm run build.`);
const wanted = positionals.length > 0 ? positionals : nativePlatforms;
for (const platform of wanted)
	if (!nativePlatforms.includes(platform))
		throw new Error(`Unknown platform '${platform}'. Known: ${nativePlatforms.join(', ')}.`);
rmSync(stages, { recursive: true, force: true });
try {
	for (const platform of wanted) packPlatform(platform);
	packCommandLine();
} finally {
	rmSync(stages, { recursive: true, force: true });
}
