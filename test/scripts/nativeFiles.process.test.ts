/**
 * What is packed of the native packages, for every platform, against what the locked packages require:
 * the modules reached from their entry points, the binaries their loaders name, and the libraries that
 * those binaries name.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type TestContext, test } from 'node:test';
import esbuild from 'esbuild';
import {
	copyKernel,
	copyNative,
	koffiBinary,
	nativePlatforms,
	packageFolder,
	// @ts-expect-error: the scripts are plain JavaScript
} from '../../scripts/nativeFiles.mjs';
// @ts-expect-error: the scripts are plain JavaScript
import { npmCommand, root } from '../../scripts/node.mjs';
import { libraryHashes } from '../../server/engine/kernel/libraryHashes.ts';
import { kernelFile } from '../../server/engine/runtime/kernelLibrary.ts';
import { libraryNames } from '../../server/engine/runtime/library.ts';
import { visualCLibraries } from '../../server/engine/runtime/visualC.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { oldestSystem, openImports, processorOf, signatureFault } from './nativeImports.ts';

const folder = temporaryFolder('native');

for (const platform of nativePlatforms as string[]) {
	test(`for ${platform} everything is packed that the native packages require`, async (t) => {
		if (!canHave(t, koffiBinary(platform))) return;
		const packages = join(folder, platform, 'node_modules');
		const names: string[] = copyNative(platform, packages);
		const packed = new Set(filesOf(packages));

		const modules = await requiredModules(platform);
		assert.ok(modules.length > 20, modules.join());
		const missing = [...modules, ...manifests(modules)].filter((file) => !packed.has(file));
		assert.deepEqual(missing, []);
		const native = nativeFilesLoaded(packages, platform);
		assert.equal(native.length, 2, native.join());
		const libraries = librariesNamed(platform, native);

		// Nothing for elsewhere, and nothing that only a compiler or an editor reads.
		const binaries = [...packed].filter((file) => /\.(node|dll|dylib|lib)$|\.so(\.|$)/.test(file));
		assert.deepEqual(binaries.sort(), [...new Set([...native, ...libraries])].sort());
		for (const file of binaries)
			assert.deepEqual(
				[
					...openImports(join(packages, file), platform),
					processorOf(readFileSync(join(packages, file))),
				],
				[platform.split('-')[1]],
				`${file} needs what is neither packed nor part of the system`,
			);
		for (const file of binaries) {
			const bytes = readFileSync(join(packages, file));
			mustLoadOn(platform, bytes, file);
		}
		const sources = [...packed].filter((file) => /\.(cc|hh|h|S|ts|map|md)$/.test(file));
		assert.deepEqual(sources, []);
		for (const name of names) {
			const manifest = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
			assert.equal(manifest.scripts, undefined);
		}
	});
}

test('each platform is packed with its own library of the engine, as it was built', () => {
	for (const platform of nativePlatforms as string[]) {
		const to = join(folder, 'kernels', platform);
		copyKernel(platform, to);
		const [os = '', arch = ''] = platform.split('-');
		assert.deepEqual(readdirSync(to), [kernelFile(os, arch)]);
		const bytes = readFileSync(join(to, kernelFile(os, arch)));
		assert.equal(createHash('sha256').update(bytes).digest('hex'), libraryHashes[platform]);
		mustLoadOn(platform, bytes, platform);
	}
});

test('the Visual C++ runtime is packed for Windows where its folder is named, and not otherwise', () => {
	const redist = join(folder, 'redist');
	for (const arch of ['x64', 'arm64'])
		for (const name of visualCLibraries) {
			mkdirSync(join(redist, arch), { recursive: true });
			writeFileSync(join(redist, arch, name), `${arch} ${name}`);
		}
	process.env['NEARGLOT_VC_REDIST'] = redist;
	try {
		for (const platform of ['win32-x64', 'win32-arm64', 'linux-x64']) {
			const packages = join(folder, `redist-${platform}`);
			copyNative(platform, packages);
			const files = filesOf(packages).filter((file) => /(msvcp|vcruntime)\d/.test(file));
			const names = visualCLibraries.filter(
				(name) => platform !== 'win32-arm64' || !/e140_1/.test(name),
			);
			assert.deepEqual(
				new Set(files.map((file) => basename(file))),
				new Set(platform === 'linux-x64' ? [] : names),
			);
			const beside = filesOf(packages).find((file) => file.endsWith('onnxruntime.dll')) ?? '.';
			for (const file of files) assert.equal(dirname(file), dirname(beside));
		}
	} finally {
		delete process.env['NEARGLOT_VC_REDIST'];
	}
});

/** What docs/systems.md says is the oldest of each system. */
const oldest: Readonly<Record<string, RegExp>> = {
	linux: /^glibc 2\.(?:\d|1\d|2[0-8])$/,
	darwin: /^macOS 1[1-4]$/,
	win32: /^undefined$/,
};

