/**
 * The native packages of each platform, taken out of npm packages, so every platform is packed on any
 * machine. A package is packed as a whole but for what surely nothing loads: a file that a new version
 * adds comes along by itself.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { kernelFile, kernelFolder } from './kernel.mjs';
import { npm, root } from './node.mjs';

/** The libraries of the Visual C++ runtime; server/engine/runtime/visualC.ts loads them. */
const visualCLibraries = [
	'vcruntime140.dll',
	'vcruntime140_1.dll',
	'msvcp140.dll',
	'msvcp140_1.dll',
	'msvcp140_atomic_wait.dll',
];

/** Platforms with native code, as `<os>-<arch>` in Node's words. */
export const nativePlatforms = [
	'linux-x64',
	'linux-arm64',
	'win32-x64',
	'win32-arm64',
	'darwin-arm64',
];

/** Packages that are the same on every platform but for the binaries in them. */
const everywhere = ['onnxruntime-node', 'onnxruntime-common', 'koffi'];

/** The package with koffi's binary for a platform. */
export const koffiBinary = (platform) => `@koromix/koffi-${platform}`;

const modules = (...parts) => join(root, 'node_modules', ...parts);

/** What nothing loads, as patterns of `<package>/<file>`. */
const unneeded = [
	// Sources, typings, maps and texts.
	/\.([chS]|cc|hh|cpp|hpp|asm|inc|def|lib|map|md|[cm]?ts)$/,
	/\/CMakeLists\.txt$/,
	// They build or fetch a binary when a package is installed, which is never done here.
	/^koffi\/(cnoke\.cjs|vendor\/)/,
	/^onnxruntime-node\/script\//,
	// The same library under a second name.
	/\/libonnxruntime\.1\.\d+\.\d+\.dylib$/,
	// ONNX Runtime has no library for this C library.
	/^@koromix\/.*\/musl_[^/]*\//,
];

/** Whether a file of a package, as `<package>/<file>`, is for this platform and can be needed. */
function isNeeded(file, platform) {
	const [, ...binary] = /^onnxruntime-node\/bin\/[^/]+\/([^/]+)\/([^/]+)\//.exec(file) ?? [];
	if (binary.length > 0 && binary.join('-') !== platform) return false;
	return !unneeded.some((pattern) => pattern.test(file));
}

/** Copies the engine's own library for a platform. */
export function copyKernel(platform, folder) {
	const name = kernelFile(platform);
	cpSync(join(kernelFolder, name), join(folder, name));
}

/** Copies the native packages with the binaries of one platform into a `node_modules`; returns their names. */
export function copyNative(platform, folder) {
	const names = [...everywhere, koffiBinary(platform)];
	for (const name of names) {
		const from = packageFolder(name);
		for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
			if (entry.isDirectory()) continue;
			const path = relative(from, join(entry.parentPath, entry.name));
			if (!isNeeded(`${name}/${path.replaceAll(sep, '/')}`, platform)) continue;
			cpSync(join(from, path), join(folder, name, path));
		}
		leaveScriptsOut(join(folder, name, 'package.json'));
	}
	copyVisualC(platform, join(folder, 'onnxruntime-node'));
	return names;
}

/**
 * Copies Microsoft's Visual C++ runtime beside the library that needs it, from the folder of redistributable files
 * that NEARGLOT_VC_REDIST names (in it `x64` and `arm64`). Its licence allows it to be shipped with a program. Where
 * the variable is not set, Windows machines without the runtime are told to install it.
 */
function copyVisualC(platform, ort) {
	const redist = process.env.NEARGLOT_VC_REDIST;
	const [system, arch] = platform.split('-');
	if (system !== 'win32' || !redist) return;
	const to = readdirSync(ort, { recursive: true }).find((file) => file.endsWith('onnxruntime.dll'));
	for (const name of visualCLibraries) {
		// Windows on ARM has no second part of the first one.
		if (arch === 'arm64' && name === 'vcruntime140_1.dll') continue;
		cpSync(join(redist, arch, name), join(ort, dirname(to), name));
	}
}

/**
 * Nothing of these packages is to run at installation or to be fetched: onnxruntime-node's script loads
 * libraries for CUDA from elsewhere and fails without a network.
 */
function leaveScriptsOut(path) {
	const { scripts, dependencies, optionalDependencies, devDependencies, ...rest } = JSON.parse(
		readFileSync(path, 'utf8'),
	);
	writeFileSync(path, JSON.stringify(rest, null, '\t'));
}

/**
 * Folder of a package as the lock file has it; one for another platform, which npm does not install
 * here, is taken from the registry.
 */
export function packageFolder(name) {
	if (existsSync(modules(name))) return modules(name);
	const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
	const path = `node_modules/${name}`;
	const locked = lock.packages[path];
	if (locked === undefined || !locked.optional)
		throw new Error(`${modules(name)} is missing. Run npm install.`);
	const cache = join(root, '.package', 'fetched', name.replaceAll('/', '-'));
	const folder = join(cache, path);
	if (existsSync(folder) && manifestOf(folder).version === locked.version) return folder;
	const wanted = { private: true, dependencies: { [name]: locked.version } };
	const write = (file, content) => writeFileSync(join(cache, file), JSON.stringify(content));
	mkdirSync(cache, { recursive: true });
	write('package.json', wanted);
	// With the entry of our lock file npm compares what it gets with the hash there.
	write('package-lock.json', { lockfileVersion: 3, packages: { '': wanted, [path]: locked } });
	// By force: it is for another platform.
	const args = ['ci', '--prefix', cache, '--force', '--ignore-scripts', '--prefer-offline'];
	npm([...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: cache });
	return folder;
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
