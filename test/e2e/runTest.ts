/**
 * Runs the suite in a desktop VS Code, which @vscode/test-electron downloads: on Windows, macOS, and Linux
 * with a display. `npm run test:desktop [version]`. Where nothing can be downloaded it says so and passes.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
// @ts-expect-error: the scripts are plain JavaScript
import { buildSuite } from '../../scripts/vscode-host/suite.mjs';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const root = join(import.meta.dirname, '..', '..');
const version = process.argv[2] ?? 'stable';

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

const desktop = await findDesktop();
if ('missing' in desktop) {
	console.log(`skipped: ${desktop.missing}.`);
} else {
	const suite: string = await buildSuite();
	const home = temporaryFolder();
	try {
		process.exitCode = await runTests({
			vscodeExecutablePath: desktop.path,
			extensionDevelopmentPath: root,
			extensionTestsPath: suite,
			extensionTestsEnv: { NEARGLOT_HOME: home },
			launchArgs: ['--disable-extensions', '--disable-workspace-trust'],
		});
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}
