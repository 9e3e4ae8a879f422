/** The native packages of each platform, taken out of npm packages, so every platform is packed on any machine. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npm, root } from './node.mjs';

/** Platforms with native code, as `<os>-<arch>` in Node's words. */
export const nativePlatforms = [
	'linux-x64',
	'linux-arm64',
	'win32-x64',
	'win32-arm64',
	'darwin-arm64',
];

const modules = (...parts) => join(root, 'node_modules', ...parts);

const unneeded = (path) =>
	/\.(map|d\.[cm]?ts|md)$/.test(path) || /libonnxruntime\.1\.\d+\.\d+\.dylib$/.test(path);

/** Copies the native packages with the binaries of one platform into a `node_modules`; returns their names. */
export function copyNative(platform, folder) {
	const [os, arch] = platform.split('-');
	const file = (name, ...parts) => {
		const from = modules(name, ...parts);
		if (!existsSync(from)) throw new Error(`${from} is missing. Run npm install.`);
		cpSync(from, join(folder, name, ...parts), {
			recursive: true,
			filter: (path) => !unneeded(path),
		});
	};
	file('onnxruntime-node', 'package.json');
	file('onnxruntime-node', 'dist');
	file('onnxruntime-node', 'bin', 'napi-v6', os, arch);
	file('onnxruntime-common', 'package.json');
	file('onnxruntime-common', 'dist', 'cjs');
	for (const part of ['package.json', 'index.cjs', 'indirect.cjs']) file('koffi', part);
	for (const part of ['index.cjs', 'indirect.cjs']) file('koffi', 'src', 'koffi', part);
	const koffi = `@koromix/koffi-${platform}`;
	if (existsSync(modules(koffi)))
		for (const part of ['package.json', 'index.js', `${os}_${arch}`]) file(koffi, part);
	else fetchPackage(koffi, join(folder, koffi));
	const names = ['onnxruntime-node', 'onnxruntime-common', 'koffi', koffi];
	for (const name of names) leaveScriptsOut(join(folder, name, 'package.json'));
	return names;
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

/** Takes a platform package that npm did not install here from the registry. */
function fetchPackage(name, folder) {
	const version = JSON.parse(readFileSync(modules('koffi', 'package.json'), 'utf8')).version;
	const cache = join(root, '.package', 'fetched', name.replaceAll('/', '-'));
	mkdirSync(cache, { recursive: true });
	writeFileSync(join(cache, 'package.json'), '{"private":true}\n');
	const args = ['install', '--prefix', cache, '--no-save', '--force', '--ignore-scripts'];
	npm([...args, '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`], {
		cwd: cache,
	});
	mkdirSync(dirname(folder), { recursive: true });
	cpSync(join(cache, 'node_modules', ...name.split('/')), folder, { recursive: true });
}
