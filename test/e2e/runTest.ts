/**
 * Runs the suite in a desktop VS Code, which @vscode/test-electron downloads: on Windows, macOS, and Linux
 * with a display. `npm run test:desktop -- [version] [--vsix FILE]`; the version `lowest` is the one the manifest asks for.
 * With a package that one is installed and tested, not the checkout. Where nothing can be downloaded it says so and
 * passes, but where CI=true it fails.
 */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
	downloadAndUnzipVSCode,
	resolveCliArgsFromVSCodeExecutablePath,
	runTests,
} from '@vscode/test-electron';
// @ts-expect-error: the scripts are plain JavaScript
import { buildSuite } from '../../scripts/vscode-host/suite.mjs';
import { requestShutdown } from '../../server/daemon/daemonConnection.ts';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import { gone } from '../support/home.ts';
import { executableOf, isOfEditor } from '../support/processFacts.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const root = join(import.meta.dirname, '..', '..');
const { values, positionals } = parseArgs({
	options: { vsix: { type: 'string' } },
	allowPositionals: true,
});
const version = positionals[0] === 'lowest' ? lowestVersion() : (positionals[0] ?? 'stable');

/** The oldest editor that the manifest allows: `^1.104.0` is 1.104.0. */
function lowestVersion(): string {
	const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	return String(engines.vscode).replace(/^[^\d]*/, '');
}

/** Path of the program, or why there is none. */
async function findDesktop(): Promise<{ path: string } | { missing: string }> {
	const shown = process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'];
	if (process.platform === 'linux' && !shown)
		return { missing: 'there is no display (DISPLAY); run it under xvfb-run' };
	try {
		return { path: await downloadAndUnzipVSCode({ version, extensionDevelopmentPath: root }) };
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		return { missing: `VS Code ${version} cannot be downloaded here (${why})` };
	}
}

/** Installs a package as a person does, with the editor's own command; returns the folder it has made. */
function installPackage(executable: string, vsix: string, folder: string): string {
	const [cli = '', ...own] = resolveCliArgsFromVSCodeExecutablePath(executable);
	const isWindows = process.platform === 'win32';
	const args = [...own, '--extensions-dir', folder, '--install-extension', resolve(vsix)];
	const quoted = (text: string) => (isWindows ? `"${text}"` : text);
	const done = spawnSync(quoted(cli), args.map(quoted), { shell: isWindows, encoding: 'utf8' });
	const [name] = readdirSync(folder).filter((entry) => entry.startsWith('nearglot.nearglot-'));
	if (done.status !== 0 || name === undefined)
		throw new Error(`${vsix} was not installed: ${done.stdout}${done.stderr}`);
	return join(folder, name);
}

/** Ends the model server of a data folder: on Windows its files cannot be removed before. */
async function endServer(home: string): Promise<void> {
	const running = await findDaemon({ ...process.env, NEARGLOT_HOME: home }).catch(() => undefined);
	if (!running) return;
	await requestShutdown(running.endpoint, false).catch(() => undefined);
	await gone(running.endpoint.pid);
}

/** The model server must be the one that the editor's own program has started, and run models as it should. */
async function askDoctor(program: string, extension: string, home: string): Promise<void> {
	const running = await findDaemon({ ...process.env, NEARGLOT_HOME: home });
	const started = running && executableOf(running.endpoint.pid);
	if (started === undefined || !isOfEditor(started, realpathSync.native(program)))
		throw new Error(
			`The model server runs on ${started ?? 'nothing'}, not on the editor's own program ${program}.`,
		);
	const done = spawnSync(process.execPath, [join(extension, 'dist/server.cjs'), 'doctor'], {
		env: { ...process.env, NEARGLOT_HOME: home },
		encoding: 'utf8',
	});
	console.log(done.stdout);
	if (done.status !== 0)
		throw new Error(`nearglot doctor ended with ${done.status}: ${done.stderr}`);
	if (!/^model server .* process \d+, was running$/m.test(done.stdout))
		throw new Error('The editor has left no model server that could be asked.');
	if (!/^engine +ONNX Runtime through its C API$/m.test(done.stdout))
		throw new Error('In the editor models do not run through the C API.');
}

const desktop = await findDesktop();
if ('missing' in desktop) {
	console.log(`skipped: ${desktop.missing}.`);
	if (process.env['CI'] === 'true') process.exitCode = 1;
} else {
	const suite: string = await buildSuite();
	const home = temporaryFolder();
	const extensions = temporaryFolder('extensions');
	try {
		const extension =
			values.vsix === undefined ? root : installPackage(desktop.path, values.vsix, extensions);
		process.exitCode = await runTests({
			vscodeExecutablePath: desktop.path,
			extensionDevelopmentPath: extension,
			extensionTestsPath: suite,
			extensionTestsEnv: { NEARGLOT_HOME: home },
			launchArgs: ['--disable-extensions', '--disable-workspace-trust'],
		});
		if (process.exitCode === 0) await askDoctor(desktop.path, extension, home);
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	} finally {
		await endServer(home);
		for (const folder of [home, extensions])
			rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
	}
}
