/**
 * Installs programs of others that test/docs/clients.process.test.ts runs against a server: too large to be dependencies of everybody who
 * builds this. `node scripts/clients.mjs`; nothing of them runs a script while it is installed.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';

/** Names and versions; docs/connect names them. */
export const clients = {
	'@continuedev/cli': '1.5.47',
	cline: '3.0.65',
	'@llamaindex/openai': '0.4.23',
};

export const clientsFolder = join(root, '.clients');

if (process.argv[1]?.endsWith('clients.mjs')) {
	mkdirSync(clientsFolder, { recursive: true });
	const packages = Object.entries(clients).map(([name, version]) => `${name}@${version}`);
	const args = [
		'install',
		'--prefix',
		clientsFolder,
		'--ignore-scripts',
		'--no-package-lock',
		...packages,
	];
	const { status } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	process.exit(status ?? 1);
}