function mustLoadOn(platform: string, bytes: Buffer, file: string): void {
	const [system = ''] = platform.split('-');
	assert.match(String(oldestSystem(bytes)), oldest[system] ?? /-/, file);
	if (system === 'darwin') assert.equal(signatureFault(bytes), undefined, file);
}

test('a binary for macOS that was changed after it was signed is found', () => {
	const to = join(folder, 'changed');
	copyKernel('darwin-arm64', to);
	const bytes = readFileSync(join(to, kernelFile('darwin', 'arm64')));
	assert.equal(signatureFault(bytes), undefined);
	bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
	assert.match(signatureFault(bytes) ?? '', /changed after/);
	assert.match(String(readFileSync(join(root, 'docs/systems.md'))), /glibc 2\.28[\s\S]*macOS 14/);
});

/** Whether a package is installed or can be fetched; says so and skips the test where the registry is out of reach. */
function canHave(t: TestContext, name: string): boolean {
	try {
		packageFolder(name);
		return true;
	} catch (error) {
		const [npm, first] = npmCommand() as [string, string[]];
		const asked = spawnSync(npm, [...first, 'view', 'koffi', 'version', '--prefer-online']);
		if (asked.status === 0) throw error;
		t.skip(`${name} is not installed here and npm's registry does not answer`);
		return false;
	}
}

/** Files below a folder, with / on every system. */
function filesOf(path: string): string[] {
	return readdirSync(path, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(path, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

/** Modules of the installed packages that can be reached on a platform, as `<package>/<file>`. */
async function requiredModules(platform: string): Promise<string[]> {
	const [os, arch] = platform.split('-');
	const { metafile } = await esbuild.build({
		stdin: { contents: "require('onnxruntime-node'); require('koffi');", resolveDir: root },
		absWorkingDir: root,
		bundle: true,
		platform: 'node',
		write: false,
		metafile: true,
		// A path made of platform and architecture is followed as it is on that platform.
		minifySyntax: true,
		define: { 'process.platform': JSON.stringify(os), 'process.arch': JSON.stringify(arch) },
		loader: { '.node': 'empty' },
		plugins: [
			{
				name: 'binary of koffi',
				setup: (build) =>
					build.onResolve({ filter: /^@koromix\// }, ({ path }) =>
						path === koffiBinary(platform)
							? { path: join(packageFolder(path), 'index.js') }
							: { path, external: true },
					),
			},
		],
	});
	return Object.keys(metafile.inputs)
		.filter((file) => file !== '<stdin>')
		.map((file) => file.replace(/^.*node_modules\//, ''));
}

/** The package.json of each folder on the way to a file: it says what kind of module the file is. */
function manifests(files: readonly string[]): string[] {
	const found = new Set<string>();
	for (const file of files) {
		const name = file
			.split('/')
			.slice(0, file.startsWith('@') ? 2 : 1)
			.join('/');
		const from: string = packageFolder(name);
		for (let path = file; path !== name; ) {
			path = dirname(path);
			if (existsSync(join(from, path.slice(name.length), 'package.json')))
				found.add(`${path}/package.json`);
		}
	}
	return [...found];
}

/**
 * Loads what is packed as if this were the platform and answers which binaries were loaded; they are not
 * opened. A file that is missing ends it with an error.
 */
function nativeFilesLoaded(packages: string, platform: string): string[] {
	const [os, arch] = platform.split('-');
	const path = (name: string) => JSON.stringify(join(packages, name));
	const script = `
		const { Module } = require('node:module');
		Object.defineProperty(process, 'platform', { value: ${JSON.stringify(os)} });
		Object.defineProperty(process, 'arch', { value: ${JSON.stringify(arch)} });
		const loaded = [];
		const { version } = require(${path('koffi/package.json')});
		Module._extensions['.node'] = (module, path) => {
			loaded.push(path);
			module.exports = new Proxy({ version }, { get: (own, name) => own[name] ?? (() => []) });
		};
		for (const path of [${path('onnxruntime-node')}, ${path('koffi')}]) require(path);
		console.log(JSON.stringify(loaded));`;
	const done = spawnSync(process.execPath, ['--no-deprecation', '-e', script], {
		encoding: 'utf8',
	});
	assert.equal(done.status, 0, done.stderr);
	return (JSON.parse(done.stdout) as string[]).map((path) =>
		relative(packages, path).replaceAll(sep, '/'),
	);
}

/** ONNX Runtime's own library and those beside it that a binary names, as `<package>/<file>`. */
function librariesNamed(platform: string, native: readonly string[]): string[] {
	const binding = native.find((file) => file.startsWith('onnxruntime-node/')) ?? '';
	const beside = dirname(binding);
	const from = join(root, 'node_modules', beside);
	const [library] = libraryNames(platform.split('-')[0] as NodeJS.Platform);
	const all = readdirSync(from);
	const found = new Set([basename(binding), library ?? '']);
	for (const name of found) {
		const bytes = readFileSync(join(from, name));
		for (const other of all)
			if (bytes.includes(other) || bytes.includes(Buffer.from(other, 'utf16le'))) found.add(other);
	}
	return [...found].map((name) => `${beside}/${name}`);
}
