/**
 * Packs the extension: `npm run package -- [target …]` writes `nearglot-<target>.vsix` for each target
 * (default: this machine's), from the production bundles in dist/. All targets are built on any
 * machine, because native files come out of npm packages.
 * `--bundles FOLDER` takes the bundles, `--out FOLDER` puts the packages elsewhere.
 */
import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createVSIX } from '@vscode/vsce';
import { copyKernel, copyNative } from './nativeFiles.mjs';
import { root } from './node.mjs';
import { wholeLinks } from './wholeLinks.mjs';

/** Target → largest allowed file in MB. `universal` has no native code: it serves team servers. */
const sizeLimitsMb = {
	'linux-x64': 55,
	'linux-arm64': 50,
	'win32-x64': 65,
	'win32-arm64': 65,
	'darwin-arm64': 50,
	universal: 20,
};

const { values, positionals: wanted } = parseArgs({
	options: {
		bundles: { type: 'string', default: join(root, 'dist') },
		out: { type: 'string', default: root },
	},
	allowPositionals: true,
});
const bundles = resolve(values.bundles);
const out = resolve(values.out);

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Files at the top of the package, when they are there. */
const topFiles = [
	'.vscodeignore',
	'CHANGELOG.md',
	'LICENSE',
	'README.md',
	'SECURITY.md',
	'docs/threat-model.md',
	'package.nls.json',
	'package.nls.de.json',
	'package.nls.es.json',
	'package.nls.fr.json',
];

async function pack(target) {
	const limitMb = sizeLimitsMb[target];
	if (limitMb === undefined) {
		throw new Error(`Unknown target '${target}'. Known: ${Object.keys(sizeLimitsMb).join(', ')}.`);
	}
	const stage = join(out, '.package', target);
	rmSync(stage, { recursive: true, force: true });
	mkdirSync(stage, { recursive: true });
	const copy = (path) => cpSync(join(root, path), join(stage, path), { recursive: true });
	for (const file of topFiles) if (existsSync(join(root, file))) copy(file);
	// Addresses in `srcset` are not made whole for the editor's page of the extension, those of pictures are.
	const readme = join(stage, 'README.md');
	const shown = readFileSync(readme, 'utf8')
		.replace(/^\s*<source .*\n/gm, '')
		// Nothing moves on a page of the editor that nobody can stop.
		.replace(
			/<img src="docs\/screenshots\/tour\.webp" alt="[^"]*"/,
			'<img src="docs/screenshots/chat.png" alt="A question and its answer in the side bar of the editor"',
		);
	const isPacked = (path) => topFiles.includes(path) || existsSync(join(stage, path));
	writeFileSync(readme, wholeLinks(shown, isPacked, manifest.repository.url));
	for (const path of [
		'media',
		'l10n',
		...new Set([...shown.matchAll(/docs\/screenshots\/[\w-]+\.\w+/g)].map(([path]) => path)),
		...(target === 'universal' ? [] : ['starter/models']),
	]) {
		if (existsSync(join(root, path))) copy(path);
	}
	for (const file of readdirSync(bundles)) {
		if (!file.endsWith('.map') && file !== 'node_modules')
			cpSync(join(bundles, file), join(stage, 'dist', file), { recursive: true });
	}
	// The readings of Japanese words are 17 MB: only the npm package has them; `nearglot systems
	// readings` fetches them.
	rmSync(join(stage, 'dist/data/translate/kuromoji'), { recursive: true, force: true });
	if (target !== 'universal') {
		copyNative(target, join(stage, 'dist', 'node_modules'));
		copyKernel(target, join(stage, 'dist', 'kernel'));
	}
	writeFileSync(join(stage, 'package.json'), JSON.stringify(shipped(), null, '\t'));
	renameSync(join(stage, 'dist', 'ThirdPartyNotices.txt'), join(stage, 'ThirdPartyNotices.txt'));
	const packagePath = join(out, `nearglot-${target}.vsix`);
	await createVSIX({
		cwd: stage,
		packagePath,
		dependencies: false,
		allowMissingRepository: true,
		// The pictures of the README come along.
		rewriteRelativeLinks: false,
		...(target === 'universal' ? {} : { target }),
	});
	const sizeMb = statSync(packagePath).size / 1e6;
	console.log(`nearglot-${target}.vsix: ${sizeMb.toFixed(1)} MB (at most ${limitMb})`);
	if (sizeMb > limitMb) throw new Error(`nearglot-${target}.vsix is larger than ${limitMb} MB.`);
	rmSync(stage, { recursive: true, force: true });
}

/** The manifest without what only a checkout needs. */
function shipped() {
	const {
		devDependencies: _dev,
		scripts: _scripts,
		private: _private,
		bin: _bin,
		...rest
	} = manifest;
	return rest;
}

const targets = wanted.length > 0 ? wanted : [`${process.platform}-${process.arch}`];
for (const target of targets.includes('all') ? Object.keys(sizeLimitsMb) : targets)
	await pack(target);
