/** Starts and stops the headless VS Code on 127.0.0.1, and the browser that shows it. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { hostPaths } from './install.mjs';

/** User settings that keep a test window quiet. */
const quietSettings = {
	'security.workspace.trust.enabled': false,
	'workbench.startupEditor': 'none',
	'telemetry.telemetryLevel': 'off',
	'extensions.autoCheckUpdates': false,
	'extensions.autoUpdate': false,
	'extensions.ignoreRecommendations': true,
	'update.mode': 'none',
	'workbench.enableExperiments': false,
	'git.enabled': false,
	// A browser's editor saves by itself; what is saved without being asked must show.
	'files.autoSave': 'off',
	'chat.disableAIFeatures': true,
	'workbench.secondarySideBar.defaultVisibility': 'hidden',
};

/** Browsers that may be on the machine, best first. */
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const chromiumOptions = {
	executablePath: process.env.CHROMIUM ?? browsers.find((path) => existsSync(path)) ?? browsers[0],
	headless: true,
	args: [
		'--no-sandbox',
		'--disable-gpu',
		'--disable-quic',
		'--no-first-run',
		'--disable-background-networking',
		'--disable-component-update',
		'--disable-sync',
		'--disable-dev-shm-usage',
	],
};

const folders = (dir) => [
	'--config',
	join(dir, 'config.yaml'),
	'--user-data-dir',
	join(dir, 'user-data'),
	'--extensions-dir',
	join(dir, 'extensions'),
];

/** Environment without what an outer VS Code may have left, and with folders below `dir`. */
function environment(dir, extra) {
	const env = {
		...process.env,
		EXTENSIONS_GALLERY: '{"serviceUrl":"http://127.0.0.1:9/gallery"}',
		XDG_CONFIG_HOME: join(dir, 'xdg'),
		XDG_DATA_HOME: join(dir, 'xdg'),
		...extra,
	};
	for (const name of Object.keys(env)) if (/^(VSCODE_|ELECTRON_)/.test(name)) delete env[name];
	return env;
}

/** Runs a command of the host such as `--install-extension file.vsix`. */
export function hostCommand(dir, args) {
	mkdirSync(dir, { recursive: true });
	writeFileSync(join(dir, 'config.yaml'), 'auth: none\n');
	return new Promise((resolve, reject) => {
		const { node, entry } = hostPaths();
		const child = spawn(node, [entry, ...folders(dir), ...args], {
			env: environment(dir, {}),
			stdio: ['ignore', 'ignore', 'pipe'],
		});
		let complaint = '';
		child.stderr.setEncoding('utf8').on('data', (text) => {
			complaint += text;
		});
		child.once('error', reject);
		child.once('exit', (code) =>
			code === 0
				? resolve()
				: reject(new Error(`VS Code ${args[0]} ended with ${code}: ${complaint.slice(-2000)}`)),
		);
	});
}

/**
 * Starts a server with its state below `dir`. `suite` lets a page run extension tests, which hides
 * notifications. `version`: `current`, or `lowest`, which runs the suite alone. Resolves when it answers.
 */
export async function startHost({
	dir,
	env = {},
	suite = false,
	settings = {},
	port,
	version = 'current',
}) {
	const chosen = port ?? (await freePort());
	mkdirSync(join(dir, 'user-data/User'), { recursive: true });
	writeFileSync(join(dir, 'config.yaml'), 'auth: none\n');
	writeFileSync(
		join(dir, 'user-data/User/settings.json'),
		JSON.stringify({ ...quietSettings, ...settings, ...settingsOf(dir) }, null, '\t'),
	);
	const log = openSync(join(dir, 'server.log'), 'a');
	const { node, entry, code } = hostPaths(version);
	const child = spawn(
		node,
		version === 'lowest'
			? [
					// The wrapper of that time hands no option of the tests on.
					join(code, 'out/server-main.js'),
					...folders(dir).slice(2),
					...['--server-data-dir', join(dir, 'server'), '--accept-server-license-terms'],
					...['--host', '127.0.0.1', '--port', String(chosen), '--without-connection-token'],
					...['--telemetry-level', 'off', '--enable-smoke-test-driver'],
				]
			: [
					entry,
					...folders(dir),
					...['--auth', 'none', '--bind-addr', `127.0.0.1:${chosen}`],
					...['--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'],
					...['--disable-getting-started-override', '--ignore-last-opened'],
					...(suite ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
				],
		{ env: environment(dir, env), stdio: ['ignore', log, log], detached: true },
	);
	const base = `http://127.0.0.1:${chosen}`;
	const stop = () => stopGroup(child);
	try {
		await answering(version === 'lowest' ? base : `${base}/healthz`, child);
	} catch (error) {
		await stop();
		throw error;
	}
	return {
		base,
		port: chosen,
		stop,
		/** How the workbench names a path on this machine. */
		remote: (path) => `vscode-remote://127.0.0.1:${chosen}${path}`,
	};
}

async function answering(url, child) {
	for (let attempt = 0; attempt < 600; attempt++) {
		if (child.exitCode !== null) break;
		const ok = await fetch(url).then(
			(response) => response.ok,
			() => false,
		);
		if (ok) return;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	throw new Error('The headless VS Code did not start; see server.log.');
}

async function stopGroup(child) {
	const signal = (name) => {
		try {
			process.kill(-child.pid, name);
		} catch {
			// The group has ended already.
		}
	};
	if (child.exitCode !== null || child.signalCode !== null) return signal('SIGKILL');
	const ended = new Promise((resolve) => child.once('exit', resolve));
	signal('SIGTERM');
	const timer = setTimeout(() => signal('SIGKILL'), 8000);
	await ended;
	clearTimeout(timer);
	signal('SIGKILL');
}

function freePort() {
	return new Promise((resolve, reject) => {
		const server = net.createServer();
		server.once('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

/** What the user of an earlier start has set. */
function settingsOf(dir) {
	try {
		return JSON.parse(readFileSync(join(dir, 'user-data/User/settings.json'), 'utf8'));
	} catch {
		return {};
	}
}
